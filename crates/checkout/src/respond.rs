use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{
            ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
        },
    },
};
use askama::Template;

use crate::page::Notice;

/// Nothing runs, loads, frames or is sent anywhere.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const ONLY_GET: Notice = Notice { title: "Aquí solo se puede leer", text: "Abra el enlace en su navegador." };

/// The page, guarded by its headers: its address opens a payment, and nobody else learns it.
pub(crate) fn respond(status: StatusCode, page: &impl Template) -> HttpResponse {
    let Ok(html) = page.render() else { return HttpResponse::new(StatusCode::INTERNAL_SERVER_ERROR) };
    HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header(("x-robots-tag", "noindex"))
        .body(html)
}

pub(crate) async fn only_get() -> HttpResponse {
    let mut answer = respond(StatusCode::METHOD_NOT_ALLOWED, &ONLY_GET);
    answer.headers_mut().insert(ALLOW, actix_web::http::header::HeaderValue::from_static("GET"));
    answer
}
