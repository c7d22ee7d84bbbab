//! How a split hears what a provider said of a part.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::DeclineCode,
    split::{AuthorizationAnswer, CaptureAnswer, HoldFinding, ReleaseAnswer, Replacement, ReplacementAnswer},
};
use ports::{CardProvider, LookUp, NotSubmitted, Outcome, ProviderAnswer};

use crate::provider_call;

/// What is known after a call, in the domain's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Capture(CaptureAnswer),
    Release(ReleaseAnswer),
    Replacement(ReplacementAnswer),
    Finding(HoldFinding),
}

/// What a card that was to reserve a share came to. Issuers keep funds from when they were asked,
/// and not from when we heard of it.
pub(crate) fn authorization(
    said: &ProviderAnswer,
    attempt: &Attempt,
    provider: &dyn CardProvider,
) -> AuthorizationAnswer {
    match &said.outcome {
        Outcome::Approved => AuthorizationAnswer::Approved {
            valid_until: valid_until(attempt, provider),
            is_card_kept: said.token.is_some(),
        },
        Outcome::Declined(code) => AuthorizationAnswer::Declined(*code),
        Outcome::ActionRequired(action) => match provider_call::asked(action, attempt) {
            Some((link, action)) => AuthorizationAnswer::ChallengeAsked(link, action),
            None => AuthorizationAnswer::Declined(provider_call::UNASKED),
        },
        Outcome::Opened | Outcome::Ambiguous => AuthorizationAnswer::Ambiguous,
        Outcome::NotSubmitted(_) => AuthorizationAnswer::NotSubmitted,
    }
}

/// What a capture came to; `None` if a look-up must tell what the refusal left.
pub(super) const fn capture(outcome: &Outcome) -> Option<CaptureAnswer> {
    match outcome {
        Outcome::Approved => Some(CaptureAnswer::Captured),
        Outcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => Some(CaptureAnswer::NotSubmitted),
        Outcome::Declined(_) | Outcome::NotSubmitted(NotSubmitted::Rejected) => None,
        Outcome::Opened | Outcome::ActionRequired(_) | Outcome::Ambiguous => Some(CaptureAnswer::Ambiguous),
    }
}

/// What a capture that was refused with `outcome` has left of the reservation.
pub(super) const fn refused_capture(outcome: &Outcome, found: HoldFinding) -> CaptureAnswer {
    match (found, outcome) {
        // Nothing was wrong with the reservation, but with what was asked.
        (HoldFinding::Held { .. }, Outcome::NotSubmitted(_)) => CaptureAnswer::NotSubmitted,
        (HoldFinding::Held { .. }, _) => CaptureAnswer::Refused,
        (HoldFinding::Gone, _) => CaptureAnswer::HoldGone,
        (HoldFinding::Captured, _) => CaptureAnswer::Captured,
        (HoldFinding::Declined(_) | HoldFinding::Unfinished | HoldFinding::Nothing | HoldFinding::Unknown, _) => {
            CaptureAnswer::Ambiguous
        }
    }
}

/// What a release came to. Why one was refused, look-ups tell.
pub(super) const fn release(outcome: &Outcome) -> ReleaseAnswer {
    match outcome {
        Outcome::Approved => ReleaseAnswer::Released,
        Outcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => ReleaseAnswer::NotSubmitted,
        Outcome::Declined(_) | Outcome::NotSubmitted(NotSubmitted::Rejected) => ReleaseAnswer::Refused,
        Outcome::Opened | Outcome::ActionRequired(_) | Outcome::Ambiguous => ReleaseAnswer::Ambiguous,
    }
}

/// What a reservation came to that was made anew, without its cardholder.
pub(super) fn replacement(outcome: &Outcome, attempt: &Attempt, provider: &dyn CardProvider) -> ReplacementAnswer {
    match outcome {
        Outcome::Approved => {
            let validity = provider.hold_life().unwrap_or(TimeDelta::zero());
            ReplacementAnswer::Approved { valid_until: Replacement::valid_until(attempt.started_at, validity) }
        }
        Outcome::Declined(_) => ReplacementAnswer::Refused,
        Outcome::ActionRequired(_) => {
            tracing::error!(attempt = %attempt.id, "the issuer wants to see who is not there: the account asks for it");
            ReplacementAnswer::Refused
        }
        Outcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => ReplacementAnswer::NotSubmitted,
        Outcome::NotSubmitted(NotSubmitted::Rejected) => ReplacementAnswer::Refused,
        Outcome::Opened | Outcome::Ambiguous => ReplacementAnswer::Ambiguous,
    }
}

