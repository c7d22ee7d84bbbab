//! Answers as the authority's standard has them: XML, a token as JSON or XML, and words in Spanish.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use app::interchange::AccessToken;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::json;

/// Certificates are not had within seconds.
const NOT_SOON: u64 = 3600;

pub(crate) fn xml(document: String) -> HttpResponse {
    HttpResponse::Ok().content_type("application/xml; charset=utf-8").body(document)
}

pub(crate) fn token(token: &str, admission: &AccessToken, wants_xml: bool) -> HttpResponse {
    let (until, since) = (time(admission.expires_at), time(admission.issued_at));
    if wants_xml {
        return xml(format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><RespuestaAutenticacion><token>{token}</token>\
             <expira>{until}</expira><expedido>{since}</expedido></RespuestaAutenticacion>"
        ));
    }
    said(StatusCode::OK, &json!({ "token": token, "expira": until, "expedido": since }))
}

/// An approval is kept.
pub(crate) fn taken() -> HttpResponse {
    message(StatusCode::OK, "Aprobación comercial recibida.")
}

/// What came is no good.
pub(crate) fn refused(why: &str) -> HttpResponse {
    message(StatusCode::BAD_REQUEST, why)
}

/// Nobody of that number is here, or no such service.
pub(crate) fn nobody() -> HttpResponse {
    message(StatusCode::NOT_FOUND, "No existe.")
}

/// Whoever is behind the door cannot sign what it would have to answer: it has no certificate yet, or none any more. That is no
/// fault of ours, and nobody is called for it.
pub(crate) fn not_ready() -> HttpResponse {
    let mut answer = message(StatusCode::SERVICE_UNAVAILABLE, "El receptor no está habilitado para recibir por ahora.");
    answer.headers_mut().insert(RETRY_AFTER, NOT_SOON.into());
    answer
}

/// Whoever comes has shown no token that is good here.
pub(crate) fn stranger() -> HttpResponse {
    let mut answer = message(StatusCode::UNAUTHORIZED, "Falta un token válido.");
    answer.headers_mut().insert(WWW_AUTHENTICATE, actix_web::http::header::HeaderValue::from_static("Bearer"));
    answer
}

pub(crate) fn later(seconds: u64) -> HttpResponse {
    let mut answer = message(StatusCode::TOO_MANY_REQUESTS, "Demasiadas solicitudes.");
    answer.headers_mut().insert(RETRY_AFTER, seconds.into());
    answer
}

pub(crate) fn other_method(allowed: &'static str) -> HttpResponse {
    let mut answer = message(StatusCode::METHOD_NOT_ALLOWED, "Método no permitido.");
    answer.headers_mut().insert(ALLOW, actix_web::http::header::HeaderValue::from_static(allowed));
    answer
}

/// We failed; the cause is in the log, and the sender may come again.
pub(crate) fn broken(error: &app::Error) -> HttpResponse {
    tracing::error!(error = error as &dyn std::error::Error, "an exchange with another taxpayer failed");
    message(StatusCode::SERVICE_UNAVAILABLE, "Servicio no disponible. Intente luego.")
}

fn message(status: StatusCode, words: &str) -> HttpResponse {
    said(status, &json!({ "mensaje": words }))
}

fn said(status: StatusCode, body: &serde_json::Value) -> HttpResponse {
    HttpResponse::build(status).content_type("application/json").body(body.to_string())
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
