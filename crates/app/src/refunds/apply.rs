//! Effect of a response or a look-up on a sale with its refunds.

use chrono::{DateTime, Utc};
use domain::{
    Event, RefundId,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::DeclineCode,
    refund::{
        AcquirerReference, LegMethod, LegStage, LegStatus, Refund, RefundFinding, RefundOutcome, RefundProgress,
        RefundedSale,
    },
};
use ports::{RefundLookup, RefundResponse, ReturnMethod};

use super::{
    call::{Call, CallResult, Refunding, leg_of},
    facts::contradiction,
    found::{Found, record_found},
};
use crate::{Error, Ports};

/// A sale after a response or a look-up.
pub(super) struct Applied {
    pub(super) after: RefundedSale,
    /// The changed refund: another one if the money belongs to a leg that had failed.
    pub(super) refund: RefundId,
    pub(super) events: Vec<Event>,
    pub(super) attempts: Vec<Attempt>,
}

/// Applies the result of a call to a sale. Money of a leg that has failed becomes a refund of its own.
pub(super) async fn apply(
    ports: &Ports,
    refunding: &Refunding,
    before: &RefundedSale,
    (call, result): (&Call, &CallResult),
    now: DateTime<Utc>,
) -> Result<Applied, Error> {
    let mut after = before.clone();
    let was = before.refund(&refunding.id).ok_or_else(contradiction)?;
    let refund = after.refund_mut(&refunding.id).ok_or_else(contradiction)?;
    let progress = progress(refund, call, result, now);
    let reference = reference_of(result);
    if let Some(amount) = progress.late_money {
        // The leg stays failed: only the new refund changes.
        *refund = was.clone();
        return late(ports, refunding, after, (call, amount, reference), now);
    }
    let is_changed = *refund != *was;
    let events = progress.events.into_iter().map(Event::from).collect();
    let attempts = if is_changed {
        resolved(ports, refunding, &after, (call, result, reference), now).await?
    } else {
        late_refusal(ports, refunding, (call, result), now).await?
    };
    Ok(Applied { after, refund: refunding.id.clone(), events, attempts })
}

/// Applies the result to the leg. A trigger that cannot occur alerts an operator and changes no leg.
fn progress(refund: &mut Refund, call: &Call, result: &CallResult, now: DateTime<Utc>) -> RefundProgress {
    let (ordinal, attempt) = (call.ordinal, &call.attempt.id);
    let applied = match result {
        CallResult::Response(response) => refund.apply_outcome(ordinal, attempt, outcome_of(call, response), now),
        CallResult::NotMade => refund.apply_outcome(ordinal, attempt, RefundOutcome::Ambiguous, now),
        // Another worker has looked the attempt up at the same time: look-ups that prove little count once.
        CallResult::Found(found) if !is_conclusive(found.finding) && !is_check_due(refund, call, now) => {
            return RefundProgress::default();
        }
        CallResult::Found(found) => {
            let applied = refund.apply_finding(ordinal, attempt, found.finding, now);
            if let Some(reference) = &found.reference {
                refund.record_found_reference(ordinal, reference.clone());
            }
            applied
        }
    };
    applied.unwrap_or_else(|impossible| {
        tracing::error!(refund = %refund.facts.id, %attempt, %impossible, "a refund has got a response that cannot occur");
        RefundProgress::default()
    })
}

fn outcome_of(call: &Call, response: &RefundResponse) -> RefundOutcome {
    match response {
        RefundResponse::Approved { method: ReturnMethod::Void, reference }
            if call.attempt.kind == AttemptKind::Refund =>
        {
            RefundOutcome::EarlierVoid(reference.clone())
        }
        RefundResponse::Approved { reference, .. } => RefundOutcome::Approved(reference.clone()),
        RefundResponse::Refused(code) => RefundOutcome::Refused(*code),
        RefundResponse::Ambiguous => RefundOutcome::Ambiguous,
        RefundResponse::NotSubmitted(_) => RefundOutcome::NotSubmitted,
    }
}

const fn is_conclusive(finding: RefundFinding) -> bool {
    matches!(finding, RefundFinding::Done { .. } | RefundFinding::Refused(_))
}

fn is_check_due(refund: &Refund, call: &Call, now: DateTime<Utc>) -> bool {
    let leg = refund.legs().iter().find(|leg| leg.ordinal == call.ordinal);
    leg.is_some_and(|leg| match leg.stage() {
        LegStage::Verifying(doubt) => doubt.attempt == call.attempt.id && doubt.next_check_at <= now,
        _ => false,
    })
}

