//! Verification of voids and refunds: when an operation counts as not executed.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::{LegMethod, RefundFailureCode};
use crate::{fiscal::local_date, payment::Verification};

/// Result of a look-up of a void or a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundFinding {
    /// Executed, with this amount in minor units.
    Done {
        /// The returned amount.
        amount: i64,
    },
    /// Refused, for this reason.
    Refused(RefundFailureCode),
    /// Only for a void: the provider shows the charge without a void.
    NotDone,
    /// Only for a refund: the provider does not know the refund.
    NotFound {
        /// Last day of the listings without the refund, if every day since that of the attempt was listed.
        listed_until: Option<NaiveDate>,
    },
    /// The provider gave no usable response.
    Unknown,
}

impl RefundFinding {
    /// Whether the finding settles the operation, without another look-up.
    pub const fn is_conclusive(self) -> bool {
        matches!(self, Self::Done { .. } | Self::Refused(_))
    }
}

/// Minimum time and look-ups before a refund that is not found counts as not executed. They are longer than for a charge,
/// because a refund is irreversible and no customer waits for the result.
const REFUND_DELAY: TimeDelta = TimeDelta::hours(1);
const REFUND_CHECKS: u32 = 6;
const REFUND_NEGATIVES: u32 = 3;

/// Returns the verification of a void or a refund after a look-up, and whether the operation counts as not executed. The schedule is that of every [`Verification`].
///
/// A void counts as not executed by the rules for a charge. A refund does after an hour, six look-ups, three late
/// responses that do not know the refund, and listings of each day since the attempt without the refund.
#[must_use]
pub fn after_look_up(
    method: LegMethod,
    verification: &Verification,
    finding: RefundFinding,
    now: DateTime<Utc>,
) -> (Verification, bool) {
    let is_void = method == LegMethod::Void;
    let is_negative = match finding {
        RefundFinding::NotDone => is_void,
        RefundFinding::NotFound { .. } => !is_void,
        _ => false,
    };
    let checked = verification.after_look_up(is_negative, now);
    let is_settled = if is_void { checked.is_settled(now) } else { is_refund_settled(&checked, finding, now) };
    (checked, is_negative && is_settled)
}

fn is_refund_settled(checked: &Verification, finding: RefundFinding, now: DateTime<Utc>) -> bool {
    let RefundFinding::NotFound { listed_until } = finding else { return false };
    now.signed_duration_since(checked.submitted_at) >= REFUND_DELAY
        && checked.checks >= REFUND_CHECKS
        && checked.negatives >= REFUND_NEGATIVES
        && listed_until.is_some_and(|day| day >= local_date(now))
}