/// What a look-up has found of the attempt `hold`. Funds of another amount prove nothing.
pub(super) fn found(look_up: &LookUp, hold: &Attempt, provider: &dyn CardProvider) -> HoldFinding {
    match look_up {
        LookUp::Held { amount, .. } if *amount == hold.amount => {
            HoldFinding::Held { valid_until: valid_until(hold, provider) }
        }
        LookUp::Captured { amount, .. } if *amount == hold.amount => HoldFinding::Captured,
        LookUp::Held { .. } | LookUp::Captured { .. } => {
            tracing::error!(attempt = %hold.id, "the provider holds another amount than was asked");
            HoldFinding::Unknown
        }
        LookUp::Approved { .. } => {
            tracing::error!(attempt = %hold.id, "the provider charged a card that was to reserve funds");
            HoldFinding::Unknown
        }
        LookUp::Gone => HoldFinding::Gone,
        LookUp::Declined(code) => HoldFinding::Declined(*code),
        LookUp::Unfinished => HoldFinding::Unfinished,
        LookUp::NotFound => HoldFinding::Nothing,
        LookUp::Unknown => HoldFinding::Unknown,
    }
}

/// What a call whose caller has gone came to, by what was found of its reservation. That the funds
/// are held as before proves nothing yet: the call may still be on its way.
pub(super) const fn left_behind(kind: AttemptKind, found: HoldFinding) -> Heard {
    match (kind, found) {
        (AttemptKind::Capture, HoldFinding::Captured) => Heard::Capture(CaptureAnswer::Captured),
        (AttemptKind::Capture, HoldFinding::Gone) => Heard::Capture(CaptureAnswer::HoldGone),
        (AttemptKind::Capture, _) => Heard::Capture(CaptureAnswer::Ambiguous),
        (_, HoldFinding::Captured) => Heard::Release(ReleaseAnswer::AlreadyCaptured),
        (_, HoldFinding::Gone) => Heard::Release(ReleaseAnswer::HoldGone),
        (_, _) => Heard::Release(ReleaseAnswer::Ambiguous),
    }
}

impl Heard {
    /// What has become of the attempt that was of `kind`, once the part is or is not in doubt about it.
    pub(super) const fn state(self, kind: AttemptKind, is_in_doubt: bool) -> AttemptState {
        use ReplacementAnswer as R;
        use {AttemptKind as K, HoldFinding as F};
        match self {
            Self::Replacement(R::Approved { .. }) => AttemptState::Approved,
            Self::Replacement(R::Refused) => AttemptState::Declined(DeclineCode::GenericDecline),
            Self::Replacement(R::NotSubmitted) => AttemptState::NotSubmitted,
            Self::Capture(CaptureAnswer::Ambiguous)
            | Self::Release(ReleaseAnswer::Ambiguous)
            | Self::Replacement(R::Ambiguous) => AttemptState::Unknown,
            _ if is_in_doubt => AttemptState::Unknown,
            Self::Capture(CaptureAnswer::Captured)
            | Self::Release(ReleaseAnswer::Released | ReleaseAnswer::HoldGone) => AttemptState::Approved,
            Self::Capture(CaptureAnswer::Refused | CaptureAnswer::HoldGone)
            | Self::Release(ReleaseAnswer::AlreadyCaptured | ReleaseAnswer::Refused) => {
                AttemptState::Declined(DeclineCode::GenericDecline)
            }
            Self::Capture(CaptureAnswer::NotSubmitted) | Self::Release(ReleaseAnswer::NotSubmitted) => {
                AttemptState::NotSubmitted
            }
            Self::Finding(found) => match (kind, found) {
                (K::Authorization, F::Held { .. }) | (K::Capture, F::Captured) | (K::Release, F::Gone) => {
                    AttemptState::Approved
                }
                (_, F::Declined(code)) => AttemptState::Declined(code),
                (_, F::Unfinished) => AttemptState::Declined(provider_call::UNASKED),
                (K::Capture, F::Gone) => AttemptState::Declined(DeclineCode::GenericDecline),
                _ => AttemptState::NotHappened,
            },
        }
    }
}

fn valid_until(hold: &Attempt, provider: &dyn CardProvider) -> DateTime<Utc> {
    let life = provider.hold_life().unwrap_or(TimeDelta::zero());
    hold.started_at.checked_add_signed(life).unwrap_or(hold.started_at)
}
