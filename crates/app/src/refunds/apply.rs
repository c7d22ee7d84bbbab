//! Effect of a response or a look-up on a sale with its refunds.

use chrono::{DateTime, Utc};
use domain::{
    Event, RefundId,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::DeclineCode,
    refund::{
        AcquirerReference, FoundMoney, Leg, LegStatus, Refund, RefundContradiction, RefundFinding, RefundOutcome,
        RefundProgress, RefundedSale, ReturnMethod,
    },
};
use ports::{RefundLookup, RefundResponse};

use super::{
    call::{Call, CallResult, RefundCalls},
    found::record_found,
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
    refund_calls: &RefundCalls,
    before: &RefundedSale,
    call: &Call,
    result: &CallResult,
    now: DateTime<Utc>,
) -> Result<Applied, Error> {
    let was = before.existing(&refund_calls.id)?;
    let mut refund = was.clone();
    let progress = progress(&mut refund, call, result, now);
    if let Some(amount) = progress.late_money {
        // The leg stays failed: only the new refund changes.
        return late(ports, refund_calls, before.clone(), call, amount, result.reference(), now);
    }
    let attempts = if refund == *was {
        late_refusal(ports, refund_calls, call, result, now).await?
    } else {
        resolved(ports, refund_calls, &refund, call, result, now).await?
    };
    let mut after = before.clone();
    *after.refund_mut(&refund_calls.id).ok_or(RefundContradiction::UnknownRefund)? = refund;
    Ok(Applied { after, refund: refund_calls.id.clone(), events: progress.events, attempts })
}

/// Applies the result to the leg. A trigger that cannot occur alerts an operator and changes no leg.
fn progress(refund: &mut Refund, call: &Call, result: &CallResult, now: DateTime<Utc>) -> RefundProgress {
    let (ordinal, attempt) = (call.ordinal, &call.attempt.id);
    let applied = match result {
        CallResult::Response(response) => refund.apply_outcome(ordinal, attempt, outcome_of(call, response), now),
        CallResult::NotMade => refund.apply_outcome(ordinal, attempt, RefundOutcome::Ambiguous, now),
        CallResult::Found(found) if !refund.counts_look_up(ordinal, attempt, found.finding, now) => {
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

/// Returns the changed attempts: that of the call, and a void that an approval of a refund is about.
async fn resolved(
    ports: &Ports,
    refund_calls: &RefundCalls,
    refund: &Refund,
    call: &Call,
    result: &CallResult,
    now: DateTime<Utc>,
) -> Result<Vec<Attempt>, Error> {
    let reference = result.reference().map(|reference| reference.as_str().to_owned());
    let is_earlier_void = match result {
        CallResult::Response(response) => matches!(outcome_of(call, response), RefundOutcome::EarlierVoid(_)),
        CallResult::NotMade | CallResult::Found(_) => false,
    };
    let state = if is_earlier_void { refused() } else { state_after(refund, call, result) };
    let own = reference.clone().filter(|_| state == AttemptState::Approved);
    let mut attempts = vec![call.attempt.clone().resolved(state, own, now)];
    if is_earlier_void {
        let all = ports.refunds.attempts(&refund_calls.tenant, &refund_calls.id).await?;
        let void = all.into_iter().rfind(|it| it.kind == AttemptKind::Void && it.part == call.ordinal);
        attempts.extend(void.map(|void| void.resolved(AttemptState::Approved, reference, now)));
    }
    Ok(attempts)
}

fn state_after(refund: &Refund, call: &Call, result: &CallResult) -> AttemptState {
    let is_in_doubt =
        |leg: &Leg| leg.status() == LegStatus::Verifying && leg.stage().attempt() == Some(&call.attempt.id);
    match result {
        _ if refund.leg(call.ordinal).is_some_and(is_in_doubt) => AttemptState::Unknown,
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
    refund_calls: &RefundCalls,
    call: &Call,
    result: &CallResult,
    now: DateTime<Utc>,
) -> Result<Vec<Attempt>, Error> {
    let state = match result {
        CallResult::Response(RefundResponse::Refused(_)) => refused(),
        CallResult::Response(RefundResponse::NotSubmitted(_)) => AttemptState::NotSubmitted,
        _ => return Ok(Vec::new()),
    };
    let stored = refund_calls.stored_attempt(ports, &call.attempt.id).await?;
    let is_open = stored.state == AttemptState::Open;
    Ok(is_open.then(|| stored.resolved(state, None, now)).into_iter().collect())
}

/// Records money that was returned for a leg that had failed.
fn late(
    ports: &Ports,
    refund_calls: &RefundCalls,
    mut after: RefundedSale,
    call: &Call,
    amount: i64,
    reference: Option<AcquirerReference>,
    now: DateTime<Utc>,
) -> Result<Applied, Error> {
    tracing::error!(refund = %refund_calls.id, attempt = %call.attempt.id, "money was returned for a leg that had failed");
    let own = reference.as_ref().map(|reference| reference.as_str().to_owned());
    let reference = reference.or_else(|| AcquirerReference::parse(call.attempt.id.as_str()));
    let money = FoundMoney {
        ordinal: call.ordinal,
        amount,
        method: ReturnMethod::of_attempt(call.attempt.kind).into(),
        reference: reference.ok_or_else(|| Error::internal("the ID of an attempt is no reference"))?,
        late: Some(refund_calls.id.clone()),
    };
    let (refund, events) = record_found(ports, &mut after, money, refund_calls.conditions, now)?;
    let attempts = vec![call.attempt.clone().resolved(AttemptState::Approved, own, now)];
    Ok(Applied { after, refund, events, attempts })
}
