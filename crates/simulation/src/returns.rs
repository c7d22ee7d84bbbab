//! Returned money in the provider's ledger: voids and refunds, requested by the deployment or made at the portal.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use domain::{
    AttemptId,
    refund::{RefundFailureCode, RefundTerms},
};
use ports::ReturnMethod;

/// The provider voids a charge for this many milliseconds: a little longer than the terms promise.
pub(crate) const VOID_WINDOW: u64 = 20 * 60 * 1000;

/// Terms of the simulated provider.
pub(crate) const TERMS: RefundTerms =
    RefundTerms { void_window: TimeDelta::minutes(19), refund_days: 180, allows_multiple: true };

/// Voids and refunds that reached the provider.
#[derive(Default)]
pub(crate) struct Returns {
    /// By the name of the attempt, or of the operation at the portal.
    pub(crate) rows: BTreeMap<String, Return>,
    /// Attempts that were sent.
    pub(crate) sent: BTreeSet<String>,
}

/// One operation that was executed or refused.
#[derive(Clone, Debug)]
pub(crate) struct Return {
    /// The attempt of the charge.
    pub(crate) charge: AttemptId,
    pub(crate) method: ReturnMethod,
    pub(crate) amount: i64,
    /// Our attempt; `None` for an operation at the portal.
    pub(crate) attempt: Option<AttemptId>,
    pub(crate) at: u64,
    /// Look-ups and lists show the operation from this time on.
    pub(crate) visible_at: u64,
    pub(crate) refusal: Option<RefundFailureCode>,
    /// The provider's name of the operation.
    pub(crate) reference: String,
}

impl Return {
    /// Whether money moved, and look-ups show that.
    pub(crate) fn is_visible(&self, now: u64) -> bool {
        self.refusal.is_none() && self.visible_at <= now
    }
}

impl Returns {
    /// Returns the money that was returned of a charge.
    pub(crate) fn of_charge(&self, charge: &AttemptId) -> i64 {
        self.executed(charge).map(|row| row.amount).sum()
    }

    /// Returns the operations that moved money of a charge.
    pub(crate) fn executed(&self, charge: &AttemptId) -> impl Iterator<Item = &Return> {
        self.rows.values().filter(move |row| row.charge == *charge && row.refusal.is_none())
    }

    /// Returns the operation of an attempt.
    pub(crate) fn of_attempt(&self, attempt: &AttemptId) -> Option<&Return> {
        self.rows.get(attempt.as_str())
    }

    /// Returns the visible void of a charge.
    pub(crate) fn void_of(&self, charge: &AttemptId, now: u64) -> Option<&Return> {
        self.executed(charge).find(|row| row.method == ReturnMethod::Void && row.is_visible(now))
    }

    /// Returns the visible operations that moved money.
    pub(crate) fn listed(&self, now: u64) -> impl Iterator<Item = &Return> {
        self.rows.values().filter(move |row| row.is_visible(now))
    }

    /// Records that an attempt is sent. Returns `false` if the attempt was sent before.
    pub(crate) fn send(&mut self, attempt: &AttemptId) -> bool {
        self.sent.insert(attempt.as_str().to_owned())
    }
}
