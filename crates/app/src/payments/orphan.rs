//! Reconciliation of orphaned attempts.

use chrono::{DateTime, Utc};
use domain::{
    Money,
    attempt::{Attempt, AttemptState},
    payment::{OrphanFinding, OrphanStage, OrphanedAttempt, ReversalReason},
    sale::Sale,
};
use ports::{CallOutcome, Commit, Hold, LookUp};

use super::provider_call;
use crate::{
    Error, Ports,
    commit::changed,
    transact::{Step, current, stored_attempt, transact},
};

/// Looks an orphaned attempt up, and makes a due reversal.
///
/// Two facts are committed before the provider is called: that the reversal is due, and that the reversal begins.
/// Another worker, or one after a crash, only looks the attempt up until a look-up settles that the reversal had no
/// effect.
pub(crate) async fn reconcile_orphan(ports: &Ports, sale: Sale, orphan: &OrphanedAttempt) -> Result<(), Error> {
    let attempt = stored_attempt(ports, &sale, &orphan.progress.attempt).await?;
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let look_up = provider.look_up(provider_call::reference(&sale.payment, &attempt)).await;
    let (finding, ended) = (finding_of(&look_up), ended(&look_up));
    let reference = provider_call::transaction_reference(look_up);
    let result_of = |finding| LookUpResult { finding, ended, reference: reference.clone() };
    if !matches!(orphan.stage, OrphanStage::ReversalDue(_)) || finding == OrphanFinding::Free {
        return record(ports, sale, orphan, &attempt, result_of(finding)).await;
    }
    let Some((sale, since)) = begin_reversal(ports, sale, &attempt).await? else { return Ok(()) };
    if ports.clock.now().signed_duration_since(since) >= OrphanedAttempt::CALL_LIFE {
        // Another worker may have looked the attempt up by now. A reversal after that look-up is not made.
        tracing::warn!(attempt = %attempt.id, "a call was delayed beyond its lease and is not made");
        return record(ports, sale, orphan, &attempt, result_of(OrphanFinding::NotReversed { since })).await;
    }
    let finding = reverse(ports, &sale, &attempt, reference.clone(), since).await?;
    record(ports, sale, orphan, &attempt, result_of(finding)).await
}

/// Commits that the reversal begins, and returns the time; `None` if another worker makes the reversal.
async fn begin_reversal(ports: &Ports, sale: Sale, attempt: &Attempt) -> Result<Option<(Sale, DateTime<Utc>)>, Error> {
    let sale = &sale;
    transact(ports, |refused| async move {
        let before = current(ports, sale, refused).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        if !after.payment.begin_orphan_reversal(&attempt.id, now) {
            return Ok(Step::Return(None));
        }
        let commit = changed(&before, &after, None, now);
        Ok(Step::Commit(Box::new(commit), Some((after, now))))
    })
    .await
}

/// Result of a look-up, or of a reversal.
struct LookUpResult {
    finding: OrphanFinding,
    /// Final state of an attempt that holds no money.
    ended: Option<AttemptState>,
    /// The provider's reference.
    reference: Option<String>,
}

/// Commits the result of a look-up, or of a reversal.
async fn record(
    ports: &Ports,
    sale: Sale,
    orphan: &OrphanedAttempt,
    attempt: &Attempt,
    LookUpResult { finding, ended, reference }: LookUpResult,
) -> Result<(), Error> {
    let (sale, reference) = (&sale, &reference);
    let recorded = transact(ports, |refused| async move {
        let before = current(ports, sale, refused).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let events = after.payment.orphan_found(&attempt.id, finding, now);
        if after == before {
            return Ok(Step::Return(None));
        }
        let is_over = after.payment.orphans().iter().all(|it| it.progress.attempt != attempt.id);
        let state = match attempt.state {
            _ if orphan.holds_money() && finding == OrphanFinding::Free => AttemptState::Reversed,
            // No caller waited for the result, so the state was unknown.
            AttemptState::Open | AttemptState::Unknown if is_over => ended.unwrap_or(AttemptState::Unknown),
            known => known,
        };
        let attempts = vec![attempt.clone().resolved(state, reference.clone(), now)];
        let commit = changed(&before, &after, None, now);
        Ok::<_, Error>(Step::Commit(Box::new(Commit { attempts, events, ..commit }), Some(after)))
    });
    if let Some(after) = recorded.await? {
        report(&after, orphan, finding);
    }
    Ok(())
}

