use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{
            ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
            X_FRAME_OPTIONS,
        },
    },
};
use askama::Template;

use crate::page::Notice;

/// Nothing runs, loads, frames or is sent anywhere.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The provider's own form runs, and is sent to wherever the issuer is, out of sight.
pub(crate) const LOOKS: &str = "default-src 'none'; base-uri 'none'; script-src 'unsafe-inline'; \
     style-src 'unsafe-inline'; form-action 'self' https:; frame-src 'self' https:; frame-ancestors 'none'";
/// A form of ours is sent to wherever the issuer is.
pub(crate) const ASKS: &str = "default-src 'none'; base-uri 'none'; \
     script-src 'sha256-Aj7zx7RELAeU2A11R97js2W6bAFJrf3coBMbpaVY0U0='; form-action 'self' https:; frame-ancestors 'none'";
const ONLY_GET: Notice = Notice { title: "Aquí solo se puede leer", text: "Abra el enlace en su navegador." };
const ONLY_POST: Notice = Notice { title: "Aquí no hay nada que leer", text: "Vuelva a la página anterior." };

/// The page, guarded by its headers: its address opens a payment, and nobody else learns it.
pub(crate) fn respond(status: StatusCode, page: &impl Template) -> HttpResponse {
    respond_under(POLICY, status, page)
}

/// The same, under a policy that lets more happen.
pub(crate) fn respond_under(policy: &'static str, status: StatusCode, page: &impl Template) -> HttpResponse {
    let Ok(html) = page.render() else { return HttpResponse::new(StatusCode::INTERNAL_SERVER_ERROR) };
    HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header(("x-robots-tag", "noindex"))
        .body(html)
}

pub(crate) async fn only_get() -> HttpResponse {
    only(&ONLY_GET, HeaderValue::from_static("GET"))
}

pub(crate) async fn only_post() -> HttpResponse {
    only(&ONLY_POST, HeaderValue::from_static("POST"))
}

fn only(notice: &Notice, methods: HeaderValue) -> HttpResponse {
    let mut answer = respond(StatusCode::METHOD_NOT_ALLOWED, notice);
    answer.headers_mut().insert(ALLOW, methods);
    answer
}
