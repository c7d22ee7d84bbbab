use chrono::{DateTime, TimeDelta, Utc};
use domain::{FiscalDocumentId, fiscal::ProblemCode, sale::Sale};
use ports::{QueuedDocument, Tenant};

use super::session::{IssuanceSession, StepError};
use crate::{Error, Ports};

/// Minimum age of the last attempt of the queue head before a new document triggers another.
pub(super) const PROBE: TimeDelta = TimeDelta::seconds(15);
/// Interval after which a queued document looks again, in case no worker wakes the document.
const LOOK: TimeDelta = TimeDelta::minutes(10);

/// Returns the head of the queue, if older than this document, which then has to wait.
pub(super) async fn queue_head(ports: &Ports, tenant: &Tenant, sale: &Sale) -> Result<Option<QueuedDocument>, Error> {
    let document = &sale.document;
    let Some(since) = document.turn() else { return Ok(None) };
    let age = |since: DateTime<Utc>, id: &FiscalDocumentId| (since.timestamp_millis(), id.as_str().to_owned());
    let oldest = ports.work.head_of_queue(tenant, &document.addressee()).await?;
    Ok(oldest.filter(|it| age(it.since, &it.document) < age(since, &document.facts.id)))
}

/// Whether the document had no recent attempt. A time in the future is ignored: its clock was wrong.
pub(super) fn is_quiet(updated_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    let age = now.signed_duration_since(updated_at);
    !(TimeDelta::zero()..PROBE).contains(&age)
}

/// Waits behind an older one.
pub(super) async fn enqueue_behind(
    ports: &Ports,
    session: &mut IssuanceSession,
    older: &QueuedDocument,
) -> Result<(), StepError> {
    let (now, document) = (ports.clock.now(), &mut session.sale.document);
    // The head's own unresolved result does not apply: this document was not submitted.
    let problem = match older.problem {
        Some(ProblemCode::AuthorityResultUnknown) | None => ProblemCode::AuthorityUnavailable,
        Some(other) => other,
    };
    let is_new = document.queued_at().is_none();
    let pause = if is_new && !is_quiet(older.updated_at, now) { PROBE } else { LOOK };
    let since = if pause == PROBE { older.updated_at } else { now };
    let until = since.checked_add_signed(pause).unwrap_or(now);
    let event = document.wait_for_turn(problem, until, now)?;
    session.save(ports, event, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker with a clock four hours ahead wrote such a time, and blocked every later document of the issuer.
    #[test]
    fn a_time_in_the_future_does_not_delay_documents() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let check = |age: TimeDelta, expected| assert_eq!(is_quiet(now - age, now), expected, "{age}");

        check(TimeDelta::zero(), false);
        check(TimeDelta::seconds(14), false);
        check(TimeDelta::seconds(15), true);
        check(-TimeDelta::hours(4), true);
    }
}
