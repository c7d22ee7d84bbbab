//! Errors as HTTP responses: the only place that maps an error to a status.

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{ALLOW, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use app::{Authentication, Error};
use domain::{
    Conflict, InvalidRequest, Refusal, RequestId,
    refusal::{Code, Family, RateLimit, Refused},
};
use wire::{ErrorResponse, Json, PublicUrls};

use crate::limits::RateLimited;

domain::codes! {
    /// No endpoint has this path.
    Endpoint of NotFound {
        EndpointNotFound = "endpoint_not_found": "There is no such endpoint.",
    }
}

domain::codes! {
    /// The server failed before there was an outcome.
    Internal of Internal {
        InternalError = "internal_error": "The server failed unexpectedly. Retry the same request.",
    }
}

/// Error of a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// Error of a use case, or refusal of the request.
    #[error(transparent)]
    App(#[from] Error),
    /// No endpoint has this path.
    #[error("there is no such endpoint")]
    NoEndpoint,
    /// The endpoint accepts only these methods.
    #[error("the endpoint accepts only {0}")]
    MethodNotAllowed(String),
    /// A limit refused the request.
    #[error("too many requests: retry after {} s", .0.retry_after)]
    RateLimited(RateLimited),
    /// The body did not arrive before its timeout.
    #[error("the body did not arrive in time")]
    BodyTimeout,
    /// The body is too long.
    #[error("the body is too long")]
    BodyTooLong,
    /// The body is not plain JSON.
    #[error("the media type of the body is not supported")]
    UnsupportedMediaType,
}

/// Status, headers and content of an error response.
struct Published {
    status: StatusCode,
    family: Family,
    code: &'static str,
    message: String,
    param: Option<String>,
    header: Option<(HeaderName, String)>,
}

impl From<RateLimited> for Problem {
    fn from(refused_by: RateLimited) -> Self {
        Self::RateLimited(refused_by)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::App(refusal.into())
    }
}

impl Problem {
    /// Returns the response. A failure of the server is logged here, once.
    pub(crate) fn response(&self, request: &RequestId, urls: &PublicUrls) -> HttpResponse {
        let published = self.published();
        if published.status.is_server_error() {
            tracing::error!(code = published.code, causes = ?causes(self), "request failed");
        }
        let (kind, _) = spelling(published.family);
        let param = published.param.as_deref();
        let body = ErrorResponse::new(kind, published.code, &published.message, param, request, urls);
        let mut response = HttpResponse::build(published.status);
        if let Some(header) = published.header {
            response.insert_header(header);
        }
        response.content_type("application/json").body(wire::to_bytes(&body))
    }

    /// A failure of the server, with a cause for the log.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::App(Error::internal(cause.into()))
    }

    /// Returns the limit that refused the request.
    pub(crate) fn rate_limited(&self) -> Option<RateLimited> {
        match self {
            Self::RateLimited(refused_by) => Some(*refused_by),
            Self::App(Error::RateLimit(_, wait)) => Some(RateLimited::by_document_emails(*wait)),
            _ => None,
        }
    }

    /// Returns the published code.
    pub(crate) fn code(&self) -> &'static str {
        self.published().code
    }

    fn published(&self) -> Published {
        match self {
            Self::App(error) => of_app(error),
            Self::NoEndpoint => of(Endpoint::EndpointNotFound),
            Self::MethodNotAllowed(allowed) => Published {
                status: StatusCode::METHOD_NOT_ALLOWED,
                header: Some((ALLOW, allowed.clone())),
                ..of(Endpoint::EndpointNotFound).with_message("The endpoint does not accept this method.")
            },
            Self::RateLimited(refused_by) => of_rate_limit(RateLimit::RateLimitExceeded, *refused_by),
            Self::BodyTimeout => Published {
                status: StatusCode::REQUEST_TIMEOUT,
                ..of(InvalidRequest::ParameterInvalid).with_message("The body did not arrive within 10 seconds.")
            },
            Self::BodyTooLong => Published {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                ..of(InvalidRequest::ParameterInvalid)
                    .with_message(&format!("The body may have at most {} KiB.", Json::MAX_BYTES / 1024))
            },
            Self::UnsupportedMediaType => Published {
                status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
                ..of(InvalidRequest::ParameterInvalid).with_message("The body must be plain application/json in UTF-8.")
            },
        }
    }
}

impl Published {
    fn at(self, param: Option<&str>) -> Self {
        Self { param: param.map(str::to_owned), ..self }
    }

    fn with_message(self, message: &str) -> Self {
        Self { message: message.to_owned(), ..self }
    }

    fn with(self, header: HeaderName, value: &str) -> Self {
        Self { header: Some((header, value.to_owned())), ..self }
    }
}

