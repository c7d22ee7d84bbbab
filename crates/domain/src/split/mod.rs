//! Split payments: one bill, shared by 2 to 10 payers.
//!
//! Each share is authorized on a separate card, and the organizer captures them together. A [`Part`] follows
//! [`next`]; [`split_status`] and [`payment_status`] are folds of the parts and never stored.
//! [`Payment`](crate::Payment) and [`Sale`](crate::sale::Sale) have the commands; the calls to the provider are
//! [`Effect`]s.

mod authorize;
mod capture;
mod check;
mod command;
mod effect;
mod figures;
mod hold;
mod lifecycle;
mod look_up;
mod part;
mod release;
mod replacement;
mod shares;
mod status;
mod time;
mod window;

pub use authorize::AuthorizationOutcome;
pub use capture::CaptureOutcome;
pub use check::{Violation, check};
pub use command::{Renewal, SplitContext};
pub use effect::Effect;
pub use figures::{Figures, Reconciliation};
pub use hold::{PartHold, Replacement};
pub use lifecycle::{PartState, PartStatus, PartTrigger, next};
pub use look_up::HoldFinding;
pub use part::{Call, Part, PartDoubt, PartProgress, PartStage, ReleaseCause};
pub use release::ReleaseOutcome;
pub use replacement::ReplacementOutcome;
pub use shares::{Share, SplitDraft};
pub use status::{SplitStatus, payment_status, split_status};
pub use window::{SplitWindow, WindowTooLong};

use std::ops::RangeInclusive;

use chrono::{DateTime, TimeDelta, Utc};

use crate::{AttemptId, Conflict, payment::PaymentStatus};

/// A bill that is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    state: SplitState,
}

/// Everything that a split remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitState {
    /// The organizer.
    pub organizer: Organizer,
    /// When the window closes.
    pub expires_at: DateTime<Utc>,
    /// Whether the end of the window was acted upon.
    pub is_window_over: bool,
    /// Whether the window was extended, which happens once.
    pub is_extended: bool,
    /// How many times the split was renewed.
    pub renewals: u8,
    /// The shares, by ordinal.
    pub parts: Vec<Part>,
}

spelled! {
    /// Creator and organizer of a split.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Organizer {
        /// The merchant's own server.
        Merchant = "merchant",
        /// The payer of the checkout session.
        Payer = "payer",
    }
}

impl Split {
    /// A payment has this many parts.
    pub const PART_COUNTS: RangeInclusive<usize> = 2..=10;
    /// A partially paid split is open this much longer, once.
    pub const EXTENSION: TimeDelta = TimeDelta::hours(24);
    /// An expired split can be renewed for this long.
    pub const RENEWABLE_FOR: TimeDelta = TimeDelta::hours(24);
    /// A split is renewed at most this many times.
    pub const MAX_RENEWALS: u8 = 3;
    /// A call to the provider that is older was lost together with its caller.
    pub const CALL_LIFE: TimeDelta = TimeDelta::seconds(120);

    pub(crate) fn open(shares: Vec<Share>, organizer: Organizer, window: SplitWindow, now: DateTime<Utc>) -> Self {
        let parts = (1..).zip(shares).map(|(ordinal, share)| Part::new(ordinal, share)).collect();
        let expires_at = window.from(now);
        let state = SplitState { organizer, expires_at, is_window_over: false, is_extended: false, renewals: 0, parts };
        Self { state }
    }

    /// Rebuilds a split from storage. [`check`] validates it.
    pub const fn restore(state: SplitState) -> Self {
        Self { state }
    }

    /// Returns the state.
    pub const fn state(&self) -> &SplitState {
        &self.state
    }

    /// The shares, by ordinal.
    pub fn parts(&self) -> &[Part] {
        &self.state.parts
    }

    /// The part of that ordinal, if there is one.
    pub fn part(&self, ordinal: u8) -> Option<&Part> {
        self.parts().iter().find(|it| it.ordinal == ordinal)
    }

    /// The part that has `attempt` with the provider, or in doubt.
    pub fn part_of_attempt(&self, attempt: &AttemptId) -> Option<&Part> {
        self.parts().iter().find(|it| it.stage().attempt() == Some(attempt))
    }

    /// Returns the part whose funds the attempt has reserved.
    pub fn part_of_hold(&self, attempt: &AttemptId) -> Option<&Part> {
        self.parts().iter().find(|part| part.stage().hold().is_some_and(|hold| hold.attempt == *attempt))
    }

    /// When the window closes.
    pub const fn expires_at(&self) -> DateTime<Utc> {
        self.state.expires_at
    }

    /// Returns the state of each part.
    pub fn part_states(&self) -> Vec<PartState> {
        self.parts().iter().map(Part::part_state).collect()
    }

    /// The split's status.
    pub fn status(&self) -> SplitStatus {
        split_status(&self.part_states())
    }

    /// The payment's status.
    pub fn payment_status(&self) -> PaymentStatus {
        payment_status(&self.part_states(), self.state.is_window_over)
    }

    /// Whether no part will move again, unless the split is renewed.
    pub fn is_terminal(&self) -> bool {
        self.parts().iter().all(|it| it.part_state().is_at_rest())
    }

    /// When the last part came to rest; `None` while one has not.
    pub fn ended_at(&self) -> Option<DateTime<Utc>> {
        let ends = self.parts().iter().map(|it| match it.stage() {
            PartStage::Succeeded { at, .. } | PartStage::Released { at } | PartStage::Expired { at } => Some(*at),
            _ => None,
        });
        ends.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    pub(crate) fn any(&self, of: &[PartState]) -> bool {
        self.parts().iter().any(|it| of.contains(&it.part_state()))
    }

    pub(crate) fn all(&self, of: &[PartState]) -> bool {
        self.parts().iter().all(|it| of.contains(&it.part_state()))
    }

    pub(crate) fn is_in_doubt(&self) -> bool {
        self.parts().iter().any(|it| it.status() == PartStatus::Verifying)
    }

    /// Whether a payer is too late, even if the end was not processed yet.
    pub(crate) fn is_closed(&self, now: DateTime<Utc>) -> bool {
        self.state.is_window_over || now >= self.state.expires_at
    }

    /// The part that `attempt` is with the provider for.
    fn in_flight(&mut self, attempt: &AttemptId) -> Result<&mut Part, Conflict> {
        let found = self.state.parts.iter_mut().find(|it| it.stage().attempt() == Some(attempt));
        found.ok_or(Conflict::PaymentNotEditable)
    }
}
