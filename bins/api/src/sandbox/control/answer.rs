use actix_web::{Error, HttpResponse, web::Bytes};
use domain::{InvalidRequest, Refusal};
use rest::handler_error;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

/// Maximum length of a body, which has a few fields.
const MAX_BODY: usize = 4096;

/// Response of a control route. The server adds the identifier of the request to an error, and logs its cause.
pub(super) type Answer = Result<HttpResponse, Error>;

/// Returns the response with a result.
pub(super) fn of(result: &impl Serialize) -> Answer {
    Ok(HttpResponse::Ok().content_type("application/json").body(wire::to_bytes(result)))
}

/// Returns the response with a list, newest first.
pub(super) fn of_list(data: &[impl Serialize]) -> Answer {
    of(&json!({ "data": data }))
}

/// Returns the error of an invalid request, which had no effect.
pub(super) fn refused(message: &str, param: Option<&str>) -> Error {
    let refusal = Refusal::of(InvalidRequest::ParameterInvalid).with_message(message);
    handler_error(Refusal { param: param.map(str::to_owned), ..refusal }.into())
}

/// Returns the error of a failed command, with the cause for the log.
pub(super) fn failed(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    handler_error(app::Error::internal(Box::new(cause) as Box<dyn std::error::Error + Send + Sync>))
}

/// Parses the body.
pub(super) fn body<T: DeserializeOwned>(body: Result<Bytes, Error>) -> Result<T, Error> {
    let body = body.map_err(|error| refused(&format!("The body: {error}."), None))?;
    if body.len() > MAX_BODY {
        return Err(refused("The body is too long.", None));
    }
    serde_json::from_slice(&body).map_err(|error| refused(&format!("The body: {error}."), None))
}
