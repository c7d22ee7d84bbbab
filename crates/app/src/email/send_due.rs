use std::panic::AssertUnwindSafe;

use chrono::TimeDelta;
use futures_util::{FutureExt, future::join_all};
use ports::DueMail;

use super::{document::deliver, endpoint_disabled::tell_switch_off, sender::LEASE};
use crate::{EmailSender, Error, Ports, time::later};

/// When a mail is looked at again that could not be made.
const PAUSE: TimeDelta = TimeDelta::minutes(1);
/// The same for one whose document nobody could draw.
const LONG_PAUSE: TimeDelta = TimeDelta::hours(1);

/// Claims at most `limit` mails of each kind that are due and makes one try of each, side by side. Says how many there were.
pub async fn send_due_emails(ports: &Ports, post: &EmailSender, limit: u16) -> Result<usize, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let claimed = ports.deliveries.claim(now, later(now, LEASE), limit).await?;
    let steps = join_all(claimed.iter().map(|it| step(ports, post, it))).await;
    steps.into_iter().collect::<Result<(), Error>>()?;
    Ok(claimed.len())
}

async fn step(ports: &Ports, post: &EmailSender, it: &DueMail) -> Result<(), Error> {
    let about = match it {
        DueMail::Document(it) => it.document.as_str(),
        DueMail::EndpointDisabled(it) => it.event.as_str(),
    };
    let pause = match AssertUnwindSafe(try_once(ports, post, it)).catch_unwind().await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => {
            tracing::error!(about, error = &error as &dyn std::error::Error, "a mail could not be sent");
            // The only thing that is refused here is a document that nobody could draw.
            if matches!(error, Error::Refusal(_)) { LONG_PAUSE } else { PAUSE }
        }
        // It stays leased for a while, and the rest goes on without it.
        Err(_) => {
            tracing::error!(about, "sending a mail broke down");
            return Ok(());
        }
    };
    ports.deliveries.postpone(it, later(ports.clock.now(), pause)).await.map_err(Error::from)
}

async fn try_once(ports: &Ports, post: &EmailSender, it: &DueMail) -> Result<(), Error> {
    match it {
        DueMail::Document(it) => deliver(ports, post, it).await,
        DueMail::EndpointDisabled(it) => tell_switch_off(ports, post, it).await,
    }
}
