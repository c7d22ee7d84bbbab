//! Around every exchange: its name, its guard, its headers and its line in the log.

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
        header::{
            CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue,
            TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS,
        },
    },
    middleware::Next,
    web::{Bytes, Data},
};
use domain::{InvalidRequest, Refusal, RequestId};
use futures_util::{FutureExt, Stream, stream::poll_fn};
use tracing::{Instrument, Span};

use crate::{
    State,
    arrival::Arrival,
    detached::holding,
    hosts,
    limits::{Place, Standing, Visiting},
    metrics::Ended,
    problem::Problem,
    routes, trace,
    trail::{Found, Trail},
};

/// Names the exchange, in the answer and in the body of an error.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// Where the interface is. All else is beside it.
pub(crate) const INTERFACE: &str = "/v1/";
/// Where the doors begin that other taxpayers come to, each of one environment.
const DOORS: [&str; 3] = ["/testecf/", "/certecf/", "/ecf/"];

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
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    if !request.method().is_safe() {
        detach_headers(&mut request);
    }
    let id = RequestId::new(&state.ports.ids.generate());
    let trace = trace::begin(&id, known(request.method()));
    // Only this one is entered: whoever collects the other takes its last exit for its end.
    let span = tracing::info_span!("exchange", request = %id);
    serve(state, id, request, next, &trace).instrument(span).await
}

async fn serve(
    state: Data<State>,
    id: RequestId,
    request: ServiceRequest,
    next: Next<BoxBody>,
    trace: &Span,
) -> Result<ServiceResponse, Error> {
    let (began, method, trail) = (Instant::now(), known(request.method()), Trail::default());
    let address = state.proxies.client(request.head());
    let _in_flight = state.metrics.begins();
    let is_to_be_closed = may_hold_card(&request);
    await_body(&request, &id, &state);
    request.extensions_mut().insert(id.clone());
    request.extensions_mut().insert(trail.clone());
    let served = AssertUnwindSafe(guarded(&state, request, next)).catch_unwind().await;

    let (request, mut answer) = match served {
        Ok(Ok(response)) => {
            let (request, answer) = response.into_parts();
            trail.note(|it| it.route = it.route.take().or_else(|| request.match_pattern()));
            let told = answer.error().map(|error| tell(error, &id, &state, &trail));
            (Some(request), told.unwrap_or(answer))
        }
        Ok(Err(error)) => (None, tell(&error, &id, &state, &trail)),
        // The panic was logged where it happened, and may say what nobody should hear.
        Err(_) => (None, tell(&Problem::broken("a handler panicked").into(), &id, &state, &trail)),
    };
    dress(answer.headers_mut(), &id);
    if is_to_be_closed {
        answer.head_mut().set_connection_type(ConnectionType::Close);
    }
    let found = trail.found();
    if let Some(standing) = standing(&found, || state.limits.standing(address)) {
        standing.tell(answer.headers_mut());
    }
    record(&state, method, &found, answer.status().as_u16(), began.elapsed());
    trace::end(trace, method, &found, answer.status().as_u16());
    match request {
        Some(request) => Ok(ServiceResponse::new(request, answer)),
        // The request is lost. An error carries the answer to the client all the same.
        None => Err(InternalError::from_response("the exchange broke down", answer).into()),
    }
}

/// Lets a request in that is meant for this server, while there is room.
async fn guarded(
    state: &State,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if request.method() == Method::HEAD {
        // The library omits the body of a response to HEAD, by the method of the original request.
        request.head_mut().method = Method::GET;
    }
    let is_for_operators = routes::is_for_operators(request.path());
    if let Err(refusal) = hosts::check(request.head(), &state.allowed_hosts, is_for_operators) {
        return Ok(request.error_response(Problem::from(refusal)));
    }
    // Whoever looks after the process must hear from it when it is busiest.
    if is_for_operators {
        return next.call(request).await;
    }
    if changes_state(&request)
        && let Err(fault) = state.ports.clock_guard.check()
    {
        return Ok(request.error_response(Problem::App(fault.into())));
    }
    let visiting = visiting(&request);
    let entered = match visiting {
        Some(who) => state.limits.enter_as(who, state.proxies.client(request.head())),
        None => state.limits.enter(),
    };
    match entered {
        Ok(place) if visiting == Some(Visiting::Payer) => {
            let request = arriving(request, place.clone());
            holding(place, next.call(request)).await
        }
        Ok(place) => holding(place, next.call(request)).await,
        Err(late) => Ok(request.error_response(Problem::from(late))),
    }
}