fn reference_of(result: &CallResult) -> Option<AcquirerReference> {
    match result {
        CallResult::Response(RefundResponse::Approved { reference, .. })
        | CallResult::Found(RefundLookup { reference, .. }) => reference.clone(),
        CallResult::Response(_) | CallResult::NotMade => None,
    }
}

/// Returns the changed attempts: that of the call, and a void that an approval of a refund is about.
async fn resolved(
    ports: &Ports,
    refunding: &Refunding,
    after: &RefundedSale,
    (call, result, reference): (&Call, &CallResult, Option<AcquirerReference>),
    now: DateTime<Utc>,
) -> Result<Vec<Attempt>, Error> {
    let reference = reference.map(|reference| reference.as_str().to_owned());
    let is_earlier_void = match result {
        CallResult::Response(response) => matches!(outcome_of(call, response), RefundOutcome::EarlierVoid(_)),
        CallResult::NotMade | CallResult::Found(_) => false,
    };
    let state = if is_earlier_void { refused() } else { state_after(after, refunding, call, result) };
    let own = reference.clone().filter(|_| state == AttemptState::Approved);
    let mut attempts = vec![call.attempt.clone().resolved(state, own, now)];
    if is_earlier_void {
        let all = ports.refunds.attempts(&refunding.tenant, &refunding.id).await?;
        let void = all.into_iter().rfind(|it| it.kind == AttemptKind::Void && it.part == call.ordinal);
        attempts.extend(void.map(|void| void.resolved(AttemptState::Approved, reference, now)));
    }
    Ok(attempts)
}

fn state_after(after: &RefundedSale, refunding: &Refunding, call: &Call, result: &CallResult) -> AttemptState {
    let leg = leg_of(after, &refunding.id, call.ordinal);
    let is_in_doubt =
        leg.is_some_and(|leg| leg.status() == LegStatus::Verifying && leg.stage().attempt() == Some(&call.attempt.id));
    match result {
        _ if is_in_doubt => AttemptState::Unknown,
        CallResult::Response(RefundResponse::Approved { .. })
        | CallResult::Found(RefundLookup { finding: RefundFinding::Done { .. }, .. }) => AttemptState::Approved,
        CallResult::Response(RefundResponse::Refused(_))
        | CallResult::Found(RefundLookup { finding: RefundFinding::Refused(_), .. }) => refused(),
        CallResult::Response(RefundResponse::NotSubmitted(_)) => AttemptState::NotSubmitted,
        CallResult::Response(RefundResponse::Ambiguous) | CallResult::NotMade => AttemptState::Unknown,
        CallResult::Found(_) => AttemptState::NotExecuted,
    }
}

/// State of an attempt that the acquirer refused. The leg has the public reason.
pub(super) const fn refused() -> AttemptState {
    AttemptState::Declined(DeclineCode::GenericDecline)
}

/// Returns the attempt of a refused call after its leg has moved on, if the attempt is still open.
async fn late_refusal(
    ports: &Ports,
    refunding: &Refunding,
    (call, result): (&Call, &CallResult),
    now: DateTime<Utc>,
) -> Result<Vec<Attempt>, Error> {
    let state = match result {
        CallResult::Response(RefundResponse::Refused(_)) => refused(),
        CallResult::Response(RefundResponse::NotSubmitted(_)) => AttemptState::NotSubmitted,
        _ => return Ok(Vec::new()),
    };
    let stored = refunding.stored_attempt(ports, &call.attempt.id).await?;
    let is_open = stored.state == AttemptState::Open;
    Ok(is_open.then(|| stored.resolved(state, None, now)).into_iter().collect())
}

/// Records money that was returned for a leg that had failed.
fn late(
    ports: &Ports,
    refunding: &Refunding,
    mut after: RefundedSale,
    (call, amount, reference): (&Call, i64, Option<AcquirerReference>),
    now: DateTime<Utc>,
) -> Result<Applied, Error> {
    tracing::error!(refund = %refunding.id, attempt = %call.attempt.id, "money was returned for a leg that had failed");
    let own = reference.as_ref().map(|reference| reference.as_str().to_owned());
    let reference = reference.or_else(|| AcquirerReference::parse(call.attempt.id.as_str()));
    let method = if call.attempt.kind == AttemptKind::Void { LegMethod::Void } else { LegMethod::Refund };
    let found = Found {
        ordinal: call.ordinal,
        amount,
        method,
        reference: reference.ok_or_else(contradiction)?,
        late: Some(refunding.id.clone()),
    };
    let (refund, events) = record_found(ports, &mut after, found, refunding.conditions, now)?;
    let attempts = vec![call.attempt.clone().resolved(AttemptState::Approved, own, now)];
    Ok(Applied { after, refund, events, attempts })
}
