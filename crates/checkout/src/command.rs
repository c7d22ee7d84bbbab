//! What every form of a page has in common: how it is taken, carried out, and led back from.

use std::{error, pin::pin, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse, Route,
    guard::{Any, Get, Head},
    http::StatusCode,
    rt::{self, time::sleep},
    web::{self, Data, Payload},
};
use app::{
    Caller, Error, IdempotentRequest, KeyLeaseHandle, Ports, Rendered, Response, end_lease, note_action, renew_lease,
};
use chrono::{DateTime, Utc};
use domain::{fiscal::DocumentKind, sale::Sale};
use futures_util::future::{Either, select};

use crate::{
    form::Fields,
    note::Note,
    place::Checkout,
    respond::{out_of_order, say},
    session::{self, Sent, Visit, go_to, noted},
};

/// How often a command that is still running says so, lest others take it for dead.
const LEASE_RENEWAL: Duration = Duration::from_secs(20);

/// Somebody at a page of a payment.
pub(crate) struct At {
    pub(crate) checkout: Data<Checkout>,
    pub(crate) request: HttpRequest,
    pub(crate) visit: Visit,
}

/// A route of GET and HEAD. HEAD gets the response of GET without the body.
pub(crate) fn reading() -> Route {
    Route::new().guard(Any(Get()).or(Head()))
}

/// Takes whoever comes to a page of the payment that its address names.
pub(crate) fn seen<H, A>(handler: H) -> Route
where
    H: Fn(At) -> A + Clone + 'static,
    A: Future<Output = HttpResponse> + 'static,
{
    reading().to(move |checkout: Data<Checkout>, request: HttpRequest| {
        let handler = handler.clone();
        async move {
            match At::of(checkout, request).await {
                Ok(at) => handler(at).await,
                Err(answer) => answer,
            }
        }
    })
}

/// Takes what is sent by a form of such a page, with what is in it.
pub(crate) fn sent<H, A>(handler: H) -> Route
where
    H: Fn(At, Fields) -> A + Clone + 'static,
    A: Future<Output = HttpResponse> + 'static,
{
    web::post().to(move |checkout: Data<Checkout>, request: HttpRequest, body: Payload| {
        let handler = handler.clone();
        async move {
            match received(checkout, request, body).await {
                Ok((at, fields)) => handler(at, fields).await,
                Err(answer) => answer,
            }
        }
    })
}

/// Who sends a form, and what is in it; the page that says so, if it is none of ours.
async fn received(checkout: Data<Checkout>, request: HttpRequest, body: Payload) -> Result<(At, Fields), HttpResponse> {
    let mut at = At::of(checkout, request).await?;
    let (checkout, texts) = (&at.checkout, at.visit.texts);
    if let Err(fault) = checkout.ports.clock_guard.check() {
        return Err(out_of_order(checkout, texts, &fault.into()));
    }
    let not_ours = || say(checkout, texts, StatusCode::FORBIDDEN, texts.not_from_here);
    let fields = Fields::read(body).await.ok_or_else(not_ours)?;
    let from = at.visit.sent(&checkout.base_url, &at.request, &fields);
    if from == Sent::Elsewhere {
        return Err(not_ours());
    }
    at.visit = at.visit.seated(&fields.get("part"));
    match from {
        Sent::Here => {
            noted("acted", note_action(&at.checkout.ports, &at.visit.caller).await);
            Ok((at, fields))
        }
        // Another tab has paid meanwhile, and this one's form is of the session before.
        _ => Err(at.back(Some(Note::OldForm))),
    }
}

impl At {
    pub(crate) async fn of(checkout: Data<Checkout>, request: HttpRequest) -> Result<Self, HttpResponse> {
        let payment = request.match_info().get("payment").unwrap_or_default();
        let visit = Visit::of(&checkout, payment, &request).await?;
        Ok(Self { checkout, request, visit })
    }

    /// What the address says in that place.
    pub(crate) fn place(&self, name: &str) -> &str {
        self.request.match_info().get(name).unwrap_or_default()
    }

    /// Carries out a command of this page, which a browser may send twice: under one `key` it is the same, if it is the
    /// `same`. It comes to its end whoever hangs up: between two commits it would leave what nobody knows the outcome of.
    pub(crate) async fn run<C>(
        &self,
        (key, same): (String, &str),
        command: impl FnOnce(Ports, Caller, IdempotentRequest) -> C,
    ) -> Result<(), Error>
    where
        C: Future<Output = Result<Response, Error>> + 'static,
    {
        let (ports, held) = (self.checkout.ports.clone(), KeyLeaseHandle::default());
        let fingerprint_input = format!("page {} {same}", self.visit.sale.payment.facts.id).into_bytes();
        let request = session::id(&self.request)?;
        let keyed = IdempotentRequest {
            id: request,
            key: format!("page-{key}"),
            fingerprint_input,
            if_match: None,
            lease: held.clone(),
        };
        let command = command(ports.clone(), self.visit.caller.clone(), keyed);
        to_its_end(ports, held, command).await.map(drop)
    }

    /// To the page, by a reading: whoever reloads it sends nothing again.
    pub(crate) fn back(self, note: Option<Note>) -> HttpResponse {
        let answer = go_to(&self.checkout.base_url, &self.visit.address(note.map(|it| ("note", it.code()))));
        self.visit.dressed(answer)
    }

    /// The same, where what was chosen was not taken: the page keeps the kind of document that the payer wants.
    pub(crate) fn back_wanting(self, note: Note, kind: DocumentKind) -> HttpResponse {
        let all = format!("{}&kind={}", note.code(), kind.as_str());
        let answer = go_to(&self.checkout.base_url, &self.visit.address(Some(("note", &all))));
        self.visit.dressed(answer)
    }

    /// Back to the page, which shows what was done and says `done` of it, or says why it was not.
    pub(crate) fn told(self, outcome: Result<(), Error>, done: Option<Note>) -> HttpResponse {
        match outcome {
            Ok(()) => self.back(done),
            Err(error) => match Note::of(&error) {
                Ok(note) => self.back(note),
                Err(()) => out_of_order(&self.checkout, self.visit.texts, &error),
            },
        }
    }
}

/// The page reads how things stand, and keeps no answer.
pub(crate) fn nothing(_: &Sale, _: DateTime<Utc>) -> Rendered {
    Rendered { status: 200, etag: None, body: Vec::new() }
}

/// Runs a command, and keeps its hold on its key for as long as it runs.
async fn to_its_end(
    ports: Ports,
    held: KeyLeaseHandle,
    command: impl Future<Output = Result<Response, Error>> + 'static,
) -> Result<Response, Error> {
    let running = rt::spawn(async move {
        let mut command = pin!(command);
        let done = loop {
            match select(command.as_mut(), pin!(sleep(LEASE_RENEWAL))).await {
                Either::Left((done, _)) => break done,
                Either::Right(_) => {}
            }
            // If that fails the command goes on all the same: others may then look up what became of it.
            if let Err(error) = renew_lease(&ports, &held).await {
                tracing::warn!(error = &error as &dyn error::Error, "a lease could not be renewed");
            }
        };
        if done.is_err()
            && let Err(error) = end_lease(&ports, &held).await
        {
            tracing::warn!(error = &error as &dyn error::Error, "a lease could not be ended");
        }
        done
    });
    running.await.unwrap_or_else(|_| Err(Error::internal("the server is stopping")))
}
