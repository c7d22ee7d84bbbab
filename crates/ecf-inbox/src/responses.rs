//! Responses by the authority's standard: XML, a token as JSON or XML, and messages in Spanish.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use app::interchange::AccessToken;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::json as value;

/// Seconds after which a merchant may have a certificate.
const CERTIFICATE_RETRY: u64 = 3600;

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
    json(StatusCode::OK, &value!({ "token": token, "expira": until, "expedido": since }))
}

pub(crate) fn approval_received() -> HttpResponse {
    message(StatusCode::OK, "Aprobación comercial recibida.")
}

pub(crate) fn bad_request(reason: &str) -> HttpResponse {
    message(StatusCode::BAD_REQUEST, reason)
}

/// Response for an unknown merchant or service.
pub(crate) fn not_found() -> HttpResponse {
    message(StatusCode::NOT_FOUND, "No existe.")
}

/// Response if the merchant has no valid certificate to sign an acknowledgement. This is not an error of the server.
pub(crate) fn not_ready() -> HttpResponse {
    let response = message(StatusCode::SERVICE_UNAVAILABLE, "El receptor no está habilitado para recibir por ahora.");
    with(response, RETRY_AFTER, CERTIFICATE_RETRY.into())
}

/// Response to a request without a valid token.
pub(crate) fn unauthorized() -> HttpResponse {
    let response = message(StatusCode::UNAUTHORIZED, "Falta un token válido.");
    with(response, WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

pub(crate) fn too_many_requests(seconds: u64) -> HttpResponse {
    with(message(StatusCode::TOO_MANY_REQUESTS, "Demasiadas solicitudes."), RETRY_AFTER, seconds.into())
}

pub(crate) fn method_not_allowed(allowed: &'static str) -> HttpResponse {
    let response = message(StatusCode::METHOD_NOT_ALLOWED, "Método no permitido.");
    with(response, ALLOW, HeaderValue::from_static(allowed))
}

/// Response after an internal error, which is logged. The sender may retry.
pub(crate) fn internal_error(error: &app::Error) -> HttpResponse {
    tracing::error!(error = error as &dyn std::error::Error, "a request of another taxpayer failed");
    message(StatusCode::SERVICE_UNAVAILABLE, "Servicio no disponible. Intente luego.")
}

fn with(mut response: HttpResponse, name: HeaderName, value: HeaderValue) -> HttpResponse {
    response.headers_mut().insert(name, value);
    response
}

fn message(status: StatusCode, words: &str) -> HttpResponse {
    json(status, &value!({ "mensaje": words }))
}

fn json(status: StatusCode, body: &serde_json::Value) -> HttpResponse {
    HttpResponse::build(status).content_type("application/json").body(body.to_string())
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
