use chrono::{DateTime, Utc};
use domain::{
    Payment, PaymentId,
    attempt::AttemptState,
    payment::{AttemptFinding, Challenged, ProviderOutcome, Stage, Verification},
    sale::Sale,
};
use ports::{Commit, Committed, LookUp, Tenant};

use super::{orphan::reconcile_orphan, provider_call};
use crate::{
    Error, Ports,
    commit::changed,
    splits::settle::settle_split,
    time::call_lease,
    transact::{Step, current, stored_attempt, transact},
};

/// Runs the due steps of a payment. An attempt without a response becomes one in doubt, a doubt is looked up, an
/// abandoned challenge and an expired window are ended, and a late approval is reversed.
pub async fn settle_payment(ports: &Ports, tenant: &Tenant, id: &PaymentId) -> Result<(), Error> {
    let Some(sale) = ports.sales.find(tenant, id).await? else { return Ok(()) };
    let now = ports.clock.now();
    if sale.payment.orphan_due(now).is_none() {
        return settle_stage(ports, sale).await;
    }
    // A failure of the one does not delay the other: a payment that is due does not wait for an orphaned attempt.
    let settled = if is_stage_due(&sale.payment, now) { settle_stage(ports, sale).await } else { Ok(()) };
    let reconciled = reconcile_due_orphan(ports, tenant, id).await;
    settled.and(reconciled)
}

/// Whether the stage of the payment is due, and not only an orphaned attempt. A card that was sent to the provider
/// belongs to the caller until the lease ends.
fn is_stage_due(payment: &Payment, now: DateTime<Utc>) -> bool {
    match payment.stage() {
        Stage::Processing(submission) => call_lease(submission.since) <= now,
        _ => payment.stage_due_at().is_some_and(|it| it <= now),
    }
}

async fn reconcile_due_orphan(ports: &Ports, tenant: &Tenant, id: &PaymentId) -> Result<(), Error> {
    let Some(sale) = ports.sales.find(tenant, id).await? else { return Ok(()) };
    match sale.payment.orphan_due(ports.clock.now()).cloned() {
        Some(orphan) => reconcile_orphan(ports, sale, &orphan).await,
        None => Ok(()),
    }
}

async fn settle_stage(ports: &Ports, sale: Sale) -> Result<(), Error> {
    let sale = &sale;
    transact(ports, |refused| async move {
        let before = current(ports, sale, refused).await?;
        if before.payment.split().is_some() {
            // Boxed: otherwise every settlement would have the state of a split's settlement on the stack.
            return Box::pin(settle_split(ports, before)).await.map(Step::Return);
        }
        let decided = next_decision(ports, before, refused).await?;
        Ok(decided.map_or(Step::Return(()), |commit| Step::Commit(Box::new(commit), ())))
    })
    .await
}

async fn next_decision(ports: &Ports, before: Sale, refused: Option<Committed>) -> Result<Option<Commit>, Error> {
    let now = ports.clock.now();
    let mut sale = before.clone();
    let (events, attempts) = match before.payment.stage() {
        Stage::Processing(submission) => {
            // The lease of the caller has ended: the card may have been submitted.
            let attempt = stored_attempt(ports, &before, &submission.attempt).await?;
            let events = sale.apply_outcome(&attempt.id, ProviderOutcome::Ambiguous, now)?;
            (events, vec![attempt.resolved(AttemptState::Unknown, None, now)])
        }
        Stage::Verifying(doubt) if now < doubt.next_check_at => return Ok(None),
        Stage::RequiresCustomerAction(Some(it)) if !it.challenge.is_over(now) => return Ok(None),
        Stage::Verifying(Verification { attempt, .. })
        | Stage::RequiresCustomerAction(Some(Challenged { attempt, .. })) => {
            let attempt = stored_attempt(ports, &before, attempt).await?;
            let provider = provider_call::provider(ports, before.payment.facts.provider)?;
            let mut look_up = provider.look_up(provider_call::reference(&before.payment, &attempt)).await;
            if refused == Some(Committed::KnownTransaction) {
                tracing::error!(attempt = %attempt.id, "{}", provider_call::KNOWN_TRANSACTION);
                look_up = LookUp::Unknown;
            }
            let finding = provider_call::finding_of(&look_up, &attempt);
            let events = sale.apply_finding(&attempt.id, finding, now)?;
            let state = state_after(finding, &sale);
            (events, vec![attempt.resolved(state, provider_call::transaction_reference(look_up), now)])
        }
        _ => (sale.expire_due(now)?, Vec::new()),
    };
    if sale == before {
        return Ok(None);
    }
    let commit = changed(&before, &sale, None, now);
    Ok(Some(Commit { attempts, events, ..commit }))
}

/// Returns the state of the attempt after a look-up. "Not found" counts only once the payment agrees.
fn state_after(finding: AttemptFinding, after: &Sale) -> AttemptState {
    match finding {
        AttemptFinding::Approved => AttemptState::Approved,
        AttemptFinding::Declined(code) => AttemptState::Declined(code),
        _ if matches!(after.payment.stage(), Stage::Verifying(_)) => AttemptState::Unknown,
        AttemptFinding::Unfinished => AttemptState::Declined(provider_call::UNFINISHABLE_AUTHENTICATION),
        AttemptFinding::NotFound => AttemptState::NotExecuted,
        AttemptFinding::Unknown => AttemptState::Unknown,
    }
}
