//! What every form of a page has in common: how it is taken, carried out, and led back from.

use std::{error, pin::pin, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    rt::{self, time::sleep},
    web::Payload,
};
use app::{Answer, Error, Held, Keyed, Ports, Rendered, end_lease, renew_lease};
use chrono::{DateTime, Utc};
use domain::{RequestId, sale::Sale};
use futures_util::future::{Either, select};

use crate::{
    form::Fields,
    note::Note,
    place::Checkout,
    respond::say,
    session::{Visit, go_to},
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
    let fields = Fields::read(body).await.filter(|it| visit.sent(&checkout.place, request, it));
    match fields {
        Some(fields) => Ok((visit, fields)),
        None => Err(say(checkout, visit.texts, StatusCode::FORBIDDEN, visit.texts.not_from_here)),
    }
}

/// One command of this page, which a browser may send twice.
pub(crate) fn keyed(request: RequestId, key: String, sameness: &str) -> Keyed {
    Keyed { request, key, sameness: sameness.as_bytes().to_vec(), held: Held::default() }
}

/// The page reads how things stand, and keeps no answer.
pub(crate) fn nothing(_: &Sale, _: DateTime<Utc>) -> Rendered {
    Rendered { status: 200, etag: None, body: Vec::new() }
}

/// Runs a command whoever hangs up, and keeps its hold on its key for as long as it runs.
pub(crate) async fn to_its_end(
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
    let note = note.map_or_else(String::new, |it| format!("?note={}", it.code()));
    let answer = go_to(&checkout.place, &format!("{}{note}", visit.path()));
    visit.dressed(answer)
}
