//! Around every exchange: its name, its guard, its headers and its line in the log.

use std::{panic::AssertUnwindSafe, time::Instant};

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS},
    },
    middleware::Next,
    web::Data,
};
use domain::RequestId;
use futures_util::FutureExt;
use tracing::Instrument;

use crate::{State, hosts, limits::Standing, problem::Problem};

/// Names the exchange, in the answer and in the body of an error.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// What every answer says, unless it knows better: nobody keeps it, guesses its type or frames it.
const DEFAULTS: [(HeaderName, HeaderValue); 3] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
];

/// What a client calls its method is text like any other: in the log there are these alone.
const KNOWN_METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// Serves one request. Whatever happens inside, a panic included, becomes one whole answer.
pub(crate) async fn exchange(
    state: Data<State>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let id = RequestId::new(&state.ports.ids.name());
    let span = tracing::info_span!("exchange", request = %id);
    serve(state, id, request, next).instrument(span).await
}

async fn serve(
    state: Data<State>,
    id: RequestId,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let (began, method) = (Instant::now(), request.method().clone());
    request.extensions_mut().insert(id.clone());
    let served = match hosts::check(request.head(), &state.allowed_hosts) {
        Ok(()) => AssertUnwindSafe(async { next.call(request).await }).catch_unwind().await,
        Err(refusal) => Ok(Ok(request.error_response(Problem::from(refusal)))),
    };

    let (request, mut answer) = match served {
        Ok(Ok(response)) => {
            let (request, answer) = response.into_parts();
            let told = answer.error().map(|error| tell(error, &id, &state));
            (Some(request), told.unwrap_or(answer))
        }
        Ok(Err(error)) => (None, tell(&error, &id, &state)),
        // The panic was logged where it happened, and may say what nobody should hear.
        Err(_) => (None, Problem::App(app::Error::internal("a handler panicked")).answer(&id, &state.site)),
    };
    dress(answer.headers_mut(), &id);
    if let Some(standing) = request.as_ref().and_then(|it| it.extensions().get::<Standing>().copied()) {
        standing.tell(answer.headers_mut());
    }
    let route = request.as_ref().and_then(HttpRequest::match_pattern);
    // The template of the route, never the path: what is in it may open something.
    tracing::info!(
        method = if KNOWN_METHODS.contains(&method) { method.as_str() } else { "other" },
        route = route.as_deref().unwrap_or("none"),
        status = answer.status().as_u16(),
        milliseconds = began.elapsed().as_millis(),
        "answered"
    );
    match request {
        Some(request) => Ok(ServiceResponse::new(request, answer)),
        // The request is lost. An error carries the answer to the client all the same.
        None => Err(InternalError::from_response("the exchange broke down", answer).into()),
    }
}

/// The whole answer to an error that was left bare on the way.
fn tell(error: &Error, id: &RequestId, state: &State) -> HttpResponse {
    match error.as_error::<Problem>() {
        Some(problem) => problem.answer(id, &state.site),
        None => Problem::App(app::Error::internal(error.to_string())).answer(id, &state.site),
    }
}

/// Adds what every answer says.
pub(crate) fn dress(headers: &mut HeaderMap, id: &RequestId) {
    if !headers.contains_key(REQUEST_ID)
        && let Ok(id) = HeaderValue::from_str(id.as_str())
    {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in DEFAULTS {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
}
