//! The mapping of provider responses about parts to the domain.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::DeclineCode,
    split::{AuthorizationOutcome, CaptureOutcome, HoldFinding, ReleaseOutcome, Replacement, ReplacementOutcome},
};
use ports::{CallOutcome, CardProvider, LookUp, NotSubmitted, ProviderResponse};

use crate::payments::provider_call;

/// Outcome of a call about a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartOutcome {
    Capture(CaptureOutcome),
    Release(ReleaseOutcome),
    Replacement(ReplacementOutcome),
    Finding(HoldFinding),
}

/// Maps the outcome of a reservation. The validity begins with the request, as issuers count, and not with the
/// response.
pub(crate) fn authorization(
    response: &ProviderResponse,
    attempt: &Attempt,
    provider: &dyn CardProvider,
) -> AuthorizationOutcome {
    match &response.outcome {
        CallOutcome::Approved => AuthorizationOutcome::Approved {
            valid_until: valid_until(attempt, provider),
            is_card_stored: response.token.is_some(),
        },
        CallOutcome::Declined(code) => AuthorizationOutcome::Declined(*code),
        CallOutcome::ActionRequired(action) => match provider_call::challenge_of(action, attempt) {
            Some((link, action)) => AuthorizationOutcome::ChallengeRequired(link, action),
            None => AuthorizationOutcome::Declined(provider_call::UNFINISHABLE_AUTHENTICATION),
        },
        CallOutcome::Opened | CallOutcome::Ambiguous => AuthorizationOutcome::Ambiguous,
        CallOutcome::NotSubmitted(_) => AuthorizationOutcome::NotSubmitted,
    }
}

/// Maps the outcome of a capture; `None` if a look-up must find the state of the funds.
pub(super) const fn capture(outcome: &CallOutcome) -> Option<CaptureOutcome> {
    match outcome {
        CallOutcome::Approved => Some(CaptureOutcome::Captured),
        CallOutcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => Some(CaptureOutcome::NotSubmitted),
        CallOutcome::Declined(_) | CallOutcome::NotSubmitted(NotSubmitted::Rejected) => None,
        CallOutcome::Opened | CallOutcome::ActionRequired(_) | CallOutcome::Ambiguous => {
            Some(CaptureOutcome::Ambiguous)
        }
    }
}

/// Maps a refused capture, by the state of the funds after the refusal.
pub(super) const fn refused_capture(outcome: &CallOutcome, found: HoldFinding) -> CaptureOutcome {
    match (found, outcome) {
        // The request was refused, and the reservation is intact.
        (HoldFinding::Held { .. }, CallOutcome::NotSubmitted(_)) => CaptureOutcome::NotSubmitted,
        (HoldFinding::Held { .. }, _) => CaptureOutcome::Refused,
        (HoldFinding::Gone, _) => CaptureOutcome::HoldGone,
        (HoldFinding::Captured, _) => CaptureOutcome::Captured,
        (HoldFinding::Declined(_) | HoldFinding::Unfinished | HoldFinding::NotFound | HoldFinding::Unknown, _) => {
            CaptureOutcome::Ambiguous
        }
    }
}

/// Maps the outcome of a release. A look-up finds the reason of a refusal.
pub(super) const fn release(outcome: &CallOutcome) -> ReleaseOutcome {
    match outcome {
        CallOutcome::Approved => ReleaseOutcome::Released,
        CallOutcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => ReleaseOutcome::NotSubmitted,
        CallOutcome::Declined(_) | CallOutcome::NotSubmitted(NotSubmitted::Rejected) => ReleaseOutcome::Refused,
        CallOutcome::Opened | CallOutcome::ActionRequired(_) | CallOutcome::Ambiguous => ReleaseOutcome::Ambiguous,
    }
}

/// Maps the outcome of a renewed reservation, which is made without the cardholder.
pub(super) fn replacement(outcome: &CallOutcome, attempt: &Attempt, provider: &dyn CardProvider) -> ReplacementOutcome {
    match outcome {
        CallOutcome::Approved => {
            let validity = provider.hold_validity().unwrap_or(TimeDelta::zero());
            ReplacementOutcome::Approved { valid_until: Replacement::valid_until(attempt.started_at, validity) }
        }
        CallOutcome::Declined(_) => ReplacementOutcome::Refused,
        CallOutcome::ActionRequired(_) => {
            tracing::error!(attempt = %attempt.id, "the issuer requires a challenge for a renewed reservation: the account must not use 3-D Secure for these");
            ReplacementOutcome::Refused
        }
        CallOutcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => ReplacementOutcome::NotSubmitted,
        CallOutcome::NotSubmitted(NotSubmitted::Rejected) => ReplacementOutcome::Refused,
        CallOutcome::Opened | CallOutcome::Ambiguous => ReplacementOutcome::Ambiguous,
    }
}

