//! Progress of the legs of a refund: calls, responses, look-ups, and the end.

use chrono::{DateTime, Utc};

use super::{
    AcquirerReference, CapturedCharge, ImpossibleTrigger, Leg, LegChange, LegMethod, LegStage, LegStatus, LegTrigger,
    PlannedRefund, Refund, RefundEnd, RefundEvent, RefundFailureCode, RefundFinding, RefundState, RefundTerms,
    RemainingLines, after_look_up,
};
use crate::{AttemptId, Split, payment::Verification, split::Call};

/// Outcome of the call of a void or a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundOutcome {
    /// The money is returned, under this name at the acquirer.
    Approved(Option<AcquirerReference>),
    /// The acquirer refuses a refund, because an earlier void of the leg has returned the money under this name.
    EarlierVoid(Option<AcquirerReference>),
    /// The acquirer refuses, for this reason.
    Refused(RefundFailureCode),
    /// The request provably never left.
    NotSubmitted,
    /// The outcome is unknown.
    Ambiguous,
}

/// Effect of a response or a look-up on a refund.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefundProgress {
    /// Events in their order.
    pub events: Vec<RefundEvent>,
    /// Amount that was returned for a failed leg after all, in minor units: a new refund records the money.
    pub late_money: Option<i64>,
}

impl Refund {
    /// Number of legs at the acquirer at the same time.
    pub const MAX_CALLS: usize = 4;

    /// Returns the parts of the legs to call now, by ordinal. At most [`MAX_CALLS`](Self::MAX_CALLS) calls are open.
    pub fn calls_due(&self, now: DateTime<Utc>) -> Vec<Option<u8>> {
        let is_open = |leg: &&Leg| matches!(leg.stage(), LegStage::Processing(Call::Open { .. }));
        let is_due = |leg: &&Leg| matches!(leg.stage(), LegStage::Processing(Call::Due { at }) if *at <= now);
        let free = Self::MAX_CALLS.saturating_sub(self.legs().iter().filter(is_open).count());
        self.legs().iter().filter(is_due).take(free).map(|leg| leg.ordinal).collect()
    }

    /// Opens the call of a leg that is due, and returns the operation. Commit this before the call to the provider.
    ///
    /// Returns `None` if no call of the leg is due.
    pub fn open_call(
        &mut self,
        charge: &CapturedCharge,
        attempt: AttemptId,
        terms: &RefundTerms,
        now: DateTime<Utc>,
    ) -> Option<LegMethod> {
        let mut legs = self.state.legs.iter_mut();
        let leg = legs.find(|leg| leg.ordinal == charge.ordinal)?;
        let LegStage::Processing(Call::Due { .. }) = leg.stage() else { return None };
        leg.open_call(attempt, terms.method(charge, leg.amount, now), now);
        let method = leg.state().method;
        self.touch(now);
        Some(method)
    }

    /// Applies the outcome of a call. An outcome also settles an attempt in doubt, and may concern a leg that has ended.
    ///
    /// After a void, a leg may continue with a refund. Then a late response about the void counts only if it approves,
    /// because the money was returned.
    ///
    /// # Errors
    ///
    /// [`ImpossibleTrigger`] if the leg has no such edge.
    pub fn apply_outcome(
        &mut self,
        ordinal: Option<u8>,
        attempt: &AttemptId,
        outcome: RefundOutcome,
        now: DateTime<Utc>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        self.on_leg(ordinal, attempt, now, |leg, is_current| {
            let is_void = leg.state().method == LegMethod::Void;
            let is_earlier_void = !is_current || matches!(outcome, RefundOutcome::EarlierVoid(_));
            match outcome {
                RefundOutcome::Approved(reference) | RefundOutcome::EarlierVoid(reference) => {
                    let change = leg.step(LegTrigger::Approved, || LegStage::Succeeded { at: now }, now)?;
                    let is_returned = change == LegChange::To(LegStatus::Succeeded);
                    leg.record_reference(reference.filter(|_| is_returned), is_returned && is_earlier_void);
                    Ok(change)
                }
                _ if !is_current => Ok(LegChange::Unchanged),
                RefundOutcome::Refused(code) => {
                    let on = if is_void { LegTrigger::VoidRefused } else { LegTrigger::RefundRefused };
                    leg.step(on, || LegStage::Failed { at: now, code }, now)
                }
                RefundOutcome::NotSubmitted => {
                    let code = RefundFailureCode::NotSubmitted;
                    leg.step(LegTrigger::NotSubmitted, || LegStage::Failed { at: now, code }, now)
                }
                RefundOutcome::Ambiguous => {
                    let doubt = doubt(leg, attempt, now);
                    leg.step(LegTrigger::Ambiguous, || LegStage::Verifying(doubt), now)
                }
            }
        })
    }