/// Codes that have another status than their family, with advice.
pub(crate) const OTHER_STATUSES: &[(StatusCode, &str, &str)] = &[
    (
        StatusCode::METHOD_NOT_ALLOWED,
        "endpoint_not_found",
        "The endpoint does not accept this method: use one that the header Allow names.",
    ),
    (
        StatusCode::REQUEST_TIMEOUT,
        "parameter_invalid",
        "The body did not arrive within 10 seconds. Nothing was changed: retry the request.",
    ),
    (StatusCode::PAYLOAD_TOO_LARGE, "parameter_invalid", "The body is too long. Send less data in one request."),
    (
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "parameter_invalid",
        "The body must be plain JSON in UTF-8: send Content-Type: application/json, and no Content-Encoding.",
    ),
];

/// Returns the `type` and the status of a family.
pub(crate) const fn spelling(family: Family) -> (&'static str, StatusCode) {
    match family {
        Family::InvalidRequest => ("invalid_request", StatusCode::BAD_REQUEST),
        Family::Authentication => ("authentication_error", StatusCode::UNAUTHORIZED),
        Family::Permission => ("permission_error", StatusCode::FORBIDDEN),
        Family::NotFound => ("invalid_request", StatusCode::NOT_FOUND),
        Family::Conflict => ("conflict_error", StatusCode::CONFLICT),
        Family::Gone => ("invalid_request", StatusCode::GONE),
        Family::Precondition => ("conflict_error", StatusCode::PRECONDITION_FAILED),
        Family::Unprocessable => ("invalid_request", StatusCode::UNPROCESSABLE_ENTITY),
        Family::RateLimit => ("rate_limit_error", StatusCode::TOO_MANY_REQUESTS),
        Family::Internal => ("api_error", StatusCode::INTERNAL_SERVER_ERROR),
        Family::Provider => ("provider_error", StatusCode::BAD_GATEWAY),
        Family::Dependency | Family::Artifact => ("api_error", StatusCode::SERVICE_UNAVAILABLE),
    }
}

/// Response with the meaning of the code as message.
fn of<C: Code>(code: C) -> Published {
    let (_, status) = spelling(C::FAMILY);
    let message = code.meaning().to_owned();
    Published { status, family: C::FAMILY, code: code.as_str(), message, param: None, header: None }
}

fn of_rate_limit(code: RateLimit, refused_by: RateLimited) -> Published {
    of(code).with(RETRY_AFTER, &refused_by.retry_after.to_string())
}

fn of_app(error: &Error) -> Published {
    match error {
        Error::Refusal(refusal) => of_refusal(refusal),
        Error::Authentication(code) => of(*code).with(WWW_AUTHENTICATE, challenge(*code)),
        Error::Permission(code, param) => of(*code).at(*param),
        Error::NotFound(code, param) => of(*code).at(param.as_deref()),
        Error::Gone(code) => of(*code),
        Error::RateLimit(code, wait) => of_rate_limit(*code, RateLimited::by_document_emails(*wait)),
        Error::Provider(code) => of(*code),
        Error::Dependency(code, param) => of(*code).at(*param).with(RETRY_AFTER, "1"),
        Error::Artifact(code) => of(*code).with(RETRY_AFTER, "1"),
        Error::Unavailable(_) => of(Internal::InternalError).with(RETRY_AFTER, UNAVAILABLE_FOR),
        Error::Internal(_) => of(Internal::InternalError),
    }
}

fn of_refusal(refusal: &Refusal) -> Published {
    let published = match refusal.code {
        Refused::InvalidRequest(code) => of(code),
        Refused::Conflict(code @ Conflict::IdempotencyRequestInProgress) => of(code).with(RETRY_AFTER, "1"),
        Refused::Conflict(code) => of(code),
        Refused::Precondition(code) => of(code),
        Refused::Unprocessable(code) => of(code),
    };
    published.at(refusal.param.as_deref()).with_message(&refusal.to_string())
}

/// Seconds until a store that is unreachable, or changes its primary, may respond again.
const UNAVAILABLE_FOR: &str = "2";

/// Returns the challenge to a client (RFC 6750, 3).
const fn challenge(code: Authentication) -> &'static str {
    match code {
        Authentication::ApiKeyMissing => "Bearer",
        _ => r#"Bearer error="invalid_token""#,
    }
}

/// Returns the error and its sources, outermost first, for the log.
fn causes(error: &dyn std::error::Error) -> Vec<String> {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect()
}

/// Converts the error of a handler outside the API, so that the server writes the response as for an operation.
pub fn handler_error(error: Error) -> actix_web::Error {
    Problem::App(error).into()
}

/// Response to a readiness check, with the reason if the server may not take traffic.
pub(crate) fn readiness(checked: &Result<(), impl std::fmt::Display>) -> HttpResponse {
    let (status, text) = match checked {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
    };
    HttpResponse::build(status).content_type("text/plain; charset=utf-8").body(text)
}

// The middleware writes the body, which contains the identifier of the request.
impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.published().status
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}
