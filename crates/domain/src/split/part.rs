//! One share of the bill, and the facts that it carries at each stage.

use chrono::{DateTime, TimeDelta, Utc};

use super::{PartState, PartStatus, PartTrigger, Replacement, Share, next};
use crate::{
    AttemptId, Conflict, Event, EventKind,
    attempt::CardSummary,
    payment::{Challenge, Decline, Submission, Verification},
};

/// One share of the bill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place, from 1.
    pub ordinal: u8,
    /// What its payer owes, and the ITBIS in it.
    pub share: Share,
    // Only `step` moves the stage in it, so every move is an edge of `next`.
    state: PartProgress,
}

/// What changes of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartProgress {
    /// The card last submitted.
    pub method: Option<CardSummary>,
    /// How many cards were submitted.
    pub attempts: u32,
    /// How many of them provably never left, and are no tries of the payer's.
    pub unsent: u32,
    /// Where the part stands.
    pub stage: PartStage,
}

/// One variant per status, holding what only that stage knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartStage {
    /// Waiting for its payer.
    Unpaid,
    /// A card is at the provider.
    Processing {
        /// The attempt.
        submission: Submission,
        /// What the issuer wants of the payer meanwhile.
        challenge: Option<Challenge>,
    },
    /// Its funds are reserved.
    Authorized(Hold),
    /// The reservation is being captured.
    Capturing {
        /// The reservation.
        hold: Hold,
        /// How far the capture has come.
        call: Call,
    },
    /// The reservation is being released.
    Releasing {
        /// The reservation.
        hold: Hold,
        /// Who wished that.
        cause: ReleaseCause,
        /// How far the release has come.
        call: Call,
        /// What went wrong with it before.
        trouble: Option<Verification>,
    },
    /// The provider's answer was unclear.
    Verifying(PartDoubt),
    /// Refused by the issuer.
    Declined {
        /// The refusal.
        decline: Decline,
        /// When.
        at: DateTime<Utc>,
    },
    /// The reservation was captured.
    Succeeded {
        /// The reservation.
        hold: Hold,
        /// When the money was known to have moved.
        at: DateTime<Utc>,
    },
    /// Given up.
    Released {
        /// When.
        at: DateTime<Utc>,
    },
    /// The window closed on it.
    Expired {
        /// When.
        at: DateTime<Utc>,
    },
}

/// Reserved funds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The attempt that reserved them: the name under which the provider knows them.
    pub attempt: AttemptId,
    /// When.
    pub authorized_at: DateTime<Utc>,
    /// Until when the issuer keeps them reserved.
    pub valid_until: DateTime<Utc>,
    /// Whether the world was told that they will soon be free.
    pub is_warned: bool,
    /// Whether they can be reserved anew before they are.
    pub replacement: Replacement,
}

/// How far a capture or a release has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// The provider is to be called from then on.
    Due {
        /// When.
        at: DateTime<Utc>,
    },
    /// The call is durable; the provider may or may not have heard of it.
    Open {
        /// The attempt.
        attempt: AttemptId,
        /// Since when.
        since: DateTime<Utc>,
    },
}

/// Why reserved funds are released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReleaseCause {
    /// The organizer, or the merchant, gave the payment up.
    Command,
    /// The window closed.
    Expiry,
}

/// What is in doubt about a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartDoubt {
    /// Whether funds are reserved.
    Authorization(Verification),
    /// Whether they were captured.
    Capture(Hold, Verification),
    /// Whether they were released.
    Release(Hold, ReleaseCause, Verification),
}

impl Hold {
    /// The longest warning before the end.
    const WARNING: TimeDelta = TimeDelta::hours(24);

    /// When the world is warned: 24 hours before the end, or a quarter of a validity that is short.
    pub fn warn_at(&self) -> DateTime<Utc> {
        let validity = self.valid_until.signed_duration_since(self.authorized_at);
        let ahead = Self::WARNING.min(validity.checked_div(4).unwrap_or(validity));
        self.valid_until.checked_sub_signed(ahead).unwrap_or(self.valid_until)
    }

    /// Whether the issuer has given the funds free by `now`.
    pub fn has_lapsed(&self, now: DateTime<Utc>) -> bool {
        now >= self.valid_until
    }
}

impl ReleaseCause {
    /// Every cause.
    pub const ALL: [Self; 2] = [Self::Command, Self::Expiry];

    /// The spelling in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Expiry => "expiry",
        }
    }

    /// The cause spelled as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }

    /// The trigger of a reservation that is gone for this cause.
    pub(super) const fn gone(self) -> PartTrigger {
        match self {
            Self::Command => PartTrigger::Released,
            Self::Expiry => PartTrigger::ReleasedByExpiry,
        }
    }

    pub(super) const fn gone_stage(self, at: DateTime<Utc>) -> PartStage {
        match self {
            Self::Command => PartStage::Released { at },
            Self::Expiry => PartStage::Expired { at },
        }
    }
}

impl PartDoubt {
    /// Progress of the look-ups.
    pub const fn verification(&self) -> &Verification {
        match self {
            Self::Authorization(it) | Self::Capture(_, it) | Self::Release(_, _, it) => it,
        }
    }

    /// The same doubt, further on.
    pub(super) fn at(&self, verification: Verification) -> Self {
        match self {
            Self::Authorization(_) => Self::Authorization(verification),
            Self::Capture(hold, _) => Self::Capture(hold.clone(), verification),
            Self::Release(hold, cause, _) => Self::Release(hold.clone(), *cause, verification),
        }
    }
}

