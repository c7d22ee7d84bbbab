//! Pages as answers: guarded by their headers, since their addresses and cookies open payments.

use std::{error::Error, sync::LazyLock};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{
        Method, StatusCode,
        header::{
            ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, REFRESH, RETRY_AFTER,
            STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
        },
    },
    web::Data,
};
use askama::Template;
use domain::PaymentId;

use crate::{
    assets,
    page::{Frame, Notice},
    place::{Checkout, PublicBaseUrl},
    session::{address, asked, go_to, language},
    texts::{Said, Texts},
};

/// Our own style and script, our own forms, and nothing else: no other host learns that anybody is here.
pub(crate) static OURS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; script-src {}; style-src {}",
        assets::script(),
        assets::style(),
    )
});
/// The provider's own form runs, and is sent to wherever the issuer is, out of sight.
pub(crate) const LOOKS: &str = "default-src 'none'; base-uri 'none'; script-src 'unsafe-inline'; \
     style-src 'unsafe-inline'; form-action 'self' https:; frame-src 'self' https:; frame-ancestors 'none'";
/// A form of ours is sent to wherever the issuer is.
pub(crate) static ASKS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; base-uri 'none'; style-src {}; \
         script-src 'sha256-Aj7zx7RELAeU2A11R97js2W6bAFJrf3coBMbpaVY0U0='; form-action 'self' https:; \
         frame-ancestors 'none'",
        assets::style(),
    )
});
/// Seconds after which a stopping server has ended, and another one responds in its place.
const RESTART: u64 = 15;
/// None of what a page could ask a browser for.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), \
     magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), \
     usb=(), xr-spatial-tracking=()";

/// The page, under a policy of what may happen on it.
pub(crate) fn respond(place: &PublicBaseUrl, policy: &str, status: StatusCode, page: &impl Template) -> HttpResponse {
    let Ok(html) = page.render().map(|it| dense(&it)) else {
        return HttpResponse::new(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut answer = HttpResponse::build(status);
    guard(place, &mut answer);
    answer.insert_header((CONTENT_SECURITY_POLICY, policy)).content_type("text/html; charset=utf-8").body(html)
}

/// The page without the ends of lines between its tags, of which a browser would make as many nodes that show nothing.
fn dense(html: &str) -> String {
    html.replace(">\n<", "><")
}

/// What every answer of ours says: nobody keeps it, frames it, or learns where it was.
pub(crate) fn guard(place: &PublicBaseUrl, answer: &mut HttpResponseBuilder) {
    answer
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_SECURITY_POLICY, OURS.as_str()))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header(("cross-origin-opener-policy", "same-origin"))
        .insert_header(("cross-origin-resource-policy", "same-origin"))
        .insert_header(("permissions-policy", PERMISSIONS))
        .insert_header(("x-robots-tag", "noindex"));
    if place.is_secure() {
        answer.insert_header((STRICT_TRANSPORT_SECURITY, "max-age=31536000"));
    }
}

/// A page that only says something.
pub(crate) fn say(checkout: &Checkout, texts: &'static Texts, status: StatusCode, said: Said) -> HttpResponse {
    let place = &checkout.base_url;
    respond(place, &OURS, status, &Notice { frame: Frame::of(texts, said.title), said, wait: None })
}

/// Response to an invalid link: the same page for each, until the address has tried too many. A valid link is not
/// counted, so that previews and scanners of mail do not block a payer.
pub(crate) fn nothing(checkout: &Checkout, texts: &'static Texts, request: &HttpRequest) -> HttpResponse {
    match checkout.guard.count_invalid_link(request.head()) {
        Ok(()) => say(checkout, texts, StatusCode::NOT_FOUND, texts.no_payment),
        Err(seconds) => wait(checkout, texts, seconds, texts.too_many_links),
    }
}

/// The page that states how long to wait.
pub(crate) fn wait(checkout: &Checkout, texts: &'static Texts, seconds: u64, said: Said) -> HttpResponse {
    let (place, frame) = (&checkout.base_url, Frame::of(texts, said.title));
    let notice = Notice { frame, said, wait: Some(texts.language.wait(seconds)) };
    limited(seconds, respond(place, &OURS, StatusCode::TOO_MANY_REQUESTS, &notice))
}

/// Response with `Retry-After` in seconds.
pub(crate) fn limited(seconds: u64, mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(RETRY_AFTER, seconds.into());
    answer
}

/// Response if the server stops before the provider has responded: the page waits, and then loads `path` from the next
/// server. If the connection were cut, the browser would show an error, and a reload would send the form again.
pub(crate) fn interrupted(checkout: &Checkout, texts: &'static Texts, path: &str) -> HttpResponse {
    let mut answer = say(checkout, texts, StatusCode::OK, texts.processing);
    let refresh = format!("{RESTART}; url={}", checkout.base_url.path(path));
    if let Ok(refresh) = HeaderValue::from_str(&refresh) {
        answer.headers_mut().insert(REFRESH, refresh);
    }
    answer
}

/// An outage is admitted, and its cause logged alone.
pub(crate) fn out_of_order(checkout: &Checkout, texts: &'static Texts, error: &app::Error) -> HttpResponse {
    tracing::error!(error = error as &dyn Error, "a page was not served");
    say(checkout, texts, StatusCode::INTERNAL_SERVER_ERROR, texts.out_of_order)
}

pub(crate) async fn only_get(checkout: Data<Checkout>, request: HttpRequest) -> HttpResponse {
    let texts = language(&request, None).texts();
    only(say(&checkout, texts, StatusCode::METHOD_NOT_ALLOWED, texts.only_get), HeaderValue::from_static("GET, HEAD"))
}

/// Whoever reads where a form was sent, as a browser does that was opened again, is shown the payment's page.
pub(crate) async fn only_sent(checkout: Data<Checkout>, request: HttpRequest) -> HttpResponse {
    let payment = request.match_info().get("payment").and_then(PaymentId::parse);
    match payment.filter(|_| matches!(*request.method(), Method::GET | Method::HEAD)) {
        Some(payment) => {
            let seat = asked(&request, "part").and_then(|it| it.parse().ok());
            go_to(&checkout.base_url, &address(&payment, seat, None))
        }
        None => only_post(checkout, request).await,
    }
}

pub(crate) async fn only_post(checkout: Data<Checkout>, request: HttpRequest) -> HttpResponse {
    let texts = language(&request, None).texts();
    only(say(&checkout, texts, StatusCode::METHOD_NOT_ALLOWED, texts.only_post), HeaderValue::from_static("POST"))
}

fn only(mut answer: HttpResponse, methods: HeaderValue) -> HttpResponse {
    answer.headers_mut().insert(ALLOW, methods);
    answer
}