/// Returns the request with a body that reports its arrival to the limits.
fn arriving(mut request: ServiceRequest, place: Place) -> ServiceRequest {
    let mut body = request.take_payload();
    let body = poll_fn(move |context| {
        let next = Pin::new(&mut body).poll_next(context);
        if let Poll::Ready(None | Some(Err(_))) = next {
            place.arrived();
        }
        next
    });
    let body: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> = Box::pin(body);
    request.set_payload(Payload::from(body));
    request
}

/// Copies the header values. The HTTP library stores them as parts of the buffer that it reads into, and pools them after
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
    !request.method().is_safe() && request.path().split('/').any(|it| it.starts_with("card"))
}

/// Whether the request would change data, by the API or the taxpayers' interchange. The payer's pages have their own
/// check.
fn changes_state(request: &ServiceRequest) -> bool {
    let is_at = |place: &str| request.path().starts_with(place);
    !request.method().is_safe() && (is_at(INTERFACE) || DOORS.iter().any(|it| is_at(it)))
}

/// Who brings something along without being of the interface. There, nobody is waited for who is not known.
fn visiting(request: &ServiceRequest) -> Option<Visiting> {
    let has_length = request.headers().get(CONTENT_LENGTH).is_some_and(|it| it != "0");
    let has_body = has_length || request.headers().contains_key(TRANSFER_ENCODING);
    let is_at = |place: &&str| request.path().starts_with(place);
    match has_body && !is_at(&INTERFACE) {
        true if DOORS.iter().any(is_at) => Some(Visiting::Taxpayer),
        true => Some(Visiting::Payer),
        false => None,
    }
}

/// Of a body in chunks nobody knows yet whether it is one. The interface's own readers say when it is there; nothing comes
/// of a request before.
fn await_body(request: &ServiceRequest, id: &RequestId, state: &State) {
    let is_in_chunks = request.headers().contains_key(TRANSFER_ENCODING);
    if is_in_chunks
        && request.path().starts_with(INTERFACE)
        && let Some(arrival) = request.conn_data::<Arrival>()
    {
        let broken = Refusal::of(InvalidRequest::ParameterInvalid).saying("The body does not arrive whole.");
        let mut answer = Problem::from(broken).answer(id, &state.urls);
        dress(answer.headers_mut(), id);
        arrival.begin(answer);
    }
}

/// What the answer says of limits: nothing beside the interface.
fn standing(found: &Found, of_a_stranger: impl FnOnce() -> Standing) -> Option<Standing> {
    let is_beside = found.route.as_deref().is_some_and(|it| !it.starts_with(INTERFACE));
    if found.standing.is_some() || is_beside {
        return found.standing;
    }
    let standing = of_a_stranger();
    Some(found.late.map_or(standing, |it| standing.after(it)))
}

fn record(state: &State, method: &'static str, found: &Found, status: u16, took: Duration) {
    // The template of the route, never the path: what is in it may open something.
    let route = found.route.as_deref().unwrap_or("none");
    state.metrics.ends(&Ended { method, route, status, took, limit: found.late.map(|it| it.limit) });
    let who = found.who.as_ref();
    tracing::info!(
        method,
        route,
        status,
        code = found.code,
        milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        tenant = who.map(|it| it.tenant.as_str()),
        mode = who.map(|it| it.mode),
        credential = who.map_or("none", |it| it.credential),
        "answered"
    );
}

fn known(method: &Method) -> &'static str {
    let known = KNOWN_METHODS.iter().find(|it| *it == method);
    known.map_or("other", Method::as_str)
}

/// The whole answer to an error that was left bare on the way.
fn tell(error: &Error, id: &RequestId, state: &State, trail: &Trail) -> HttpResponse {
    let unknown;
    let problem = match error.as_error::<Problem>() {
        Some(problem) => problem,
        None => {
            unknown = Problem::broken(error.to_string());
            &unknown
        }
    };
    trail.note(|it| {
        it.code = Some(problem.code());
        it.late = problem.late();
    });
    problem.answer(id, &state.urls)
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