const fn finding_of(look_up: &LookUp) -> OrphanFinding {
    match look_up {
        LookUp::Approved { .. } | LookUp::Held { .. } | LookUp::Captured { .. } => OrphanFinding::Taken,
        LookUp::Gone | LookUp::Declined(_) => OrphanFinding::Free,
        // No caller continues the attempt any more, so the provider takes no money.
        LookUp::Unfinished | LookUp::NotFound => OrphanFinding::NotFound,
        LookUp::Unknown => OrphanFinding::Unknown,
    }
}

/// Returns the final state of an attempt that holds no money; `None` if money may be held.
const fn ended(look_up: &LookUp) -> Option<AttemptState> {
    match look_up {
        LookUp::Declined(code) => Some(AttemptState::Declined(*code)),
        LookUp::Gone => Some(AttemptState::Reversed),
        LookUp::Unfinished | LookUp::NotFound => Some(AttemptState::NotExecuted),
        LookUp::Approved { .. } | LookUp::Held { .. } | LookUp::Captured { .. } | LookUp::Unknown => None,
    }
}

/// Reverses a charge, or releases the funds that were reserved for a part.
async fn reverse(
    ports: &Ports,
    sale: &Sale,
    attempt: &Attempt,
    reference: Option<String>,
    since: DateTime<Utc>,
) -> Result<OrphanFinding, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let of = provider_call::reference(&sale.payment, attempt);
    let response = match attempt.part {
        None => provider.reverse(of).await,
        Some(_) => {
            let reference = reference.or_else(|| attempt.provider_reference.clone());
            let itbis = Money::zero(attempt.amount.currency());
            provider.void(Hold { attempt: of, reference, amount: attempt.amount, itbis }).await
        }
    };
    Ok(match response.outcome {
        CallOutcome::Approved => OrphanFinding::Free,
        CallOutcome::Declined(_) | CallOutcome::NotSubmitted(_) => OrphanFinding::NotReversed { since },
        CallOutcome::Opened | CallOutcome::ActionRequired(_) | CallOutcome::Ambiguous => OrphanFinding::Unknown,
    })
}

/// Logs each late approval for the operator.
fn report(after: &Sale, orphan: &OrphanedAttempt, finding: OrphanFinding) {
    let attempt = &orphan.progress.attempt;
    let left = after.payment.orphans().iter().find(|it| it.progress.attempt == *attempt);
    match (orphan.stage.reversal(), finding, left) {
        (None, OrphanFinding::Taken, _) => {
            tracing::error!(%attempt, "an approval was found after its payment had moved on");
        }
        (Some(ReversalReason::Replacement), OrphanFinding::Free, _) => {
            tracing::info!(%attempt, "the replaced reservation was released");
        }
        (Some(ReversalReason::LateApproval), OrphanFinding::Free, _) => {
            tracing::warn!(%attempt, "a late approval was reversed")
        }
        (Some(_), _, None) => {
            tracing::error!(%attempt, "a late approval could not be reversed, and is not retried: reverse the charge manually");
        }
        (Some(_), _, Some(left)) => {
            let next = left.progress.next_check_at;
            tracing::error!(%attempt, %next, tries = left.progress.checks, "a late approval is not reversed yet");
        }
        (None, OrphanFinding::Unknown, None) => {
            tracing::error!(%attempt, "look-ups of an attempt returned no result for days: there are no more look-ups");
        }
        (None, ..) => {}
    }
}
