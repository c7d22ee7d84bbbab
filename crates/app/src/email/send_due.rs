use std::panic::AssertUnwindSafe;

use chrono::TimeDelta;
use futures_util::{FutureExt, future::join_all};
use ports::DueMail;

use super::{document::deliver, endpoint_disabled::send_endpoint_disabled, sender::LEASE};
use crate::{EmailSender, Error, Ports, time::later};

/// When a mail is looked at again that could not be made.
const PAUSE: TimeDelta = TimeDelta::minutes(1);
/// Interval before the retry of an e-mail with a document that has no printed representation.
const LONG_PAUSE: TimeDelta = TimeDelta::hours(1);

/// Claims at most `limit` due e-mails of each kind and makes one attempt of each, concurrently. Returns their number.
pub async fn send_due_emails(ports: &Ports, emails: &EmailSender, limit: u16) -> Result<usize, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    let claimed = ports.deliveries.claim(now, later(now, LEASE), limit).await?;
    let steps = join_all(claimed.iter().map(|it| step(ports, emails, it))).await;
    steps.into_iter().collect::<Result<(), Error>>()?;
    Ok(claimed.len())
}

async fn step(ports: &Ports, emails: &EmailSender, it: &DueMail) -> Result<(), Error> {
    let about = match it {
        DueMail::Document(it) => it.document.as_str(),
        DueMail::EndpointDisabled(it) => it.event.as_str(),
    };
    let pause = match AssertUnwindSafe(try_once(ports, emails, it)).catch_unwind().await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => {
            tracing::error!(about, error = &error as &dyn std::error::Error, "an e-mail could not be sent");
            // The only refusal here: the document has no printed representation.
            if matches!(error, Error::Refusal(_)) { LONG_PAUSE } else { PAUSE }
        }
        // The e-mail stays leased for a while. The others continue.
        Err(_) => {
            tracing::error!(about, "sending an e-mail panicked");
            return Ok(());
        }
    };
    ports.deliveries.postpone(it, later(ports.clock.now(), pause)).await.map_err(Error::from)
}

async fn try_once(ports: &Ports, emails: &EmailSender, it: &DueMail) -> Result<(), Error> {
    match it {
        DueMail::Document(it) => deliver(ports, emails, it).await,
        DueMail::EndpointDisabled(it) => send_endpoint_disabled(ports, emails, it).await,
    }
}
