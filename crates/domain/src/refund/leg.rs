//! Legs of a refund, with the facts of each stage.

use chrono::{DateTime, Utc};

use super::{ImpossibleTrigger, LegChange, LegMethod, LegStatus, LegTrigger, PlannedLeg, RefundFailureCode, next};
use crate::{AttemptId, attempt::CardSummary, payment::Verification, split::Call, text::BoundedText};

/// The acquirer's name of an operation.
pub type AcquirerReference = BoundedText<1, 64>;

/// Share of a refund that one charge returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The part of the split; `None` without a split.
    pub ordinal: Option<u8>,
    /// Amount in minor units.
    pub amount: i64,
    /// The card of the charge.
    pub card: Option<CardSummary>,
    // Only `step` changes the stage, so that every change is an edge of `next`.
    state: LegState,
}

/// Mutable data of a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegState {
    /// Share in the ITBIS of the note: of the planned one, then of the final one.
    pub itbis: i64,
    /// The operation of the next, the open or the last attempt.
    pub method: LegMethod,
    /// Whether a void was tried and not executed: the next attempt is a refund.
    pub is_void_over: bool,
    /// The acquirer's name of the void or of the refund.
    pub reference: Option<AcquirerReference>,
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
        Self::new(planned, card, None, LegStage::Processing(Call::Due { at: now }))
    }

    /// Returns a leg whose money was returned.
    pub(super) fn returned(
        planned: PlannedLeg,
        card: Option<CardSummary>,
        reference: Option<AcquirerReference>,
        now: DateTime<Utc>,
    ) -> Self {
        Self::new(planned, card, reference, LegStage::Succeeded { at: now })
    }

    fn new(
        planned: PlannedLeg,
        card: Option<CardSummary>,
        reference: Option<AcquirerReference>,
        stage: LegStage,
    ) -> Self {
        let PlannedLeg { ordinal, amount, itbis, method } = planned;
        Self { ordinal, amount, card, state: LegState { itbis, method, is_void_over: false, reference, stage } }
    }

    /// Rebuilds a leg from storage.
    pub const fn restore(ordinal: Option<u8>, amount: i64, card: Option<CardSummary>, state: LegState) -> Self {
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

    /// Applies a trigger. `to` returns the new stage; only a return to `processing` has a fixed one, a due refund.
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
                self.state.is_void_over = true;
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

    /// Opens the call that is due.
    pub(super) fn open_call(&mut self, attempt: AttemptId, method: LegMethod, now: DateTime<Utc>) {
        self.state.method = if self.state.is_void_over { LegMethod::Refund } else { method };
        self.state.stage = LegStage::Processing(Call::Open { attempt, since: now });
    }

    /// Records the acquirer's name of the operation, and whether that was the earlier void.
    pub(super) fn record_reference(&mut self, reference: Option<AcquirerReference>, is_earlier_void: bool) {
        self.state.reference = reference.or(self.state.reference.take());
        if is_earlier_void {
            self.state.method = LegMethod::Void;
        }
    }

    /// Records the share in the ITBIS of the final note.
    pub(super) const fn allocate_itbis(&mut self, itbis: i64) {
        self.state.itbis = itbis;
    }
}
