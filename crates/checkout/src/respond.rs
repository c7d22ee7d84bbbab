//! Responses with their security headers. Addresses and cookies of these pages give access to payments.

use std::{error::Error, sync::LazyLock};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, LOCATION, REFERRER_POLICY, REFRESH, RETRY_AFTER,
            STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
        },
    },
};
use askama::Template;

use crate::{
    assets,
    base_url::PublicBaseUrl,
    config::Checkout,
    frame::Frame,
    texts::{Message, Texts},
};

/// Content security policy of most pages: inline style and script of this crate, forms to this host, and no other host.
pub(crate) static PAGE_POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; script-src {}; style-src {}",
        *assets::SCRIPT_SOURCE,
        *assets::STYLE_SOURCE,
    )
});
/// Seconds until another server accepts requests in place of a stopping one.
const RESTART: u64 = 15;
/// Denies every feature that a page could request of a browser.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), \
     magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), \
     usb=(), xr-spatial-tracking=()";

/// Page with a message only.
#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage {
    frame: Frame,
    message: Message,
    /// Text with the seconds to wait, if the client has reached a rate limit.
    wait: Option<String>,
}

/// Renders a page under a content security policy.
pub(crate) fn render(base_url: &PublicBaseUrl, policy: &str, status: StatusCode, page: &impl Template) -> HttpResponse {
    // Each line break between tags would be a text node in the browser.
    let Ok(html) = page.render().map(|it| it.replace(">\n<", "><")) else {
        return HttpResponse::new(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut response = HttpResponse::build(status);
    set_security_headers(base_url, &mut response);
    response.insert_header((CONTENT_SECURITY_POLICY, policy)).content_type("text/html; charset=utf-8").body(html)
}

/// Sets the headers of every response: not cached, not framed, no referrer.
pub(crate) fn set_security_headers(base_url: &PublicBaseUrl, response: &mut HttpResponseBuilder) {
    response
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_SECURITY_POLICY, PAGE_POLICY.as_str()))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header(("cross-origin-opener-policy", "same-origin"))
        .insert_header(("cross-origin-resource-policy", "same-origin"))
        .insert_header(("permissions-policy", PERMISSIONS))
        .insert_header(("x-robots-tag", "noindex"));
    if base_url.is_secure() {
        response.insert_header((STRICT_TRANSPORT_SECURITY, "max-age=31536000"));
    }
}

/// Redirects with `303 See Other`: a reload does not repeat the form.
pub(crate) fn redirect(base_url: &PublicBaseUrl, path: &str) -> HttpResponse {
    let mut response = HttpResponse::build(StatusCode::SEE_OTHER);
    set_security_headers(base_url, &mut response);
    response.insert_header((LOCATION, base_url.path(path))).finish()
}

pub(crate) fn message_page(
    checkout: &Checkout,
    texts: &'static Texts,
    status: StatusCode,
    message: Message,
) -> HttpResponse {
    let page = MessagePage { frame: Frame::of(texts, message.title), message, wait: None };
    render(&checkout.base_url, &PAGE_POLICY, status, &page)
}

/// Response to an invalid link: the same page for each, until the address has tried too many. A valid link is not
/// counted, so that previews and scanners of mail do not block a payer.
pub(crate) fn not_found_page(checkout: &Checkout, texts: &'static Texts, request: &HttpRequest) -> HttpResponse {
    match checkout.guard.count_invalid_link(request.head()) {
        Ok(()) => message_page(checkout, texts, StatusCode::NOT_FOUND, texts.no_payment),
        Err(seconds) => rate_limited_page(checkout, texts, seconds, texts.too_many_links),
    }
}

pub(crate) fn rate_limited_page(
    checkout: &Checkout,
    texts: &'static Texts,
    seconds: u64,
    message: Message,
) -> HttpResponse {
    let wait = Some(texts.language.wait(seconds));
    let page = MessagePage { frame: Frame::of(texts, message.title), message, wait };
    with_retry_after(seconds, render(&checkout.base_url, &PAGE_POLICY, StatusCode::TOO_MANY_REQUESTS, &page))
}

pub(crate) fn with_retry_after(seconds: u64, mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    response
}

/// Page of a stopping server whose provider has not responded yet. The page loads `path` from the next server after a
/// pause. A closed connection instead would show an error, and a reload would repeat the form.
pub(crate) fn processing_page(checkout: &Checkout, texts: &'static Texts, path: &str) -> HttpResponse {
    let mut response = message_page(checkout, texts, StatusCode::OK, texts.processing);
    if let Ok(refresh) = HeaderValue::from_str(&format!("{RESTART}; url={}", checkout.base_url.path(path))) {
        response.headers_mut().insert(REFRESH, refresh);
    }
    response
}

/// Page for an internal error. The cause is only logged.
pub(crate) fn error_page(checkout: &Checkout, texts: &'static Texts, error: &app::Error) -> HttpResponse {
    tracing::error!(error = error as &dyn Error, "the request for a page failed");
    message_page(checkout, texts, StatusCode::INTERNAL_SERVER_ERROR, texts.internal_error)
}
