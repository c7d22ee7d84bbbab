//! While the authority cannot be reached, documents are kept, and go out in order of age once it is back.
//!
//! The oldest tries for all of them. Once it was heard it calls the next, and so on, so that none overtakes an older one. What
//! is never heard, while a younger one is, is passed over.

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStage, DocumentStatus, IssueStep},
    sale::Sale,
};
use ports::Tenant;

use super::{
    queue::{PROBE, is_quiet, queue_head},
    session::{IssuanceSession, StepError, issuance_lease},
    steps::{Progress, QueuePolicy, steps},
};
use crate::{Error, Ports};

/// So many are sent one after the other by whoever is at it; then others may be at the next.
pub(super) const BATCH: usize = 20;

/// Who goes on with a document that is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    /// Whoever calls it.
    This,
    /// Whoever finds it first.
    Any,
}

/// Which document is to go on with, now that one has come so far.
pub(super) async fn wake_next(
    ports: &Ports,
    tenant: &Tenant,
    progress: Progress,
    hold: Runner,
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
    if !has_tried || queue_head(ports, tenant, oldest).await?.is_some() {
        return Ok(false);
    }
    let Some(other) = ports.work.next_in_queue(tenant, &to, &document.facts.id).await? else { return Ok(false) };
    if call(ports, tenant, &other.document, now, Runner::This).await?.is_none() {
        return Ok(false);
    }
    let Some(progress) = steps(ports, tenant, &other.document, QueuePolicy::Skip).await? else { return Ok(false) };
    let was_heard = |it: &FiscalDocument| it.status() != DocumentStatus::Delayed || it.setup_rejection().is_some();
    if !was_heard(&progress.sale.document) {
        return Ok(false);
    }
    let Some(mut oldest) = IssuanceSession::load(ports, tenant, &document.facts.id).await? else { return Ok(false) };
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
    hold: Runner,
) -> Result<Option<FiscalDocumentId>, Error> {
    match IssuanceSession::load(ports, tenant, id).await? {
        Some(session) => called(ports, session, at, hold).await,
        None => Ok(None),
    }
}

/// Asks the oldest to try once more, if it has not lately: of many that join at one moment only one does.
async fn ask(
    ports: &Ports,
    tenant: &Tenant,
    oldest: &FiscalDocumentId,
    hold: Runner,
) -> Result<Option<FiscalDocumentId>, Error> {
    let Some(session) = IssuanceSession::load(ports, tenant, oldest).await? else { return Ok(None) };
    let now = ports.clock.now();
    if !is_quiet(session.sale.document.state().updated_at, now) {
        return Ok(None);
    }
    called(ports, session, now, hold).await
}

async fn called(
    ports: &Ports,
    mut session: IssuanceSession,
    at: DateTime<Utc>,
    hold: Runner,
) -> Result<Option<FiscalDocumentId>, Error> {
    let now = ports.clock.now();
    // Somebody is at it, or it needs no call any more.
    if session.sale.document.call(at, now).is_err() {
        return Ok(None);
    }
    let is_ours = at <= now && hold == Runner::This;
    let is_called = done(session.save_until(ports, now, is_ours.then(|| issuance_lease(now))).await)?;
    Ok((is_called && is_ours).then(|| session.sale.document.facts.id.clone()))
}

/// Whether it was done by us; not if others were faster.
fn done(saved: Result<(), StepError>) -> Result<bool, Error> {
    match saved {
        Ok(()) => Ok(true),
        Err(StepError::Stale) => Ok(false),
        Err(StepError::Failed(error)) => Err(error),
    }
}
