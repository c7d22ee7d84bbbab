//! The only place that knows which error is which HTTP status.

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
use wire::{ErrorResponse, PublicUrls};

use crate::limits::Late;

domain::codes! {
    /// There is nothing at that address.
    Endpoint of NotFound {
        EndpointNotFound = "endpoint_not_found": "There is no such endpoint.",
    }
}

domain::codes! {
    /// We failed before there was an outcome.
    Internal of Internal {
        InternalError = "internal_error": "Something unexpected happened. The same request may be sent again.",
    }
}

/// An error on its way out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A use case failed, or what was sent was refused.
    #[error(transparent)]
    App(#[from] Error),
    /// There is nothing at that address.
    #[error("there is no such endpoint")]
    NoEndpoint,
    /// There is, but only for these methods.
    #[error("the endpoint takes only {0}")]
    OtherMethod(String),
    /// Too much at once.
    #[error("too many requests; there is room in {} s", .0.seconds)]
    TooMany(Late),
    /// The body did not arrive before its timeout.
    #[error("the body did not arrive")]
    NotArrived,
    /// The body is longer than anyone reads.
    #[error("the body is too long")]
    TooLong,
    /// The body is not plain JSON.
    #[error("the body is of another media type")]
    OtherMediaType,
}

/// What the public is told.
struct Published {
    status: StatusCode,
    family: Family,
    code: &'static str,
    message: String,
    param: Option<String>,
    header: Option<(HeaderName, String)>,
}

impl From<Late> for Problem {
    fn from(late: Late) -> Self {
        Self::TooMany(late)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::App(refusal.into())
    }
}

impl Problem {
    /// The whole answer. A failure of ours is logged here, once.
    pub(crate) fn answer(&self, request: &RequestId, urls: &PublicUrls) -> HttpResponse {
        let published = self.published();
        if published.status.is_server_error() {
            tracing::error!(code = published.code, causes = ?causes(self), "an exchange failed");
        }
        let (kind, _) = spelling(published.family);
        let param = published.param.as_deref();
        let body = ErrorResponse::new(kind, published.code, &published.message, param, request, urls);
        let mut answer = HttpResponse::build(published.status);
        if let Some(header) = published.header {
            answer.insert_header(header);
        }
        answer.content_type("application/json").body(wire::to_bytes(&body))
    }

    /// A bug of ours.
    pub(crate) fn broken(cause: impl Into<String>) -> Self {
        Self::App(Error::internal(cause.into()))
    }

    /// Why somebody was sent away who came too often.
    pub(crate) fn late(&self) -> Option<Late> {
        match self {
            Self::TooMany(late) => Some(*late),
            Self::App(Error::RateLimit(_, wait)) => Some(Late::at_a_document(*wait)),
            _ => None,
        }
    }

    /// The code that the public is told.
    pub(crate) fn code(&self) -> &'static str {
        self.published().code
    }

    fn published(&self) -> Published {
        match self {
            Self::App(error) => of_app(error),
            Self::NoEndpoint => of(Endpoint::EndpointNotFound),
            Self::OtherMethod(allowed) => Published {
                status: StatusCode::METHOD_NOT_ALLOWED,
                header: Some((ALLOW, allowed.clone())),
                ..of(Endpoint::EndpointNotFound).saying("The endpoint does not take this method.")
            },
            Self::TooMany(late) => of_late(RateLimit::RateLimitExceeded, *late),
            Self::NotArrived => Published {
                status: StatusCode::REQUEST_TIMEOUT,
                ..of(InvalidRequest::ParameterInvalid).saying("The body did not arrive whole within 10 seconds.")
            },
            Self::TooLong => Published {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                ..of(InvalidRequest::ParameterInvalid).saying("The body may have at most 512 KiB.")
            },
            Self::OtherMediaType => Published {
                status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
                ..of(InvalidRequest::ParameterInvalid).saying("The body must be plain application/json in UTF-8.")
            },
        }
    }
}

impl Published {
    fn at(self, param: Option<&str>) -> Self {
        Self { param: param.map(str::to_owned), ..self }
    }

    fn saying(self, message: &str) -> Self {
        Self { message: message.to_owned(), ..self }
    }

    fn with(self, header: HeaderName, value: &str) -> Self {
        Self { header: Some((header, value.to_owned())), ..self }
    }
}

/// Where a code comes with another status than its family's, and what to do about it.
pub(crate) const OTHER_STATUSES: &[(StatusCode, &str, &str)] = &[
    (
        StatusCode::METHOD_NOT_ALLOWED,
        "endpoint_not_found",
        "The endpoint does not take this method: use one that the header Allow names.",
    ),
    (
        StatusCode::REQUEST_TIMEOUT,
        "parameter_invalid",
        "The body did not arrive whole within 10 seconds: nothing was done. Send the request again.",
    ),
    (
        StatusCode::PAYLOAD_TOO_LARGE,
        "parameter_invalid",
        "The body is too long: it may have at most 512 KiB. Send less in one request.",
    ),
    (
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "parameter_invalid",
        "The body must be plain JSON in UTF-8: send Content-Type: application/json, and no Content-Encoding.",
    ),
];

/// The `type` and the status of a family.
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

/// A code without anything special to it.
fn of<C: Code>(code: C) -> Published {
    let (_, status) = spelling(C::FAMILY);
    let message = code.meaning().to_owned();
    Published { status, family: C::FAMILY, code: code.as_str(), message, param: None, header: None }
}

fn of_late(code: RateLimit, late: Late) -> Published {
    of(code).with(RETRY_AFTER, &late.seconds.to_string())
}

fn of_app(error: &Error) -> Published {
    match error {
        Error::Refusal(refusal) => of_refusal(refusal),
        Error::Authentication(code) => of(*code).with(WWW_AUTHENTICATE, challenge(*code)),
        Error::Permission(code, param) => of(*code).at(*param),
        Error::NotFound(code, param) => of(*code).at(*param),
        Error::Gone(code) => of(*code),
        Error::RateLimit(code, wait) => of_late(*code, Late::at_a_document(*wait)),
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
    published.at(refusal.param.as_deref()).saying(&refusal.to_string())
}

/// Seconds until a store that is unreachable, or changes its primary, may respond again.
const UNAVAILABLE_FOR: &str = "2";

/// What to send instead (RFC 6750, 3).
const fn challenge(code: Authentication) -> &'static str {
    match code {
        Authentication::ApiKeyMissing => "Bearer",
        _ => r#"Bearer error="invalid_token""#,
    }
}

/// The error and everything behind it, outermost first. For the log alone.
fn causes(error: &dyn std::error::Error) -> Vec<String> {
    std::iter::successors(Some(error), |it| it.source()).map(ToString::to_string).collect()
}

/// Readiness for a load balancer, with the reason if the server may not take traffic.
pub(crate) fn readiness(checked: &Result<(), impl std::fmt::Display>) -> HttpResponse {
    let (status, text) = match checked {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {why}\n")),
    };
    HttpResponse::build(status).content_type("text/plain; charset=utf-8").body(text)
}

// The body is left to the exchange, which knows its identifier.
impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.published().status
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}
