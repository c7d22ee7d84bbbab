//! Split payments: one bill, shared by 2 to 10 payers.
//!
//! Each share is authorized on a card of its own, and the organizer captures them together. A
//! [`Part`] lives along [`next`]; [`split_status`] and [`payment_status`] are folds of the parts
//! and stored nowhere. [`Payment`](crate::Payment) and [`Sale`](crate::sale::Sale) have the
//! commands; what must be asked of the provider comes out as [`Effect`]s.

mod authorize;
mod capture;
mod check;
mod command;
mod effect;
mod figures;
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
pub use lifecycle::{PartState, PartStatus, PartTrigger, next};
pub use look_up::HoldFinding;
pub use part::{Call, Hold, Part, PartDoubt, PartProgress, PartStage, ReleaseCause};
pub use release::ReleaseOutcome;
pub use replacement::{Replacement, ReplacementOutcome};
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
    /// Who may command it.
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

/// Who created a split, and thus commands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Organizer {
    /// The merchant's own server.
    Merchant,
    /// The payer whose checkout session did.
    Payer,
}

impl Organizer {
    /// Every organizer.
    pub const ALL: [Self; 2] = [Self::Merchant, Self::Payer];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merchant => "merchant",
            Self::Payer => "payer",
        }
    }

    /// The organizer published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
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
    /// A call to the provider that is older than this was lost, with whoever made it.
    pub const CALL_LIFE: TimeDelta = TimeDelta::seconds(120);

    pub(crate) fn open(shares: Vec<Share>, organizer: Organizer, window: SplitWindow, now: DateTime<Utc>) -> Self {
        let parts = (1..).zip(shares).map(|(ordinal, share)| Part::new(ordinal, share)).collect();
        let expires_at = window.from(now);
        let state = SplitState { organizer, expires_at, is_window_over: false, is_extended: false, renewals: 0, parts };
        Self { state }
    }

    /// Rebuilds a split from storage. Ask [`check`] whether it makes sense.
    pub const fn restore(state: SplitState) -> Self {
        Self { state }
    }

    /// Everything that it remembers.
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

    /// Returns the part whose funds that attempt has reserved.
    pub fn part_of_hold(&self, attempt: &AttemptId) -> Option<&Part> {
        self.parts().iter().find(|part| part.stage().hold().is_some_and(|hold| hold.attempt == *attempt))
    }

    /// When the window closes.
    pub const fn expires_at(&self) -> DateTime<Utc> {
        self.state.expires_at
    }

    /// Where each part stands.
    pub fn part_states(&self) -> Vec<PartState> {
        self.parts().iter().map(Part::standing).collect()
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
        self.parts().iter().all(|it| it.standing().is_at_rest())
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
        self.parts().iter().any(|it| of.contains(&it.standing()))
    }

    pub(crate) fn all(&self, of: &[PartState]) -> bool {
        self.parts().iter().all(|it| of.contains(&it.standing()))
    }

    pub(crate) fn is_in_doubt(&self) -> bool {
        self.parts().iter().any(|it| it.status() == PartStatus::Verifying)
    }

    /// Whether a payer is too late, whether or not anybody has acted upon it.
    pub(crate) fn is_closed(&self, now: DateTime<Utc>) -> bool {
        self.state.is_window_over || now >= self.state.expires_at
    }

    /// The part that `attempt` is with the provider for.
    fn in_flight(&mut self, attempt: &AttemptId) -> Result<&mut Part, Conflict> {
        let found = self.state.parts.iter_mut().find(|it| it.stage().attempt() == Some(attempt));
        found.ok_or(Conflict::PaymentNotEditable)
    }
}
