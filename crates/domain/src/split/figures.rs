//! Sums of a split.

use chrono::{DateTime, Utc};

use super::{PartStage, PartState, Split};
use crate::{Money, payment::Verification};

/// The sums that are published of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Settled money.
    pub captured: Money,
    /// Reserved money.
    pub authorized: Money,
    /// Amount that no card has reserved yet.
    pub remaining_to_authorize: Money,
    /// Amount that is not captured yet.
    pub remaining_to_capture: Money,
    /// How many parts are settled.
    pub captured_count: u8,
    /// How many parts are reserved.
    pub authorized_count: u8,
}

/// Progress of the look-ups about all parts, or all legs of a refund, in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconciliation {
    /// Time of the first unknown outcome.
    pub started_at: DateTime<Utc>,
    /// Time of the next look-up.
    pub next_check_at: DateTime<Utc>,
    /// Whether an operator must examine any of them.
    pub is_escalated: bool,
}

impl Reconciliation {
    /// Returns the earliest times of the verifications, and whether any is escalated; `None` without verifications.
    pub(crate) fn of<'a>(verifications: impl Iterator<Item = &'a Verification>) -> Option<Self> {
        let each = verifications.map(|it| Self {
            started_at: it.started_at,
            next_check_at: it.next_check_at,
            is_escalated: it.is_escalated,
        });
        each.reduce(|first, other| Self {
            started_at: first.started_at.min(other.started_at),
            next_check_at: first.next_check_at.min(other.next_check_at),
            is_escalated: first.is_escalated || other.is_escalated,
        })
    }
}

impl Split {
    /// Returns the sums; `None` only for parts that do not belong to one bill.
    pub fn figures(&self) -> Option<Figures> {
        let is_settled = |it: PartState| it == PartState::Succeeded;
        let (total, _) = self.sum(|_| true)?;
        let (captured, captured_count) = self.sum(is_settled)?;
        let (authorized, authorized_count) = self.sum(PartState::is_reserved)?;
        let less = |from: Money, it: Money| {
            Some(Money::new(from.minor_units().checked_sub(it.minor_units())?, total.currency()))
        };
        let remaining_to_capture = less(total, captured)?;
        Some(Figures {
            captured,
            authorized,
            remaining_to_authorize: less(remaining_to_capture, authorized)?,
            remaining_to_capture,
            captured_count,
            authorized_count,
        })
    }

    /// Progress of the look-ups, exactly while a part is in doubt.
    pub fn reconciliation(&self) -> Option<Reconciliation> {
        let doubts = self.parts().iter().filter_map(|it| match it.stage() {
            PartStage::Verifying(doubt) => Some(doubt.verification()),
            _ => None,
        });
        Reconciliation::of(doubts)
    }

    /// Whether a person was called about a part.
    pub(crate) fn is_escalated(&self) -> bool {
        self.parts().iter().any(|it| match it.stage() {
            PartStage::Verifying(doubt) => doubt.verification().is_escalated,
            PartStage::Releasing { trouble, .. } => trouble.as_ref().is_some_and(|it| it.is_escalated),
            _ => false,
        })
    }

    fn sum(&self, counts: impl Fn(PartState) -> bool) -> Option<(Money, u8)> {
        let currency = self.parts().first()?.share.amount.currency();
        let mut of_these = self.parts().iter().filter(|it| counts(it.part_state()));
        of_these.try_fold((Money::zero(currency), 0_u8), |(sum, count), it| {
            Some((sum.checked_add(it.share.amount)?, count.checked_add(1)?))
        })
    }
}
