//! Voids and refunds of a charge: the scenario of the card decides.

use chrono::TimeDelta;
use domain::payment::DeclineCode;

use super::scenario::{
    ResponseMode::{self, Late, Lost, NotProcessed, Refused, Truthful},
    TransactionOutcome::{self, Approved, Declined, NoEffect},
};

/// Behaviour of the voids and refunds of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RefundScenario {
    pub(crate) void: VoidMode,
    /// Outcome of a refund.
    pub(crate) outcome: TransactionOutcome,
    /// Response to a refund.
    pub(crate) response: ResponseMode,
    /// Delay before look-ups see a refund.
    pub(crate) lag: TimeDelta,
    /// Whether the charge takes one refund only.
    pub(crate) is_single: bool,
}

/// Behaviour of the void of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoidMode {
    /// Executed, with a response.
    Truthful,
    /// Refused, as after the settlement.
    Refused,
    /// Without a response.
    Lost {
        /// Whether the void is executed.
        is_done: bool,
    },
}

impl RefundScenario {
    /// Every operation is executed, with a response.
    pub(crate) const TRUTHFUL: Self = Self {
        void: VoidMode::Truthful,
        outcome: Approved,
        response: Truthful,
        lag: TimeDelta::zero(),
        is_single: false,
    };

    /// Returns the behaviour of a charge by the name of its scenario. Charges whose scenario concerns the refund refuse
    /// voids, so that a refund follows.
    pub(crate) fn of(scenario: &str) -> Self {
        let refund = |outcome, response| Self { void: VoidMode::Refused, outcome, response, ..Self::TRUTHFUL };
        let void = |void| Self { void, ..Self::TRUTHFUL };
        match scenario {
            "void_refused" => void(VoidMode::Refused),
            "void_no_answer_done" => void(VoidMode::Lost { is_done: true }),
            "void_no_answer_nothing" => void(VoidMode::Lost { is_done: false }),
            "refund_declined" => refund(Declined(DeclineCode::DoNotHonor), Truthful),
            "no_answer_refund_done" | "reset_after_refund" => refund(Approved, Lost),
            "no_answer_refund_nothing" => refund(NoEffect, Lost),
            "no_answer_refund_late" => Self { lag: TimeDelta::minutes(5), ..refund(Approved, Late) },
            "no_answer_refund_very_late" => Self { lag: TimeDelta::hours(2), ..refund(Approved, Late) },
            "refund_request_refused" => refund(NoEffect, Refused),
            "refund_not_processed" => refund(NoEffect, NotProcessed),
            "one_refund" => Self { is_single: true, ..Self::TRUTHFUL },
            _ => Self::TRUTHFUL,
        }
    }
}
