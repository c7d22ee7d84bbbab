//! Opening, replacing, deleting and renewing a split.

use chrono::{DateTime, Utc};

use super::{Part, PartStage, PartState, PartTrigger, Share, Split, SplitStatus, SplitWindow};
use crate::{Conflict, Event, Refusal, money::AmountLimits};

/// Snapshot of the merchant's set-up for a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitContext {
    /// Whether the merchant wants splits.
    pub is_split_enabled: bool,
    /// Whether the account can reserve funds and capture them later.
    pub can_authorize: bool,
    /// How long the split is open.
    pub window: SplitWindow,
    /// Limits of a share.
    pub limits: AmountLimits,
}

/// Conditions of a renewal outside of the sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// How long the new window is.
    pub window: SplitWindow,
    /// Whether a newer payment of the same sale reference succeeded.
    pub is_paid_otherwise: bool,
    /// Whether the account can sell now, or why not.
    pub account: Result<(), Refusal>,
}

impl Split {
    /// Whether the shares may still be replaced.
    pub(crate) fn check_unlocked(&self, now: DateTime<Utc>) -> Result<(), Conflict> {
        if self.is_in_doubt() {
            return Err(Conflict::PaymentAwaitingVerification);
        }
        if self.any(&[PartState::Processing]) {
            return Err(Conflict::PaymentMethodAlreadyInProgress);
        }
        // Once the window is over, the parts are as good as expired.
        if self.is_closed(now) || !self.is_untouched() {
            return Err(Conflict::PaymentSplitLocked);
        }
        Ok(())
    }

    /// Whether no part is reserved, in flight or ended.
    pub(crate) fn is_untouched(&self) -> bool {
        self.all(&[PartState::Unpaid, PartState::Declined])
    }

    /// Replaces the shares and the window. The organizer and the number of renewals stay.
    pub(crate) fn replace(&mut self, shares: Vec<Share>, window: SplitWindow, now: DateTime<Utc>) {
        self.state.parts = (1..).zip(shares).map(|(ordinal, share)| Part::new(ordinal, share)).collect();
        self.state.expires_at = window.from(now);
    }

    /// Whether the split expired and may have a new window, apart from conditions outside of the split.
    pub fn is_renewable(&self, now: DateTime<Utc>) -> bool {
        let is_recent = self.ended_at().is_some_and(|at| now.signed_duration_since(at) <= Self::RENEWABLE_FOR);
        self.status() == SplitStatus::Expired && self.state.renewals < Self::MAX_RENEWALS && is_recent
    }

    /// A new window for a split that expired.
    pub(crate) fn renew(&mut self, renewal: Renewal, now: DateTime<Utc>) -> Result<Vec<Event>, Refusal> {
        if self.is_in_doubt() {
            return Err(Conflict::PaymentAwaitingVerification.into());
        }
        if self.status() != SplitStatus::Expired {
            return Err(Conflict::PaymentSplitNotExpired.into());
        }
        if !self.is_renewable(now) || renewal.is_paid_otherwise {
            return Err(Conflict::PaymentSplitNotRenewable.into());
        }
        renewal.account?;
        let mut events = Vec::new();
        for part in &mut self.state.parts {
            events.extend(part.step(PartTrigger::Renewed, PartStage::Unpaid)?);
        }
        self.state.renewals = self.state.renewals.saturating_add(1);
        self.state.expires_at = renewal.window.from(now);
        self.state.is_window_over = false;
        Ok(events)
    }
}