impl PartStage {
    /// Where a part of this stage stands.
    pub const fn standing(&self) -> PartState {
        match self {
            Self::Unpaid => PartState::Unpaid,
            Self::Processing { .. } => PartState::Processing,
            Self::Authorized(_) => PartState::Authorized,
            Self::Capturing { .. } => PartState::Capturing,
            Self::Releasing { .. } => PartState::Releasing,
            Self::Verifying(PartDoubt::Authorization(_)) => PartState::VerifyingAuthorization,
            Self::Verifying(PartDoubt::Capture(..)) => PartState::VerifyingCapture,
            Self::Verifying(PartDoubt::Release(..)) => PartState::VerifyingRelease,
            Self::Declined { .. } => PartState::Declined,
            Self::Succeeded { .. } => PartState::Succeeded,
            Self::Released { .. } => PartState::Released,
            Self::Expired { .. } => PartState::Expired,
        }
    }

    /// The attempt that is with the provider, or in doubt.
    pub const fn attempt(&self) -> Option<&AttemptId> {
        match self {
            Self::Processing { submission, .. } => Some(&submission.attempt),
            Self::Capturing { call: Call::Open { attempt, .. }, .. }
            | Self::Releasing { call: Call::Open { attempt, .. }, .. } => Some(attempt),
            Self::Verifying(doubt) => Some(&doubt.verification().attempt),
            _ => None,
        }
    }

    /// The funds that are reserved, or were captured.
    pub const fn hold(&self) -> Option<&Hold> {
        match self {
            Self::Authorized(hold)
            | Self::Capturing { hold, .. }
            | Self::Releasing { hold, .. }
            | Self::Verifying(PartDoubt::Capture(hold, _) | PartDoubt::Release(hold, ..))
            | Self::Succeeded { hold, .. } => Some(hold),
            _ => None,
        }
    }
}

impl Part {
    /// A part's payer has this many tries.
    pub const MAX_TRIES: u32 = 5;

    pub(super) const fn new(ordinal: u8, share: Share) -> Self {
        Self { ordinal, share, state: PartProgress { method: None, attempts: 0, unsent: 0, stage: PartStage::Unpaid } }
    }

    /// Rebuilds a part from storage.
    pub const fn restore(ordinal: u8, share: Share, state: PartProgress) -> Self {
        Self { ordinal, share, state }
    }

    /// What has changed since it was cut.
    pub const fn state(&self) -> &PartProgress {
        &self.state
    }

    /// Where the part stands, with the facts of that stage.
    pub const fn stage(&self) -> &PartStage {
        &self.state.stage
    }

    /// Where the part stands.
    pub const fn standing(&self) -> PartState {
        self.state.stage.standing()
    }

    /// Where the part stands, as published.
    pub const fn status(&self) -> PartStatus {
        self.standing().status()
    }

    /// The refusal, exactly while the part is declined.
    pub const fn decline(&self) -> Option<&Decline> {
        match &self.state.stage {
            PartStage::Declined { decline, .. } => Some(decline),
            _ => None,
        }
    }

    /// What the issuer wants of the payer now.
    pub const fn challenge(&self) -> Option<&Challenge> {
        match &self.state.stage {
            PartStage::Processing { challenge, .. } => challenge.as_ref(),
            _ => None,
        }
    }

    /// Until when the issuer keeps the funds reserved; `None` unless they are.
    pub fn authorization_valid_until(&self) -> Option<DateTime<Utc>> {
        self.stage().hold().filter(|_| self.standing().is_reserved()).map(|it| it.valid_until)
    }

    pub(super) fn card_submitted(&mut self, card: CardSummary) {
        self.state.method = Some(card);
        self.state.attempts = self.state.attempts.saturating_add(1);
    }

    /// The card last submitted never left.
    pub(super) fn card_unsent(&mut self) {
        self.state.unsent = self.state.unsent.saturating_add(1);
    }

    /// How many cards the provider may have seen.
    pub const fn tries(&self) -> u32 {
        self.state.attempts.saturating_sub(self.state.unsent)
    }

    /// The only writer of the stage. An event tells of each entry of a status that has one.
    pub(super) fn step(&mut self, on: PartTrigger, to: PartStage) -> Result<Option<Event>, Conflict> {
        let from = self.standing();
        let standing = next(from, on)?;
        assert_eq!(standing, to.standing(), "the stage of {on:?} contradicts the lifecycle");
        self.state.stage = to;
        if standing.status() == from.status() {
            return Ok(None);
        }
        let kind = match standing {
            PartState::Authorized => EventKind::PaymentPartAuthorized,
            PartState::Declined => EventKind::PaymentPartDeclined,
            PartState::Succeeded => EventKind::PaymentPartCaptured,
            PartState::Released => EventKind::PaymentPartReleased,
            PartState::Expired => EventKind::PaymentPartExpired,
            // The reservation expired, although the part is payable again.
            PartState::Unpaid if on == PartTrigger::Lapsed => EventKind::PaymentPartExpired,
            _ => return Ok(None),
        };
        Ok(Some(Event::leaving(kind, from.status().as_str()).of_part(self.ordinal)))
    }

    /// Whoever is captured or given back is not reserved anew.
    pub(super) fn leave_replacement(&mut self) {
        let (PartStage::Capturing { hold, .. }
        | PartStage::Releasing { hold, .. }
        | PartStage::Verifying(PartDoubt::Capture(hold, _) | PartDoubt::Release(hold, ..))
        | PartStage::Succeeded { hold, .. }) = &mut self.state.stage
        else {
            return;
        };
        if matches!(hold.replacement, Replacement::Open { .. }) {
            hold.replacement = Replacement::Never;
        }
    }

    /// Puts other facts into the same standing, where nothing has happened that has a name.
    pub(super) fn stay(&mut self, at: PartStage) {
        assert_eq!(self.standing(), at.standing(), "facts alone were to change");
        self.state.stage = at;
    }
}