    /// Applies a look-up of an attempt.
    ///
    /// # Errors
    ///
    /// [`ImpossibleTrigger`] if the leg has no such edge.
    pub fn apply_finding(
        &mut self,
        ordinal: Option<u8>,
        attempt: &AttemptId,
        finding: RefundFinding,
        now: DateTime<Utc>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        let progress = self.on_leg(ordinal, attempt, now, |leg, is_current| {
            let method = leg.state().method;
            let doubt = doubt(leg, attempt, now);
            let (checked, is_settled) = after_look_up(method, &doubt, finding, now);
            let failed = |code: RefundFailureCode| LegStage::Failed { at: now, code };
            match finding {
                RefundFinding::Done { amount } if amount == leg.amount => {
                    let change = leg.step(LegTrigger::FoundDone, || LegStage::Succeeded { at: now }, now)?;
                    leg.record_reference(None, !is_current && change == LegChange::To(LegStatus::Succeeded));
                    Ok(change)
                }
                _ if !is_current => Ok(LegChange::Unchanged),
                RefundFinding::Done { .. } => {
                    let escalated = Verification { is_escalated: true, ..checked };
                    leg.step(LegTrigger::FoundOtherAmount, || LegStage::Verifying(escalated), now)
                }
                RefundFinding::Refused(_) if method == LegMethod::Void => {
                    leg.step(LegTrigger::FoundVoidRefused, || LegStage::Verifying(checked), now)
                }
                RefundFinding::Refused(code) => leg.step(LegTrigger::FoundRefundRefused, || failed(code), now),
                _ if is_settled && method == LegMethod::Void => {
                    leg.step(LegTrigger::VoidNotDone, || LegStage::Verifying(checked), now)
                }
                _ if is_settled => {
                    leg.step(LegTrigger::RefundNotFound, || failed(RefundFailureCode::NotFoundAtProvider), now)
                }
                _ => leg.step(LegTrigger::Unsettled, || LegStage::Verifying(checked), now),
            }
        })?;
        match finding {
            RefundFinding::Done { amount } => {
                Ok(RefundProgress { late_money: progress.late_money.map(|_| amount), ..progress })
            }
            _ => Ok(progress),
        }
    }

    /// Records the acquirer's name of the operation that a look-up found, unless the leg has one.
    pub fn record_found_reference(&mut self, ordinal: Option<u8>, reference: AcquirerReference) {
        let mut legs = self.state.legs.iter_mut();
        let leg = legs.find(|leg| leg.ordinal == ordinal && leg.status() == LegStatus::Succeeded);
        if let Some(leg) = leg.filter(|leg| leg.state().reference.is_none()) {
            leg.record_reference(Some(reference), false);
        }
    }

    /// Applies the passage of time: an open call whose lease has ended is in doubt.
    pub fn expire_calls(&mut self, now: DateTime<Utc>) -> Vec<RefundEvent> {
        let lost = self.legs().iter().filter_map(|leg| match leg.stage() {
            LegStage::Processing(Call::Open { attempt, since })
                if now.signed_duration_since(*since) >= Split::CALL_LIFE =>
            {
                Some((leg.ordinal, attempt.clone()))
            }
            _ => None,
        });
        let lost: Vec<(Option<u8>, AttemptId)> = lost.collect();
        let progress = lost
            .into_iter()
            .filter_map(|(ordinal, attempt)| self.apply_outcome(ordinal, &attempt, RefundOutcome::Ambiguous, now).ok());
        progress.flat_map(|progress| progress.events).collect()
    }