/// Maps a look-up of the attempt `hold`. Funds of another amount are no proof.
pub(super) fn finding_of(look_up: &LookUp, hold: &Attempt, provider: &dyn CardProvider) -> HoldFinding {
    match look_up {
        LookUp::Held { amount, .. } if *amount == hold.amount => {
            HoldFinding::Held { valid_until: valid_until(hold, provider) }
        }
        LookUp::Captured { amount, .. } if *amount == hold.amount => HoldFinding::Captured,
        LookUp::Held { .. } | LookUp::Captured { .. } => {
            tracing::error!(attempt = %hold.id, "the provider reserved an amount other than requested");
            HoldFinding::Unknown
        }
        LookUp::Approved { .. } => {
            tracing::error!(attempt = %hold.id, "the provider charged a card that was to reserve funds");
            HoldFinding::Unknown
        }
        LookUp::Gone => HoldFinding::Gone,
        LookUp::Declined(code) => HoldFinding::Declined(*code),
        LookUp::Unfinished => HoldFinding::Unfinished,
        LookUp::NotFound => HoldFinding::NotFound,
        LookUp::Unknown => HoldFinding::Unknown,
    }
}

/// Maps the look-up of an interrupted call. Reserved funds are no proof yet: the provider may still execute the call.
pub(super) const fn of_interrupted(kind: AttemptKind, found: HoldFinding) -> PartOutcome {
    match (kind, found) {
        (AttemptKind::Capture, HoldFinding::Captured) => PartOutcome::Capture(CaptureOutcome::Captured),
        (AttemptKind::Capture, HoldFinding::Gone) => PartOutcome::Capture(CaptureOutcome::HoldGone),
        (AttemptKind::Capture, _) => PartOutcome::Capture(CaptureOutcome::Ambiguous),
        (_, HoldFinding::Captured) => PartOutcome::Release(ReleaseOutcome::AlreadyCaptured),
        (_, HoldFinding::Gone) => PartOutcome::Release(ReleaseOutcome::HoldGone),
        (_, _) => PartOutcome::Release(ReleaseOutcome::Ambiguous),
    }
}

impl PartOutcome {
    /// Returns the state of an attempt of `kind`; `is_in_doubt` is the state of the part.
    pub(super) const fn state(self, kind: AttemptKind, is_in_doubt: bool) -> AttemptState {
        use ReplacementOutcome as R;
        use {AttemptKind as K, HoldFinding as F};
        match self {
            Self::Replacement(R::Approved { .. }) => AttemptState::Approved,
            Self::Replacement(R::Refused) => AttemptState::Declined(DeclineCode::GenericDecline),
            Self::Replacement(R::NotSubmitted) => AttemptState::NotSubmitted,
            Self::Capture(CaptureOutcome::Ambiguous)
            | Self::Release(ReleaseOutcome::Ambiguous)
            | Self::Replacement(R::Ambiguous) => AttemptState::Unknown,
            _ if is_in_doubt => AttemptState::Unknown,
            Self::Capture(CaptureOutcome::Captured)
            | Self::Release(ReleaseOutcome::Released | ReleaseOutcome::HoldGone) => AttemptState::Approved,
            Self::Capture(CaptureOutcome::Refused | CaptureOutcome::HoldGone)
            | Self::Release(ReleaseOutcome::AlreadyCaptured | ReleaseOutcome::Refused) => {
                AttemptState::Declined(DeclineCode::GenericDecline)
            }
            Self::Capture(CaptureOutcome::NotSubmitted) | Self::Release(ReleaseOutcome::NotSubmitted) => {
                AttemptState::NotSubmitted
            }
            Self::Finding(found) => match (kind, found) {
                (K::Authorization, F::Held { .. }) | (K::Capture, F::Captured) | (K::Release, F::Gone) => {
                    AttemptState::Approved
                }
                (_, F::Declined(code)) => AttemptState::Declined(code),
                (_, F::Unfinished) => AttemptState::Declined(provider_call::UNFINISHABLE_AUTHENTICATION),
                (K::Capture, F::Gone) => AttemptState::Declined(DeclineCode::GenericDecline),
                _ => AttemptState::NotExecuted,
            },
        }
    }
}

fn valid_until(hold: &Attempt, provider: &dyn CardProvider) -> DateTime<Utc> {
    let life = provider.hold_validity().unwrap_or(TimeDelta::zero());
    hold.started_at.checked_add_signed(life).unwrap_or(hold.started_at)
}
