use chrono::{DateTime, TimeDelta, Utc};
use domain::{FiscalDocumentId, fiscal::ProblemCode, sale::Sale};
use ports::{QueuedDocument, Tenant};

use super::session::{IssuanceSession, StepError};
use crate::{Error, Ports};

/// Those that join ask the oldest to try once more, if it has not for so long.
pub(super) const PROBE: TimeDelta = TimeDelta::seconds(15);
/// Whoever waits looks again after so long, should nobody have called it.
const LOOK: TimeDelta = TimeDelta::minutes(10);

/// The oldest that is kept, if it is older than this one, which has to wait its turn.
pub(super) async fn queue_head(ports: &Ports, tenant: &Tenant, sale: &Sale) -> Result<Option<QueuedDocument>, Error> {
    let document = &sale.document;
    let Some(since) = document.turn() else { return Ok(None) };
    let age = |since: DateTime<Utc>, id: &FiscalDocumentId| (since.timestamp_millis(), id.as_str().to_owned());
    let oldest = ports.work.head_of_queue(tenant, &document.addressee()).await?;
    Ok(oldest.filter(|it| age(it.since, &it.document) < age(since, &document.facts.id)))
}

/// Whether the document was not tried lately. A time in the future is ignored: a wrong clock wrote it.
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
    // Its own answer is not lost: it was never sent.
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

    /// A worker whose clock was four hours ahead wrote such a time, and every later document of the issuer waited for
    /// it.
    #[test]
    fn a_time_in_the_future_keeps_no_document_waiting() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let check = |age: TimeDelta, expected| assert_eq!(is_quiet(now - age, now), expected, "{age}");

        check(TimeDelta::zero(), false);
        check(TimeDelta::seconds(14), false);
        check(TimeDelta::seconds(15), true);
        check(-TimeDelta::hours(4), true);
    }
}
