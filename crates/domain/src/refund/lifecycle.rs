//! Lifecycle of a leg, one edge per line, and the status of a refund.
//!
//! [`next`] is the only source: the code follows it, the tests walk it, and `docs/generated/refund-lifecycle.md` is
//! printed from it.

use super::{LegStatus, RefundOrigin, RefundScope, RefundStatus};

/// Declares the triggers in the order in which a leg meets them, with their descriptions.
macro_rules! triggers {
    ($($variant:ident: $meaning:literal,)+) => {
        /// Trigger of a change of a leg.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum LegTrigger { $(#[doc = $meaning] $variant,)+ }

        impl LegTrigger {
            /// Every trigger, in the order in which a leg meets them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the description.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

triggers! {
    Requested: "A refund through the acquirer was requested.",
    Recorded: "A refund outside was recorded, or money was found by the sweep.",
    Approved: "A response approves the void or the refund.",
    VoidRefused: "A response refuses the void.",
    RefundRefused: "A response refuses the refund.",
    NotSubmitted: "The request provably never left.",
    Ambiguous: "The response is ambiguous, or the lease of the call ended without a response.",
    FoundDone: "A look-up finds the amount of the leg returned.",
    FoundOtherAmount: "A look-up finds another amount returned.",
    FoundVoidRefused: "A look-up finds the void refused.",
    FoundRefundRefused: "A look-up finds the refund refused.",
    VoidNotDone: "Look-ups prove that no void was executed.",
    RefundNotFound: "Look-ups prove that no refund was executed.",
    Inconclusive: "A look-up is inconclusive.",
    SettledAsReturned: "An operator records that the money was returned.",
    SettledAsFailed: "An operator records that no money was returned.",
}

/// Change of a leg by a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LegChange {
    /// The leg enters this status. From `verifying` to `verifying`, only the time of the next look-up changes.
    To(LegStatus),
    /// The leg is processing, and its next attempt is a refund.
    ToRefund,
    /// The leg is verifying, and an operator must decide.
    Escalated,
    /// No change, and no event.
    Unchanged,
    /// The leg stays failed, and a new refund records the money.
    NewRefund,
}

/// The trigger cannot occur in this state: a fault that must alert an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{on:?} cannot occur for a leg that is {from:?}")]
pub struct ImpossibleTrigger {
    /// Status of the leg; `None` for a new one.
    pub from: Option<LegStatus>,
    /// The trigger.
    pub on: LegTrigger,
}

/// Returns the change of a leg of the status `from` by `on`. A new leg has no status.
///
/// Total: every pair has a change or is impossible. A refund that was refused is never retried automatically.
///
/// ```
/// use cobro_domain::refund::{LegChange, LegStatus::*, LegTrigger, next};
///
/// // A void comes too late: the same money is returned by a refund.
/// assert_eq!(next(Some(Processing), LegTrigger::VoidRefused), Ok(LegChange::ToRefund));
/// assert_eq!(next(Some(Processing), LegTrigger::RefundRefused), Ok(LegChange::To(Failed)));
/// ```
pub const fn next(from: Option<LegStatus>, on: LegTrigger) -> Result<LegChange, ImpossibleTrigger> {
    use {LegChange as C, LegStatus as S, LegTrigger as T};

    let Some(status) = from else {
        return match on {
            T::Requested => Ok(C::To(S::Processing)),
            T::Recorded => Ok(C::To(S::Succeeded)),
            _ => Err(ImpossibleTrigger { from, on }),
        };
    };
    Ok(match (status, on) {
        (_, T::Requested | T::Recorded) => return Err(ImpossibleTrigger { from, on }),

        (S::Processing | S::Verifying, T::Approved | T::FoundDone) => C::To(S::Succeeded),
        (S::Processing | S::Verifying, T::FoundOtherAmount) => C::Escalated,
        (S::Failed, T::Approved | T::FoundDone | T::FoundOtherAmount) => C::NewRefund,

        (S::Processing | S::Verifying, T::VoidRefused | T::FoundVoidRefused) => C::ToRefund,
        (S::Processing | S::Verifying, T::RefundRefused | T::FoundRefundRefused) => C::To(S::Failed),
        (S::Processing, T::NotSubmitted) => C::To(S::Failed),

        (S::Processing | S::Verifying, T::Ambiguous) => C::To(S::Verifying),
        (S::Verifying, T::VoidNotDone) => C::ToRefund,
        (S::Verifying, T::RefundNotFound) => C::To(S::Failed),
        (S::Verifying, T::Inconclusive) => C::To(S::Verifying),

        (S::Verifying, T::SettledAsReturned) => C::To(S::Succeeded),
        (S::Verifying, T::SettledAsFailed) => C::To(S::Failed),
        (_, T::SettledAsReturned | T::SettledAsFailed) => return Err(ImpossibleTrigger { from, on }),

        // A late or repeated message about a leg whose state is newer.
        (_, _) => C::Unchanged,
    })
}

/// Returns the status of a refund with these legs. The first rule that matches wins.
///
/// ```
/// use cobro_domain::refund::{LegStatus::*, RefundOrigin, RefundScope, RefundStatus, refund_status};
///
/// let scope = Some(RefundScope::All);
/// let status = |legs: &[_]| refund_status(RefundOrigin::Merchant, scope, legs);
/// assert_eq!(status(&[Succeeded, Verifying, Processing]), RefundStatus::Verifying);
/// assert_eq!(status(&[Succeeded, Failed]), RefundStatus::PartiallySucceeded);
/// ```
pub fn refund_status(origin: RefundOrigin, scope: Option<RefundScope>, legs: &[LegStatus]) -> RefundStatus {
    let all = |status: LegStatus| legs.iter().all(|leg| *leg == status);
    if legs.contains(&LegStatus::Verifying) {
        RefundStatus::Verifying
    } else if legs.contains(&LegStatus::Processing) {
        RefundStatus::Processing
    } else if origin == RefundOrigin::Provider && scope.is_none() {
        RefundStatus::Unattributed
    } else if all(LegStatus::Succeeded) {
        RefundStatus::Succeeded
    } else if all(LegStatus::Failed) {
        RefundStatus::Failed
    } else {
        RefundStatus::PartiallySucceeded
    }
}
