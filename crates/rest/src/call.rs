//! What a handler may ask of an exchange, in the published order of evaluation.

use std::{
    convert::Infallible,
    future::{Ready, ready},
};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, http::header::HeaderMap, web::Data};
use app::{Browser, Caller, authenticate};
use domain::{InvalidRequest, Refusal, RequestId};

use crate::{
    State,
    arrival::Arrival,
    authorization, body, browser,
    limits::Turn,
    problem::Problem,
    trail::{Trail, Who},
};

/// A request that has found its handler.
pub(crate) struct Call {
    request: HttpRequest,
    state: Data<State>,
    id: RequestId,
    trail: Trail,
}

impl Call {
    /// Who is asking.
    pub(crate) async fn caller(&self) -> Result<Caller, Problem> {
        let State { ports, limits, proxies, uses, .. } = self.state.as_ref();
        let address = proxies.client(self.request.head());
        limits.admit(address, &self.operation())?;
        let authenticated = match authorization::credential(self.headers()) {
            Ok(credential) => authenticate(ports, credential).await,
            Err(code) => Err(code.into()),
        };
        let caller = authenticated.inspect_err(|error| limits.note(address, error))?;
        uses.note(ports, &caller);
        let (standing, admitted) = limits.charge(&caller, &self.operation());
        self.trail.note(|it| (it.who, it.standing) = (Some(Who::of(&caller)), Some(standing)));
        admitted?;
        Ok(caller)
    }

    /// A part of the path, as sent: whether it names anything is for the use case to say.
    pub(crate) fn segment(&self, name: &str) -> &str {
        self.request.match_info().get(name).unwrap_or_default()
    }

    /// A reading has its path and nothing else.
    pub(crate) fn is_only_path(&self) -> Result<(), Problem> {
        self.has_no_query()?;
        Ok(self.has_no_body()?)
    }

    pub(crate) fn has_no_body(&self) -> Result<(), Refusal> {
        if body::is_sent(self.headers()) {
            let rule = format!("A {} has no body.", self.request.method());
            return Err(Refusal::of(InvalidRequest::ParameterInvalid).saying(&rule));
        }
        Ok(())
    }

    /// The caller's turn to read a list.
    pub(crate) async fn turn(&self, caller: &Caller) -> Result<Turn, Problem> {
        Ok(self.state.limits.list(&caller.tenant()).await?)
    }

    /// What the query of a list asks for.
    pub(crate) fn query<T>(&self, parse: impl FnOnce(&str) -> Result<T, Refusal>) -> Result<T, Problem> {
        let query = parse(self.request.query_string())?;
        self.has_no_body()?;
        Ok(query)
    }

    /// Most operations take no query.
    pub(crate) fn has_no_query(&self) -> Result<(), Refusal> {
        let Some(first) = self.request.query_string().split('&').find(|it| !it.is_empty()) else { return Ok(()) };
        let name = first.split('=').next().unwrap_or_default();
        let refusal = Refusal::of(InvalidRequest::ParameterInvalid).saying("There is no such query parameter.");
        Err(Refusal { param: is_plain(name).then(|| name.to_owned()), ..refusal })
    }

    /// The method and the template of the path, as in `POST /v1/payments`.
    pub(crate) fn operation(&self) -> String {
        format!("{} {}", self.request.method(), self.request.match_pattern().unwrap_or_default())
    }

    /// The parts of the path that the template leaves open.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        self.request.match_info().iter().map(|(_, value)| value)
    }

    /// The browser that it comes from.
    pub(crate) fn browser(&self) -> Browser {
        browser::browser(self.request.head(), &self.state.proxies)
    }

    /// Whether it comes from this machine or from a private network.
    pub(crate) fn is_from_near(&self) -> bool {
        self.state.proxies.is_from_near(self.request.head())
    }

    /// The body is there: from now on the request may have an effect.
    pub(crate) fn has_arrived(&self) {
        if let Some(arrival) = self.request.conn_data::<Arrival>() {
            arrival.end();
        }
    }

    /// All headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    /// What every exchange needs.
    pub(crate) fn state(&self) -> Data<State> {
        self.state.clone()
    }

    /// The name of this exchange.
    pub(crate) const fn id(&self) -> &RequestId {
        &self.id
    }
}

/// A name that may be repeated to whoever sent it: it cannot hold a number or a sentence.
fn is_plain(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

impl FromRequest for Call {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let state = request.app_data::<Data<State>>().expect("the application is built with its state").clone();
        let (id, trail) = (request.extensions().get().cloned(), request.extensions().get().cloned());
        let id = id.expect("every exchange is named before it is routed");
        let trail: Trail = trail.expect("every exchange leaves a trail");
        trail.note(|it| it.route = request.match_pattern());
        ready(Ok(Self { request: request.clone(), state, id, trail }))
    }
}