    /// Records an operator's finding about a leg in doubt that is escalated.
    ///
    /// # Errors
    ///
    /// [`ImpossibleTrigger`] unless the leg is verifying and escalated.
    pub fn settle_by_operator(
        &mut self,
        ordinal: Option<u8>,
        is_returned: bool,
        reference: AcquirerReference,
        now: DateTime<Utc>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        let on = if is_returned { LegTrigger::SettledAsReturned } else { LegTrigger::SettledAsFailed };
        let leg = self.state.legs.iter().find(|leg| leg.ordinal == ordinal);
        let escalated = leg.and_then(|leg| match leg.stage() {
            LegStage::Verifying(doubt) if doubt.is_escalated => Some(doubt.attempt.clone()),
            _ => None,
        });
        let attempt = escalated.ok_or(ImpossibleTrigger { from: leg.map(Leg::status), on })?;
        self.on_leg(ordinal, &attempt, now, |leg, _| {
            let code = RefundFailureCode::SettledByOperator;
            let stage = if is_returned { LegStage::Succeeded { at: now } } else { LegStage::Failed { at: now, code } };
            leg.record_reference(Some(reference).filter(|_| is_returned), false);
            leg.step(on, || stage, now)
        })
    }

    /// Ends the refund after its last leg: the final note of the returned money, and the ITBIS of the legs. `remaining`
    /// are the lines without this refund; `None` without a document.
    ///
    /// Returns `None` while a leg is open, and if the refund has ended before.
    pub fn end(&mut self, remaining: Option<&RemainingLines<'_>>, now: DateTime<Utc>) -> Option<RefundEnd> {
        let is_open = self.legs().iter().any(|leg| leg.status().is_open());
        if is_open || self.state.ended_at.is_some() || self.state.scope.is_none() {
            return None;
        }
        let end = self.result(remaining);
        let state = &mut self.state;
        state.legs.iter_mut().zip(&end.itbis).for_each(|(leg, itbis)| leg.allocate_itbis(*itbis));
        (state.note, state.ended_at) = (end.note.clone(), Some(now));
        self.touch(now);
        Some(end)
    }

    /// Returns the result of a refund whose legs have ended. `remaining` are the lines without this refund; `None` without
    /// a document.
    pub(super) fn result(&self, remaining: Option<&RemainingLines<'_>>) -> RefundEnd {
        let legs = self.legs().iter().map(|leg| (leg.amount, leg.status() == LegStatus::Succeeded));
        let legs: Vec<(i64, bool)> = legs.collect();
        let RefundState { requested, undocumented, note, .. } = &self.state;
        let (requested, undocumented) = (*requested, *undocumented);
        PlannedRefund { requested, note: note.as_ref(), undocumented, legs: &legs }.end(remaining)
    }

    /// Applies a change to the leg of an attempt, and returns the events of the refund. `change` also receives whether
    /// the attempt is the current one. Every attempt of a leg that has ended counts as current.
    fn on_leg(
        &mut self,
        ordinal: Option<u8>,
        attempt: &AttemptId,
        now: DateTime<Utc>,
        change: impl FnOnce(&mut Leg, bool) -> Result<LegChange, ImpossibleTrigger>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        let (before, was_escalated) = (self.status(), self.verification().is_some_and(|it| it.is_escalated));
        let Some(leg) = self.state.legs.iter_mut().find(|leg| leg.ordinal == ordinal) else {
            return Ok(RefundProgress::default());
        };
        let is_current = !leg.status().is_open() || leg.stage().attempt() == Some(attempt);
        let amount = leg.amount;
        let change = change(leg, is_current)?;
        if change == LegChange::Unchanged {
            return Ok(RefundProgress::default());
        }
        let late_money = (change == LegChange::NewRefund).then_some(amount);
        self.touch(now);
        let mut events: Vec<RefundEvent> = RefundEvent::entering(Some(before), self.status()).into_iter().collect();
        if self.verification().is_some_and(|it| it.is_escalated) && !was_escalated {
            events.push(RefundEvent::VerificationEscalated);
        }
        Ok(RefundProgress { events, late_money })
    }
}

/// Returns the verification of the attempt: that of the leg in doubt, or a new one.
fn doubt(leg: &Leg, attempt: &AttemptId, now: DateTime<Utc>) -> Verification {
    match leg.stage() {
        LegStage::Verifying(doubt) => doubt.clone(),
        LegStage::Processing(Call::Open { since, .. }) => Verification::begin(attempt.clone(), *since, now),
        _ => Verification::begin(attempt.clone(), now, now),
    }
}
