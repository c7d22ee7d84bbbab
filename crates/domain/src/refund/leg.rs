//! Legs of a refund, with the facts of each stage.

use chrono::{DateTime, Utc};

use super::{
    ChargeOrdinal, ImpossibleTrigger, LegChange, LegMethod, LegResult, LegStatus, LegTrigger, PlannedLeg,
    RefundFailureCode, ReturnMethod, next,
};
use crate::{AttemptId, attempt::CardSummary, payment::Verification, split::Call, text::BoundedText};

/// Reference of an operation at the acquirer.
pub type AcquirerReference = BoundedText<1, 64>;

/// An operator's finding about a leg in doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorFinding {
    /// The operator.
    pub user: BoundedText<1, 64>,
    /// Reference of the operation, or of the case, at the acquirer.
    pub reference: AcquirerReference,
}

/// Share of a refund that one charge returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The charge.
    pub ordinal: ChargeOrdinal,
    /// Amount in minor units.
    pub amount: i64,
    /// The card of the charge.
    pub card: Option<CardSummary>,
    // Only `step` changes the status, so that every change is an edge of `next`. `open_call` stays within `processing`.
    state: LegState,
}

/// Mutable data of a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegState {
    /// Share in the ITBIS of the note: of the planned one, then of the final one.
    pub itbis: i64,
    /// The operation of the next, the open or the last attempt.
    pub method: LegMethod,
    /// Whether the next attempt must be a refund, because a void was tried and not executed.
    pub must_refund: bool,
    /// Reference of the void or of the refund at the acquirer.
    pub reference: Option<AcquirerReference>,
    /// The finding by which an operator ended the leg.
    pub settled_by: Option<OperatorFinding>,
    /// The stage.
    pub stage: LegStage,
}

/// Stage of a leg. One variant per status, with exactly the facts of the stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LegStage {
    /// The call is due, or open.
    Processing(Call),
    /// The outcome is unknown.
    Verifying(Verification),
    /// The money was returned.
    Succeeded {
        /// When.
        at: DateTime<Utc>,
    },
    /// The money was not returned.
    Failed {
        /// When.
        at: DateTime<Utc>,
        /// Why.
        code: RefundFailureCode,
    },
}

impl LegStage {
    /// Returns the published status.
    pub const fn status(&self) -> LegStatus {
        match self {
            Self::Processing(_) => LegStatus::Processing,
            Self::Verifying(_) => LegStatus::Verifying,
            Self::Succeeded { .. } => LegStatus::Succeeded,
            Self::Failed { .. } => LegStatus::Failed,
        }
    }

    /// Returns the attempt that is open or in doubt.
    pub const fn attempt(&self) -> Option<&AttemptId> {
        match self {
            Self::Processing(Call::Open { attempt, .. }) => Some(attempt),
            Self::Verifying(verification) => Some(&verification.attempt),
            _ => None,
        }
    }
}

impl Leg {
    /// Returns a leg whose call is due.
    pub(super) fn due(planned: PlannedLeg, card: Option<CardSummary>, now: DateTime<Utc>) -> Self {
        Self::begin(planned, card, None, (LegTrigger::Requested, LegStage::Processing(Call::Due { at: now })))
    }

    /// Returns a leg whose money was returned.
    pub(super) fn returned(
        planned: PlannedLeg,
        card: Option<CardSummary>,
        reference: Option<AcquirerReference>,
        now: DateTime<Utc>,
    ) -> Self {
        Self::begin(planned, card, reference, (LegTrigger::Recorded, LegStage::Succeeded { at: now }))
    }

    fn begin(
        planned: PlannedLeg,
        card: Option<CardSummary>,
        reference: Option<AcquirerReference>,
        (on, stage): (LegTrigger, LegStage),
    ) -> Self {
        let change = LegChange::To(stage.status());
        assert_eq!(next(None, on), Ok(change), "the stage of {on:?} contradicts the lifecycle");
        let PlannedLeg { ordinal, amount, itbis, method } = planned;
        Self {
            ordinal,
            amount,
            card,
            state: LegState { itbis, method, must_refund: false, reference, settled_by: None, stage },
        }
    }

    /// Rebuilds a leg from storage.
    pub const fn restore(ordinal: ChargeOrdinal, amount: i64, card: Option<CardSummary>, state: LegState) -> Self {
        Self { ordinal, amount, card, state }
    }

