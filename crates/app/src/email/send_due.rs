use chrono::TimeDelta;
use futures_util::future::join_all;
use ports::DueMail;

use super::{document::deliver, endpoint_disabled::send_endpoint_disabled, sender::LEASE};
use crate::{EmailSender, Error, Ports, due_work::run_step, time::later};

/// Pause before the retry of an e-mail that could not be composed.
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
    let pause = match run_step(it, try_once(ports, emails, it)).await {
        // The only refusal here: the document has no printed representation.
        Some(Error::Refusal(_)) => LONG_PAUSE,
        Some(_) => PAUSE,
        None => return Ok(()),
    };
    Ok(ports.deliveries.postpone(it, later(ports.clock.now(), pause)).await?)
}

async fn try_once(ports: &Ports, emails: &EmailSender, it: &DueMail) -> Result<(), Error> {
    match it {
        DueMail::Document(it) => deliver(ports, emails, it).await,
        DueMail::EndpointDisabled(it) => send_endpoint_disabled(ports, emails, it).await,
    }
}
