//! Progress of the legs of a refund: calls, responses and look-ups.

use chrono::{DateTime, Utc};

use super::{
    AcquirerReference, CapturedCharge, ChargeOrdinal, ImpossibleTrigger, Leg, LegChange, LegMethod, LegResult,
    LegStage, LegStatus, LegTrigger, OperatorFinding, Refund, RefundFailureCode, RefundFinding, RefundTerms,
    ReturnMethod, after_look_up, event::entering,
};
use crate::{AttemptId, Event, EventKind, Split, payment::Verification, split::Call};

/// Outcome of the call of a void or a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundOutcome {
    /// The money is returned; the operation has this reference at the acquirer.
    Approved(Option<AcquirerReference>),
    /// The acquirer refuses a refund, because an earlier void of the leg, with this reference, has returned the money.
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
    pub events: Vec<Event>,
    /// Amount that was returned for a failed leg after all, in minor units: a new refund records the money.
    pub late_money: Option<i64>,
}

impl Refund {
    /// Number of legs at the acquirer at the same time.
    pub const MAX_CALLS: usize = 4;

    /// Returns the parts of the legs to call now, by ordinal. At most [`MAX_CALLS`](Self::MAX_CALLS) calls are open.
    pub fn calls_due(&self, now: DateTime<Utc>) -> Vec<ChargeOrdinal> {
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
    ) -> Option<ReturnMethod> {
        let leg = self.leg_mut(charge.ordinal)?;
        let LegStage::Processing(Call::Due { .. }) = leg.stage() else { return None };
        let method = leg.open_call(attempt, terms.method(charge, leg.amount, now), now);
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
        ordinal: ChargeOrdinal,
        attempt: &AttemptId,
        outcome: RefundOutcome,
        now: DateTime<Utc>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        self.on_leg(ordinal, attempt, now, |leg, is_current| {
            let is_void = leg.state().method == LegMethod::Void;
            let is_earlier_void = !is_current || matches!(outcome, RefundOutcome::EarlierVoid(_));
            match outcome {
                RefundOutcome::Approved(reference) | RefundOutcome::EarlierVoid(reference) => {
                    let change = leg.succeed(LegTrigger::Approved, is_earlier_void, now)?;
                    if change == LegChange::To(LegStatus::Succeeded) {
                        leg.record_reference(reference);
                    }
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
                    let verification = verification_of(leg, attempt, now);
                    leg.step(LegTrigger::Ambiguous, || LegStage::Verifying(verification), now)
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
        ordinal: ChargeOrdinal,
        attempt: &AttemptId,
        finding: RefundFinding,
        now: DateTime<Utc>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        let progress = self.on_leg(ordinal, attempt, now, |leg, is_current| {
            let method = leg.state().method;
            let (checked, is_settled) = after_look_up(method, &verification_of(leg, attempt, now), finding, now);
            let failed = |code: RefundFailureCode| LegStage::Failed { at: now, code };
            match finding {
                RefundFinding::Done { amount } if amount == leg.amount => {
                    leg.succeed(LegTrigger::FoundDone, !is_current, now)
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
                _ => leg.step(LegTrigger::Inconclusive, || LegStage::Verifying(checked), now),
            }
        })?;
        match finding {
            RefundFinding::Done { amount } => {
                Ok(RefundProgress { late_money: progress.late_money.map(|_| amount), ..progress })
            }
            _ => Ok(progress),
        }
    }

    /// Records the reference of the operation that a look-up found, unless the leg has one.
    pub fn record_found_reference(&mut self, ordinal: ChargeOrdinal, reference: AcquirerReference) {
        let leg = self.leg_mut(ordinal).filter(|leg| leg.status() == LegStatus::Succeeded);
        if let Some(leg) = leg.filter(|leg| leg.state().reference.is_none()) {
            leg.record_reference(Some(reference));
        }
    }

    /// Whether the look-up of an attempt counts. A conclusive one always does, any other only if it is due, because
    /// another worker may have looked the attempt up at the same time.
    pub fn counts_look_up(
        &self,
        ordinal: ChargeOrdinal,
        attempt: &AttemptId,
        finding: RefundFinding,
        now: DateTime<Utc>,
    ) -> bool {
        let is_due = |leg: &Leg| match leg.stage() {
            LegStage::Verifying(doubt) => doubt.attempt == *attempt && doubt.next_check_at <= now,
            _ => false,
        };
        finding.is_conclusive() || self.leg(ordinal).is_some_and(is_due)
    }

    /// Applies the passage of time: an open call whose lease has ended is in doubt.
    pub fn expire_calls(&mut self, now: DateTime<Utc>) -> Vec<Event> {
        let lost = self.legs().iter().filter_map(|leg| match leg.stage() {
            LegStage::Processing(Call::Open { attempt, since })
                if now.signed_duration_since(*since) >= Split::CALL_LIFE =>
            {
                Some((leg.ordinal, attempt.clone()))
            }
            _ => None,
        });
        let lost: Vec<(ChargeOrdinal, AttemptId)> = lost.collect();
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
        ordinal: ChargeOrdinal,
        result: LegResult,
        finding: OperatorFinding,
        now: DateTime<Utc>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        let (on, stage) = match result {
            LegResult::Returned => (LegTrigger::SettledAsReturned, LegStage::Succeeded { at: now }),
            LegResult::NotReturned => {
                let code = RefundFailureCode::SettledByOperator;
                (LegTrigger::SettledAsFailed, LegStage::Failed { at: now, code })
            }
        };
        let leg = self.leg(ordinal);
        let escalated = leg.and_then(|leg| match leg.stage() {
            LegStage::Verifying(doubt) if doubt.is_escalated => Some(doubt.attempt.clone()),
            _ => None,
        });
        let attempt = escalated.ok_or(ImpossibleTrigger { from: leg.map(Leg::status), on })?;
        self.on_leg(ordinal, &attempt, now, |leg, _| {
            leg.record_operator(finding, result);
            leg.step(on, || stage, now)
        })
    }

    /// Applies a change to the leg of an attempt, and returns the events of the refund. `change` also receives whether
    /// the attempt is the current one. Every attempt of a leg that has ended counts as current.
    fn on_leg(
        &mut self,
        ordinal: ChargeOrdinal,
        attempt: &AttemptId,
        now: DateTime<Utc>,
        change: impl FnOnce(&mut Leg, bool) -> Result<LegChange, ImpossibleTrigger>,
    ) -> Result<RefundProgress, ImpossibleTrigger> {
        let (before, was_escalated) = (self.status(), self.verification().is_some_and(|it| it.is_escalated));
        let Some(leg) = self.leg_mut(ordinal) else { return Ok(RefundProgress::default()) };
        let is_current = !leg.status().is_open() || leg.stage().attempt() == Some(attempt);
        let amount = leg.amount;
        let change = change(leg, is_current)?;
        if change == LegChange::Unchanged {
            return Ok(RefundProgress::default());
        }
        let late_money = (change == LegChange::NewRefund).then_some(amount);
        self.touch(now);
        let mut events: Vec<Event> = entering(Some(before), self.status()).into_iter().collect();
        if self.verification().is_some_and(|it| it.is_escalated) && !was_escalated {
            events.push(Event::new(EventKind::RefundVerificationEscalated));
        }
        Ok(RefundProgress { events, late_money })
    }
}

/// Returns the verification of the attempt: that of the leg in doubt, or a new one.
fn verification_of(leg: &Leg, attempt: &AttemptId, now: DateTime<Utc>) -> Verification {
    match leg.stage() {
        LegStage::Verifying(doubt) => doubt.clone(),
        LegStage::Processing(Call::Open { since, .. }) => Verification::begin(attempt.clone(), *since, now),
        _ => Verification::begin(attempt.clone(), now, now),
    }
}
