//! While the authority cannot be reached, documents are kept, and go out in order of age once it is back.
//!
//! The oldest tries for all of them. Once it was heard it calls the next, and so on, so that none overtakes an older one. What
//! is never heard, while a younger one is, is passed over.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStage, DocumentStatus, IssueStep, ProblemCode},
    sale::Sale,
};
use ports::{QueuedDocument, Tenant};

use super::{
    Progress, StepError, Turn,
    hand::{Hand, lease},
    steps,
};
use crate::{Error, Ports};

/// So many are sent one after the other by whoever is at it; then others may be at the next.
pub(super) const TOGETHER: usize = 20;
/// Those that join ask the oldest to try once more, if it has not for so long.
const PROBE: TimeDelta = TimeDelta::seconds(15);
/// Whoever waits looks again after so long, should nobody have called it.
const LOOK: TimeDelta = TimeDelta::minutes(10);

/// Who goes on with a document that is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// Whoever calls it.
    Ours,
    /// Whoever finds it first.
    Anyones,
}

/// The oldest that is kept, if it is older than this one, which has to wait its turn.
pub(super) async fn ahead(ports: &Ports, tenant: &Tenant, sale: &Sale) -> Result<Option<QueuedDocument>, Error> {
    let document = &sale.document;
    let Some(since) = document.turn() else { return Ok(None) };
    let age = |since: DateTime<Utc>, id: &FiscalDocumentId| (since.timestamp_millis(), id.as_str().to_owned());
    let oldest = ports.work.head_of_queue(tenant, &document.addressee()).await?;
    Ok(oldest.filter(|it| age(it.since, &it.document) < age(since, &document.facts.id)))
}

/// Whether the document was not tried lately. A time in the future is ignored: a wrong clock wrote it.
fn is_quiet(updated_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    let age = now.signed_duration_since(updated_at);
    !(TimeDelta::zero()..PROBE).contains(&age)
}

/// Waits behind an older one.
pub(super) async fn wait(ports: &Ports, hand: &mut Hand, older: &QueuedDocument) -> Result<(), StepError> {
    let (now, document) = (ports.clock.now(), &mut hand.sale.document);
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
    hand.save(ports, event, now).await
}

/// Which document is to go on with, now that one has come so far.
pub(super) async fn next(
    ports: &Ports,
    tenant: &Tenant,
    progress: Progress,
    hold: Hold,
) -> Result<Option<FiscalDocumentId>, Error> {
    let Progress { sale, was_kept, last, ahead } = progress;
    let now = ports.clock.now();
    if let Some(older) = ahead {
        let is_quiet = is_quiet(older.updated_at, now);
        // Of those that wait for long, or were tried in its place, each would ask again and again.
        let has_joined = match sale.document.stage() {
            DocumentStage::Delayed(issuance, problem) => {
                issuance.submissions == 0 && now.signed_duration_since(problem.since) < PROBE
            }
            _ => false,
        };
        let asks = is_quiet && has_joined;
        return if asks { ask(ports, tenant, &older.document, hold).await } else { Ok(None) };
    }
    if !was_kept || last.is_none() {
        return Ok(None);
    }
    let is_kept = sale.document.queued_at().is_some();
    if is_kept && !try_another(ports, tenant, &sale).await? {
        return Ok(None);
    }
    let Some(oldest) = ports.work.head_of_queue(tenant, &sale.document.addressee()).await? else { return Ok(None) };
    let at = match sale.document.stage() {
        // It may have arrived, and may not: those that wait take their time.
        DocumentStage::Delayed(doubtful, _)
            if doubtful.stage.awaits_verdict() && !is_kept && last == Some(IssueStep::Submit) =>
        {
            doubtful.next_attempt_at
        }
        _ => now,
    };
    call(ports, tenant, &oldest.document, at, hold).await
}

/// The oldest was not heard. If another one is, it is by itself that it was not: no other waits for it any more.
async fn try_another(ports: &Ports, tenant: &Tenant, oldest: &Sale) -> Result<bool, Error> {
    let document = &oldest.document;
    // The first time tells nothing: others may have failed at the same moment.
    let has_tried = document.stage().issuance().is_some_and(|it| it.waits > 1 || it.submissions > 1);
    let (to, now) = (document.addressee(), ports.clock.now());
    if !has_tried || ahead(ports, tenant, oldest).await?.is_some() {
        return Ok(false);
    }
    let Some(other) = ports.work.next_in_queue(tenant, &to, &document.facts.id).await? else { return Ok(false) };
    if call(ports, tenant, &other.document, now, Hold::Ours).await?.is_none() {
        return Ok(false);
    }
    let Some(progress) = steps(ports, tenant, &other.document, Turn::Jumped).await? else { return Ok(false) };
    let was_heard = |it: &FiscalDocument| it.status() != DocumentStatus::Delayed || it.setup_rejection().is_some();
    if !was_heard(&progress.sale.document) {
        return Ok(false);
    }
    let Some(mut oldest) = Hand::take(ports, tenant, &document.facts.id).await? else { return Ok(false) };
    let now = ports.clock.now();
    if oldest.sale.document.skip(now).is_err() {
        return Ok(true);
    }
    tracing::error!(document = %document.facts.id, "a document is not heard, though younger ones are: none waits for it");
    done(oldest.save_until(ports, now, None).await).map(|_| true)
}

/// It is the turn of that document at `at`. Says which it is, if it is us who go on with it now.
async fn call(
    ports: &Ports,
    tenant: &Tenant,
    id: &FiscalDocumentId,
    at: DateTime<Utc>,
    hold: Hold,
) -> Result<Option<FiscalDocumentId>, Error> {
    match Hand::take(ports, tenant, id).await? {
        Some(hand) => called(ports, hand, at, hold).await,
        None => Ok(None),
    }
}

/// Asks the oldest to try once more, if it has not lately: of many that join at one moment only one does.
async fn ask(
    ports: &Ports,
    tenant: &Tenant,
    oldest: &FiscalDocumentId,
    hold: Hold,
) -> Result<Option<FiscalDocumentId>, Error> {
    let Some(hand) = Hand::take(ports, tenant, oldest).await? else { return Ok(None) };
    let now = ports.clock.now();
    if !is_quiet(hand.sale.document.state().updated_at, now) {
        return Ok(None);
    }
    called(ports, hand, now, hold).await
}

async fn called(
    ports: &Ports,
    mut hand: Hand,
    at: DateTime<Utc>,
    hold: Hold,
) -> Result<Option<FiscalDocumentId>, Error> {
    let now = ports.clock.now();
    // Somebody is at it, or it needs no call any more.
    if hand.sale.document.call(at, now).is_err() {
        return Ok(None);
    }
    let is_ours = at <= now && hold == Hold::Ours;
    let is_called = done(hand.save_until(ports, now, is_ours.then(|| lease(now))).await)?;
    Ok((is_called && is_ours).then(|| hand.sale.document.facts.id.clone()))
}

/// Whether it was done by us; not if others were faster.
fn done(saved: Result<(), StepError>) -> Result<bool, Error> {
    match saved {
        Ok(()) => Ok(true),
        Err(StepError::Stale) => Ok(false),
        Err(StepError::Failed(error)) => Err(error),
    }
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
