//! The queue while the authority is unreachable: documents are submitted in order of age.
//!
//! The head of the queue retries for the others. After that submission the worker wakes the next document, and so on,
//! so that no document overtakes an older one. A head is skipped if its submission fails while a younger document
//! gets a response.

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStage, DocumentStatus, IssueStep},
    sale::Sale,
};
use ports::Tenant;

use super::{
    queue::{PROBE, is_quiet, queue_head},
    session::{IssuanceSession, StepError},
    steps::{Progress, QueuePolicy, steps},
};
use crate::{Error, Ports, time::issuance_lease};

/// Number of documents that one worker submits in sequence, before other workers may continue.
pub(super) const BATCH: usize = 20;

/// The worker that continues with a woken document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    /// The worker that wakes the document.
    This,
    /// Any worker.
    Any,
}

/// Returns the document to continue with, after the progress of another one.
pub(super) async fn wake_next(
    ports: &Ports,
    tenant: &Tenant,
    progress: Progress,
    hold: Runner,
) -> Result<Option<FiscalDocumentId>, Error> {
    let Progress { sale, was_queued, last, ahead } = progress;
    let now = ports.clock.now();
    if let Some(older) = ahead {
        let is_quiet = is_quiet(older.updated_at, now);
        // Only a document that joined the queue now triggers an attempt: a waiting one would trigger one repeatedly.
        let has_joined = match sale.document.stage() {
            DocumentStage::Delayed(issuance, problem) => {
                issuance.submissions == 0 && now.signed_duration_since(problem.since) < PROBE
            }
            _ => false,
        };
        let asks = is_quiet && has_joined;
        return if asks { wake_head(ports, tenant, &older.document, hold).await } else { Ok(None) };
    }
    if !was_queued || last.is_none() {
        return Ok(None);
    }
    let is_queued = sale.document.queued_at().is_some();
    if is_queued && !try_another(ports, tenant, &sale).await? {
        return Ok(None);
    }
    let Some(oldest) = ports.work.head_of_queue(tenant, &sale.document.addressee()).await? else { return Ok(None) };
    let at = match sale.document.stage() {
        // The result of the submission is unknown: the queue waits for the retry.
        DocumentStage::Delayed(doubtful, _)
            if doubtful.stage.awaits_verdict() && !is_queued && last == Some(IssueStep::Submit) =>
        {
            doubtful.next_attempt_at
        }
        _ => now,
    };
    wake(ports, tenant, &oldest.document, at, hold).await
}

/// Tries another document after a failure of the head. If the authority responds to that one, the failure is the
/// head's own, and the head is skipped.
async fn try_another(ports: &Ports, tenant: &Tenant, oldest: &Sale) -> Result<bool, Error> {
    let document = &oldest.document;
    // A first failure is no sign: other documents may fail at the same moment.
    let has_tried = document.stage().issuance().is_some_and(|it| it.waits > 1 || it.submissions > 1);
    let (to, now) = (document.addressee(), ports.clock.now());
    if !has_tried || queue_head(ports, tenant, oldest).await?.is_some() {
        return Ok(false);
    }
    let Some(other) = ports.work.next_in_queue(tenant, &to, &document.facts.id).await? else { return Ok(false) };
    if wake(ports, tenant, &other.document, now, Runner::This).await?.is_none() {
        return Ok(false);
    }
    let Some(progress) = steps(ports, tenant, &other.document, QueuePolicy::Skip).await? else { return Ok(false) };
    let has_response = |it: &FiscalDocument| it.status() != DocumentStatus::Delayed || it.setup_rejection().is_some();
    if !has_response(&progress.sale.document) {
        return Ok(false);
    }
    let Some(mut oldest) = IssuanceSession::load(ports, tenant, &document.facts.id).await? else { return Ok(false) };
    let now = ports.clock.now();
    if oldest.sale.document.skip(now).is_err() {
        return Ok(true);
    }
    tracing::error!(document = %document.facts.id, "the authority does not respond to a document, but responds to younger ones: the queue skips it");
    done(oldest.save_until(ports, now, None).await).map(|_| true)
}

/// Wakes the document at `at`. Returns the document if this worker continues with it.
async fn wake(
    ports: &Ports,
    tenant: &Tenant,
    id: &FiscalDocumentId,
    at: DateTime<Utc>,
    hold: Runner,
) -> Result<Option<FiscalDocumentId>, Error> {
    match IssuanceSession::load(ports, tenant, id).await? {
        Some(session) => wake_loaded(ports, session, at, hold).await,
        None => Ok(None),
    }
}

/// Asks the head for another attempt, unless there was a recent one. Only one of several concurrent requests
/// succeeds.
async fn wake_head(
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
    wake_loaded(ports, session, now, hold).await
}

async fn wake_loaded(
    ports: &Ports,
    mut session: IssuanceSession,
    at: DateTime<Utc>,
    hold: Runner,
) -> Result<Option<FiscalDocumentId>, Error> {
    let now = ports.clock.now();
    // Another worker runs the document, or the document does not wait any more.
    if session.sale.document.call(at, now).is_err() {
        return Ok(None);
    }
    let is_ours = at <= now && hold == Runner::This;
    let is_woken = done(session.save_until(ports, now, is_ours.then(|| issuance_lease(now))).await)?;
    Ok((is_woken && is_ours).then(|| session.sale.document.facts.id.clone()))
}

/// Whether this worker's commit succeeded; `false` after a conflict.
fn done(saved: Result<(), StepError>) -> Result<bool, Error> {
    match saved {
        Ok(()) => Ok(true),
        Err(StepError::Stale) => Ok(false),
        Err(StepError::Failed(error)) => Err(error),
    }
}
