use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse, http::StatusCode, web::Bytes};
use domain::{InvalidRequest, RequestId, refusal::Code};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use wire::{ErrorResponse, PublicUrls};

/// Bodies here are a handful of fields.
const LONGEST: usize = 4096;

/// A result.
pub(super) fn of(result: &impl Serialize) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(wire::to_bytes(result))
}

/// A list, the newest first.
pub(super) fn of_list(data: &[impl Serialize]) -> HttpResponse {
    of(&json!({ "data": data }))
}

/// Invalid request; no change was made.
pub(super) fn refused(request: &HttpRequest, urls: &PublicUrls, message: &str, param: Option<&str>) -> HttpResponse {
    failed(
        request,
        urls,
        StatusCode::BAD_REQUEST,
        ("invalid_request", InvalidRequest::ParameterInvalid.as_str()),
        message,
        param,
    )
}

/// We failed; the cause is in the log.
pub(super) fn broken(
    request: &HttpRequest,
    urls: &PublicUrls,
    error: &(dyn std::error::Error + 'static),
) -> HttpResponse {
    tracing::error!(error, "the sandbox could not be controlled");
    let message = "Internal error; see the log.";
    failed(request, urls, StatusCode::INTERNAL_SERVER_ERROR, ("api_error", "internal_error"), message, None)
}

/// The body, or why there is none.
pub(super) fn arrived(body: &Result<Bytes, Error>) -> Result<&[u8], String> {
    body.as_deref().map_err(|error| format!("The body: {error}."))
}

/// Parses the body.
pub(super) fn body<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    if body.len() > LONGEST {
        return Err("The body is too long.".to_owned());
    }
    serde_json::from_slice(body).map_err(|error| format!("The body: {error}."))
}

/// The envelope of every error.
fn failed(
    request: &HttpRequest,
    urls: &PublicUrls,
    status: StatusCode,
    (kind, code): (&'static str, &'static str),
    message: &str,
    param: Option<&str>,
) -> HttpResponse {
    let id: Option<RequestId> = request.extensions().get().cloned();
    let Some(id) = id else { return HttpResponse::new(status) };
    let body = ErrorResponse::new(kind, code, message, param, &id, urls);
    HttpResponse::build(status).content_type("application/json").body(wire::to_bytes(&body))
}