    /// Returns the mutable data.
    pub const fn state(&self) -> &LegState {
        &self.state
    }

    /// Returns the stage with its facts.
    pub const fn stage(&self) -> &LegStage {
        &self.state.stage
    }

    /// Returns the published status.
    pub const fn status(&self) -> LegStatus {
        self.state.stage.status()
    }

    /// Returns the reason of the failure; `None` unless the leg failed.
    pub const fn failure(&self) -> Option<RefundFailureCode> {
        match self.state.stage {
            LegStage::Failed { code, .. } => Some(code),
            _ => None,
        }
    }

    /// Returns when the leg ended.
    pub const fn settled_at(&self) -> Option<DateTime<Utc>> {
        match self.state.stage {
            LegStage::Succeeded { at } | LegStage::Failed { at, .. } => Some(at),
            LegStage::Processing(_) | LegStage::Verifying(_) => None,
        }
    }

    /// Returns when the next step is due.
    pub fn due_at(&self) -> Option<DateTime<Utc>> {
        match &self.state.stage {
            LegStage::Processing(Call::Due { at }) => Some(*at),
            LegStage::Processing(Call::Open { since, .. }) => {
                Some(since.checked_add_signed(crate::Split::CALL_LIFE).unwrap_or(*since))
            }
            LegStage::Verifying(verification) => Some(verification.next_check_at),
            LegStage::Succeeded { .. } | LegStage::Failed { .. } => None,
        }
    }

    /// Applies a trigger. `to` makes the new stage; it is not called for a return to `processing`, whose stage is a due
    /// refund.
    pub(super) fn step(
        &mut self,
        on: LegTrigger,
        to: impl FnOnce() -> LegStage,
        now: DateTime<Utc>,
    ) -> Result<LegChange, ImpossibleTrigger> {
        let change = next(Some(self.status()), on)?;
        match change {
            LegChange::Unchanged | LegChange::NewRefund => {}
            LegChange::ToRefund => {
                self.state.method = LegMethod::Refund;
                self.state.must_refund = true;
                self.state.stage = LegStage::Processing(Call::Due { at: now });
            }
            LegChange::To(_) | LegChange::Escalated => {
                let stage = to();
                let status = if let LegChange::To(status) = change { status } else { LegStatus::Verifying };
                assert_eq!(status, stage.status(), "the stage of {on:?} contradicts the lifecycle");
                self.state.stage = stage;
            }
        }
        Ok(change)
    }

    /// Applies a trigger that returns the money. `is_earlier_void` if an earlier void, and not the present operation,
    /// returned the money.
    pub(super) fn succeed(
        &mut self,
        on: LegTrigger,
        is_earlier_void: bool,
        now: DateTime<Utc>,
    ) -> Result<LegChange, ImpossibleTrigger> {
        let change = self.step(on, || LegStage::Succeeded { at: now }, now)?;
        if is_earlier_void && change == LegChange::To(LegStatus::Succeeded) {
            self.state.method = LegMethod::Void;
        }
        Ok(change)
    }

    /// Opens the call that is due, and returns the operation: `method`, unless the leg must be refunded.
    pub(super) fn open_call(&mut self, attempt: AttemptId, method: ReturnMethod, now: DateTime<Utc>) -> ReturnMethod {
        let method = if self.state.must_refund { ReturnMethod::Refund } else { method };
        self.state.method = method.into();
        self.state.stage = LegStage::Processing(Call::Open { attempt, since: now });
        method
    }

    /// Records the reference of the operation at the acquirer, if there is one.
    pub(super) fn record_reference(&mut self, reference: Option<AcquirerReference>) {
        self.state.reference = reference.or(self.state.reference.take());
    }

    /// Records an operator's finding, and its reference if the money was returned.
    pub(super) fn record_operator(&mut self, finding: OperatorFinding, result: LegResult) {
        self.record_reference(Some(finding.reference.clone()).filter(|_| result == LegResult::Returned));
        self.state.settled_by = Some(finding);
    }

    /// Records the share in the ITBIS of the final note.
    pub(super) const fn allocate_itbis(&mut self, itbis: i64) {
        self.state.itbis = itbis;
    }
}
