//! Middleware of every request: identifier, host check, limits, default headers, metrics and log line.

use std::{
    panic::AssertUnwindSafe,
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};

use actix_http::ConnectionType;
use actix_web::{
    Error, HttpMessage, HttpResponse,
    body::BoxBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::{InternalError, PayloadError},
    http::{
        Method,
        header::{CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING},
    },
    middleware::Next,
    web::{Bytes, Data},
};
use domain::{InvalidRequest, Refusal, RequestId};
use futures_util::{FutureExt, Stream, stream::poll_fn};
use tracing::{Instrument, Span};

use crate::{
    connection::PendingBody,
    execution::with_permit,
    hosts,
    limits::{BodySender, RateLimitStatus, RequestPermit},
    metrics::CompletedRequest,
    paths,
    problem::Problem,
    request_log::{RequestFacts, RequestLog},
    response::add_default_headers,
    state::State,
    trace,
};

/// Methods that the log names. Other method names are text of the client.
const KNOWN_METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// Serves a request. Every failure, a panic included, becomes a complete response.
pub(crate) async fn serve(
    state: Data<State>,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    if !request.method().is_safe() {
        detach_headers(&mut request);
    }
    let id = RequestId::new(&state.ports.ids.generate());
    let trace = trace::begin(&id, known(request.method()));
    // The span for traces is never entered: a collector would take the last exit for the end.
    let span = tracing::info_span!("request", request = %id);
    serve_in_span(state, id, request, next, &trace).instrument(span).await
}

