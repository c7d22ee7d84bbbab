//! What every form of a page has in common: how it is taken, carried out, and led back from.

use std::{error, pin::pin, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    rt::{self, time::sleep},
    web::Payload,
};
use app::{Answer, Caller, Error, Held, Keyed, Ports, Rendered, end_lease, renew_lease};
use chrono::{DateTime, Utc};
use domain::sale::Sale;
use futures_util::future::{Either, select};

use crate::{
    form::Fields,
    note::Note,
    place::Checkout,
    respond::{out_of_order, say},
    session::{self, Sent, Visit, go_to},
};

/// How often a command that is still running says so, lest others take it for dead.
const LEASE_RENEWAL: Duration = Duration::from_secs(20);

/// Who sends a form, and what is in it; the page that says so, if it is none of ours.
pub(crate) async fn received(
    checkout: &Checkout,
    payment: &str,
    request: &HttpRequest,
    body: Payload,
) -> Result<(Visit, Fields), HttpResponse> {
    let visit = Visit::of(checkout, payment, request).await?;
    let fields = Fields::read(body).await;
    match fields.map(|it| (visit.sent(&checkout.place, request, &it), it)) {
        Some((Sent::Here, fields)) => Ok((visit.seated(&fields.get("part")), fields)),
        // Another tab has paid meanwhile, and this one's form is of the session before.
        Some((Sent::Before, fields)) => Err(back(checkout, visit.seated(&fields.get("part")), Some(Note::OldForm))),
        Some((Sent::Elsewhere, _)) | None => {
            Err(say(checkout, visit.texts, StatusCode::FORBIDDEN, visit.texts.not_from_here))
        }
    }
}

/// Carries out a command of this page, which a browser may send twice: under one `key` it is the same, if it is the `same`.
/// It comes to its end whoever hangs up: between two commits it would leave what nobody knows the outcome of.
pub(crate) async fn run<C>(
    checkout: &Checkout,
    visit: &Visit,
    request: &HttpRequest,
    (key, same): (String, &str),
    command: impl FnOnce(Ports, Caller, Keyed) -> C,
) -> Result<(), Error>
where
    C: Future<Output = Result<Answer, Error>> + 'static,
{
    let (ports, held) = (checkout.ports.clone(), Held::default());
    let sameness = format!("page {} {same}", visit.sale.payment.facts.id).into_bytes();
    let keyed = Keyed { request: session::id(request)?, key: format!("page-{key}"), sameness, held: held.clone() };
    let command = command(ports.clone(), visit.caller.clone(), keyed);
    to_its_end(ports, held, command).await.map(drop)
}

/// The page reads how things stand, and keeps no answer.
pub(crate) fn nothing(_: &Sale, _: DateTime<Utc>) -> Rendered {
    Rendered { status: 200, etag: None, body: Vec::new() }
}

/// Runs a command, and keeps its hold on its key for as long as it runs.
async fn to_its_end(
    ports: Ports,
    held: Held,
    command: impl Future<Output = Result<Answer, Error>> + 'static,
) -> Result<Answer, Error> {
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

/// To the page, by a reading: whoever reloads it sends nothing again.
pub(crate) fn back(checkout: &Checkout, visit: Visit, note: Option<Note>) -> HttpResponse {
    let answer = go_to(&checkout.place, &visit.address(note.map(|it| ("note", it.code()))));
    visit.dressed(answer)
}

/// Back to the page, which shows what was done and says `done` of it, or says why it was not.
pub(crate) fn told(checkout: &Checkout, visit: Visit, outcome: Result<(), Error>, done: Option<Note>) -> HttpResponse {
    match outcome {
        Ok(()) => back(checkout, visit, done),
        Err(error) => match Note::of(&error) {
            Ok(note) => back(checkout, visit, note),
            Err(()) => out_of_order(checkout, visit.texts, &error),
        },
    }
}
