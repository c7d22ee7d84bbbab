//! Parts of a split, with the facts of each stage.

use chrono::{DateTime, Utc};

use super::{PartHold, PartState, PartStatus, PartTrigger, Replacement, Share, next};
use crate::{
    AttemptId, Conflict, Event, EventKind,
    attempt::CardSummary,
    payment::{Challenge, Decline, PendingAttempt, Verification},
};

/// One share of the bill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the part, from 1.
    pub ordinal: u8,
    /// Amount that the payer owes, and the ITBIS in it.
    pub share: Share,
    // Only `step` changes the stage, so that every change is an edge of `next`.
    state: PartProgress,
}

/// Mutable data of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartProgress {
    /// The card last submitted.
    pub method: Option<CardSummary>,
    /// How many cards were submitted.
    pub attempts: u32,
    /// How many of them provably never left, and are no tries of the payer's.
    pub not_submitted: u32,
    /// The stage.
    pub stage: PartStage,
}

/// Stage of a part. One variant per status, with exactly the facts of the stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartStage {
    /// Waiting for the payer.
    Unpaid,
    /// A card is at the provider.
    Processing {
        /// The attempt.
        submission: PendingAttempt,
        /// The pending challenge.
        challenge: Option<Challenge>,
    },
    /// The funds are reserved.
    Authorized(PartHold),
    /// The reservation is being captured.
    Capturing {
        /// The reservation.
        hold: PartHold,
        /// How far the capture has come.
        call: Call,
    },
    /// The reservation is being released.
    Releasing {
        /// The reservation.
        hold: PartHold,
        /// Cause of the release.
        cause: ReleaseCause,
        /// How far the release has come.
        call: Call,
        /// The earlier failure, if any.
        trouble: Option<Verification>,
    },
    /// The provider's response was unclear.
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
        hold: PartHold,
        /// When the money was known to have moved.
        at: DateTime<Utc>,
    },
    /// Released.
    Released {
        /// When.
        at: DateTime<Utc>,
    },
    /// The window ended.
    Expired {
        /// When.
        at: DateTime<Utc>,
    },
}

/// How far a capture or a release has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// The provider is to be called from then on.
    Due {
        /// When.
        at: DateTime<Utc>,
    },
    /// The call is committed; the request may or may not have reached the provider.
    Open {
        /// The attempt.
        attempt: AttemptId,
        /// Since when.
        since: DateTime<Utc>,
    },
}

spelled! {
    /// Why reserved funds are released.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ReleaseCause {
        /// The organizer released the parts, or the merchant canceled the payment.
        Command = "command",
        /// The window closed.
        Expiry = "expiry",
    }
}

/// Operation in doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartDoubt {
    /// Whether funds are reserved.
    Authorization(Verification),
    /// Whether they were captured.
    Capture(PartHold, Verification),
    /// Whether they were released.
    Release(PartHold, ReleaseCause, Verification),
}

impl ReleaseCause {
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

    /// The verification after a look-up.
    pub(super) fn at(&self, verification: Verification) -> Self {
        match self {
            Self::Authorization(_) => Self::Authorization(verification),
            Self::Capture(hold, _) => Self::Capture(hold.clone(), verification),
            Self::Release(hold, cause, _) => Self::Release(hold.clone(), *cause, verification),
        }
    }
}

impl PartStage {
    /// Returns the state of a part in this stage.
    pub const fn part_state(&self) -> PartState {
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
    pub const fn hold(&self) -> Option<&PartHold> {
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
        Self {
            ordinal,
            share,
            state: PartProgress { method: None, attempts: 0, not_submitted: 0, stage: PartStage::Unpaid },
        }
    }

    /// Rebuilds a part from storage.
    pub const fn restore(ordinal: u8, share: Share, state: PartProgress) -> Self {
        Self { ordinal, share, state }
    }

    /// Returns the mutable data.
    pub const fn state(&self) -> &PartProgress {
        &self.state
    }

    /// Returns the stage with its facts.
    pub const fn stage(&self) -> &PartStage {
        &self.state.stage
    }

    /// Returns the state.
    pub const fn part_state(&self) -> PartState {
        self.state.stage.part_state()
    }

    /// Returns the published status.
    pub const fn status(&self) -> PartStatus {
        self.part_state().status()
    }

    /// The refusal, exactly while the part is declined.
    pub const fn decline(&self) -> Option<&Decline> {
        match &self.state.stage {
            PartStage::Declined { decline, .. } => Some(decline),
            _ => None,
        }
    }

    /// Returns the pending challenge.
    pub const fn challenge(&self) -> Option<&Challenge> {
        match &self.state.stage {
            PartStage::Processing { challenge, .. } => challenge.as_ref(),
            _ => None,
        }
    }

    /// End of the reservation at the issuer; `None` without reserved funds.
    pub fn authorization_valid_until(&self) -> Option<DateTime<Utc>> {
        self.stage().hold().filter(|_| self.part_state().is_reserved()).map(|it| it.valid_until)
    }

    pub(super) fn card_submitted(&mut self, card: CardSummary) {
        self.state.method = Some(card);
        self.state.attempts = self.state.attempts.saturating_add(1);
    }

    /// The card last submitted never left.
    pub(super) fn card_unsent(&mut self) {
        self.state.not_submitted = self.state.not_submitted.saturating_add(1);
    }

    /// How many cards the provider may have received.
    pub const fn tries(&self) -> u32 {
        self.state.attempts.saturating_sub(self.state.not_submitted)
    }

    /// Only this function writes the stage. Each new status with an event has its event.
    pub(super) fn step(&mut self, on: PartTrigger, to: PartStage) -> Result<Option<Event>, Conflict> {
        let from = self.part_state();
        let part_state = next(from, on)?;
        assert_eq!(part_state, to.part_state(), "the stage of {on:?} contradicts the lifecycle");
        self.state.stage = to;
        if part_state.status() == from.status() {
            return Ok(None);
        }
        let kind = match part_state {
            PartState::Authorized => EventKind::PaymentPartAuthorized,
            PartState::Declined => EventKind::PaymentPartDeclined,
            PartState::Succeeded => EventKind::PaymentPartCaptured,
            PartState::Released => EventKind::PaymentPartReleased,
            PartState::Expired => EventKind::PaymentPartExpired,
            // The reservation expired, although the part is payable again.
            PartState::Unpaid if on == PartTrigger::Lapsed => EventKind::PaymentPartExpired,
            _ => return Ok(None),
        };
        Ok(Some(Event::with_previous_status(kind, from.status().as_str()).of_part(self.ordinal)))
    }

    /// A captured or released part is not reserved again.
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

    /// Replaces the facts within a state, without a trigger.
    pub(super) fn stay(&mut self, at: PartStage) {
        assert_eq!(self.part_state(), at.part_state(), "facts alone were to change");
        self.state.stage = at;
    }
}