async fn serve_in_span(
    state: Data<State>,
    id: RequestId,
    request: ServiceRequest,
    next: Next<BoxBody>,
    trace: &Span,
) -> Result<ServiceResponse, Error> {
    let (start, method, log) = (Instant::now(), known(request.method()), RequestLog::default());
    let address = state.proxies.client(request.head());
    let _in_flight = state.metrics.request_started();
    let closes_connection = may_hold_card(&request);
    prepare_error_for_chunks(&request, &id, &state);
    request.extensions_mut().insert(id.clone());
    request.extensions_mut().insert(log.clone());
    let served = AssertUnwindSafe(guard(&state, request, next)).catch_unwind().await;

    let (request, mut response) = match served {
        Ok(Ok(served)) => {
            let (request, response) = served.into_parts();
            log.update(|facts| facts.route = facts.route.take().or_else(|| request.match_pattern()));
            let failed = response.error().map(|error| error_response(error, &id, &state, &log));
            (Some(request), failed.unwrap_or(response))
        }
        Ok(Err(error)) => (None, error_response(&error, &id, &state, &log)),
        // The panic hook logged the location; the message may contain secrets.
        Err(_) => (None, error_response(&Problem::internal("a handler panicked").into(), &id, &state, &log)),
    };
    add_default_headers(response.headers_mut(), &id);
    if closes_connection {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    let facts = log.facts();
    if let Some(status) = rate_limit_status(&facts, || state.limits.unauthenticated_status(address)) {
        status.write_headers(response.headers_mut());
    }
    record(&state, method, &facts, response.status().as_u16(), start.elapsed());
    trace::end(trace, method, &facts, response.status().as_u16());
    match request {
        Some(request) => Ok(ServiceResponse::new(request, response)),
        // A panic destroyed the request: an error carries the response to the client.
        None => Err(InternalError::from_response("the request failed", response).into()),
    }
}

/// Checks the host, the clock and the concurrency limits, then calls the handler.
async fn guard(
    state: &State,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if request.method() == Method::HEAD {
        // The library omits the body of a response to HEAD, by the method of the original request.
        request.head_mut().method = Method::GET;
    }
    let is_for_operators = paths::is_for_operators(request.path());
    if let Err(refusal) = hosts::check(request.head(), &state.allowed_hosts, is_for_operators) {
        return Ok(request.error_response(Problem::from(refusal)));
    }
    // Operators need health and metrics most when the process is busy.
    if is_for_operators {
        return next.call(request).await;
    }
    if changes_state(&request)
        && let Err(fault) = state.ports.clock_guard.check()
    {
        return Ok(request.error_response(Problem::App(fault.into())));
    }
    let sender = body_sender(&request);
    let admitted = match sender {
        Some(sender) => state.limits.admit_body(sender, state.proxies.client(request.head())),
        None => state.limits.admit_request(),
    };
    match admitted {
        Ok(permit) if sender == Some(BodySender::Payer) => {
            let request = report_body(request, permit.clone());
            with_permit(permit, next.call(request)).await
        }
        Ok(permit) => with_permit(permit, next.call(request)).await,
        Err(refused_by) => Ok(request.error_response(Problem::from(refused_by))),
    }
}

/// Returns the request with a body that reports completion to the permit.
fn report_body(mut request: ServiceRequest, permit: RequestPermit) -> ServiceRequest {
    let mut body = request.take_payload();
    let body = poll_fn(move |context| {
        let next = Pin::new(&mut body).poll_next(context);
        if let Poll::Ready(None | Some(Err(_))) = next {
            permit.body_arrived();
        }
        next
    });
    let body: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> = Box::pin(body);
    request.set_payload(Payload::from(body));
    request
}

/// Copies the header values. The HTTP library stores them as parts of the read buffer, and pools them after
/// the request: the buffer, and a card in it, would stay in memory until a later request takes them from the pool.
fn detach_headers(request: &mut ServiceRequest) {
    request.headers_mut().retain(|_, value| {
        let copied = HeaderValue::from_bytes(value.as_bytes());
        copied.map(|copy| *value = copy).is_ok()
    });
}

/// Whether the body may contain a card. The HTTP library reads the next request into the same buffer without wiping it:
/// the buffer is freed, and thereby wiped, only with the connection.
fn may_hold_card(request: &ServiceRequest) -> bool {
    !request.method().is_safe() && request.path().split('/').any(|segment| segment.starts_with("card"))
}

/// Whether the request would change data, by the API or the interchange with other taxpayers. The payer's pages have
/// their own check.
fn changes_state(request: &ServiceRequest) -> bool {
    let path = request.path();
    !request.method().is_safe() && (path.starts_with(paths::API) || paths::is_interchange(path))
}

/// Returns the sender of a body outside the API. In the API, callers are authenticated before the body is read.
fn body_sender(request: &ServiceRequest) -> Option<BodySender> {
    let has_length = request.headers().get(CONTENT_LENGTH).is_some_and(|length| length != "0");
    let has_body = has_length || request.headers().contains_key(TRANSFER_ENCODING);
    match has_body && !request.path().starts_with(paths::API) {
        true if paths::is_interchange(request.path()) => Some(BodySender::Taxpayer),
        true => Some(BodySender::Payer),
        false => None,
    }
}

/// Prepares the response for a chunked body of the API that breaks off. The request has no effect before its body is
/// complete.
fn prepare_error_for_chunks(request: &ServiceRequest, id: &RequestId, state: &State) {
    let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
    if is_chunked
        && request.path().starts_with(paths::API)
        && let Some(pending) = request.conn_data::<PendingBody>()
    {
        let incomplete = Refusal::of(InvalidRequest::ParameterInvalid).with_message("The body is incomplete.");
        let mut response = Problem::from(incomplete).response(id, &state.urls);
        add_default_headers(response.headers_mut(), id);
        pending.set_error(response);
    }
}

/// Returns the limits for the headers of the response; `None` outside the API.
fn rate_limit_status(
    facts: &RequestFacts,
    unauthenticated: impl FnOnce() -> RateLimitStatus,
) -> Option<RateLimitStatus> {
    let is_outside = facts.route.as_deref().is_some_and(|route| !route.starts_with(paths::API));
    if facts.rate_limit.is_some() || is_outside {
        return facts.rate_limit;
    }
    let status = unauthenticated();
    Some(facts.refused_by.map_or(status, |refused_by| status.exhausted(refused_by)))
}

fn record(state: &State, method: &'static str, facts: &RequestFacts, status: u16, duration: Duration) {
    // The template of the route, never the path, which may contain a secret link.
    let route = facts.route.as_deref().unwrap_or("none");
    let limit = facts.refused_by.map(|refused_by| refused_by.limit);
    state.metrics.request_completed(&CompletedRequest { method, route, status, duration, limit });
    let caller = facts.caller.as_ref();
    tracing::info!(
        method,
        route,
        status,
        code = facts.code,
        milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        tenant = caller.map(|caller| caller.tenant.as_str()),
        mode = caller.map(|caller| caller.mode),
        credential = caller.map_or("none", |caller| caller.credential),
        "request completed"
    );
}

fn known(method: &Method) -> &'static str {
    let known = KNOWN_METHODS.iter().find(|known| *known == method);
    known.map_or("other", Method::as_str)
}

/// Returns the complete response to an error.
fn error_response(error: &Error, id: &RequestId, state: &State, log: &RequestLog) -> HttpResponse {
    let unknown;
    let problem = match error.as_error::<Problem>() {
        Some(problem) => problem,
        None => {
            unknown = Problem::internal(error.to_string());
            &unknown
        }
    };
    log.update(|facts| {
        facts.code = Some(problem.code());
        facts.refused_by = problem.rate_limited();
    });
    problem.response(id, &state.urls)
}
