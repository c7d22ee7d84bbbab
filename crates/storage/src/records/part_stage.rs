use chrono::{DateTime, Utc};
use domain::{
    AttemptId,
    payment::{Decline, DeclineCode, Submission, Verification},
    split::{Call, Hold, PartDoubt, PartStage, ReleaseCause, Replacement},
};
use serde::{Deserialize, Serialize};

use super::{ChallengeRecord, VerificationRecord, optional};

/// Status of a part, with the facts of that status.
#[derive(Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub(super) enum PartStageRecord {
    Unpaid,
    Processing { since: AtRecord, attempt: String, before: Option<DeclineRecord>, challenge: Option<ChallengeRecord> },
    VerifyingAuthorization { doubt: DoubtRecord },
    Authorized { hold: HoldRecord },
    Capturing { hold: HoldRecord, call: CallRecord },
    VerifyingCapture { hold: HoldRecord, doubt: DoubtRecord },
    Releasing { hold: HoldRecord, cause: String, call: CallRecord, trouble: Option<DoubtRecord> },
    VerifyingRelease { hold: HoldRecord, cause: String, doubt: DoubtRecord },
    Declined { decline: DeclineRecord, at: AtRecord },
    Succeeded { hold: HoldRecord, at: AtRecord },
    Released { at: AtRecord },
    Expired { at: AtRecord },
}

/// A moment.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct AtRecord(#[serde(with = "chrono::serde::ts_milliseconds")] DateTime<Utc>);

#[derive(Serialize, Deserialize)]
pub(super) struct DeclineRecord {
    code: String,
    can_try_again: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct HoldRecord {
    attempt: String,
    authorized_at: AtRecord,
    valid_until: AtRecord,
    is_warned: bool,
    /// `None` if no card is stored for a replacement.
    replacement: Option<ReplacementRecord>,
}

/// A replacement that is due then, or, if it has an attempt, that was made then.
#[derive(Serialize, Deserialize)]
struct ReplacementRecord {
    card: String,
    call: CallRecord,
}

/// A call that is due then, or, if it has an attempt, that was made then.
#[derive(Serialize, Deserialize)]
pub(super) struct CallRecord {
    at: AtRecord,
    attempt: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct DoubtRecord {
    attempt: String,
    submitted_at: AtRecord,
    verification: VerificationRecord,
}

impl From<&PartStage> for PartStageRecord {
    fn from(stage: &PartStage) -> Self {
        match stage {
            PartStage::Unpaid => Self::Unpaid,
            PartStage::Processing { submission, challenge } => Self::Processing {
                since: AtRecord(submission.since),
                attempt: submission.attempt.as_str().to_owned(),
                before: submission.before.as_ref().map(DeclineRecord::from),
                challenge: challenge.as_ref().map(ChallengeRecord::from),
            },
            PartStage::Authorized(hold) => Self::Authorized { hold: hold.into() },
            PartStage::Capturing { hold, call } => Self::Capturing { hold: hold.into(), call: call.into() },
            PartStage::Releasing { hold, cause, call, trouble } => Self::Releasing {
                hold: hold.into(),
                cause: cause.as_str().to_owned(),
                call: call.into(),
                trouble: trouble.as_ref().map(DoubtRecord::from),
            },
            PartStage::Verifying(PartDoubt::Authorization(doubt)) => {
                Self::VerifyingAuthorization { doubt: doubt.into() }
            }
            PartStage::Verifying(PartDoubt::Capture(hold, doubt)) => {
                Self::VerifyingCapture { hold: hold.into(), doubt: doubt.into() }
            }
            PartStage::Verifying(PartDoubt::Release(hold, cause, doubt)) => {
                Self::VerifyingRelease { hold: hold.into(), cause: cause.as_str().to_owned(), doubt: doubt.into() }
            }
            PartStage::Declined { decline, at } => Self::Declined { decline: decline.into(), at: AtRecord(*at) },
            PartStage::Succeeded { hold, at } => Self::Succeeded { hold: hold.into(), at: AtRecord(*at) },
            PartStage::Released { at } => Self::Released { at: AtRecord(*at) },
            PartStage::Expired { at } => Self::Expired { at: AtRecord(*at) },
        }
    }
}

impl PartStageRecord {
    pub(super) fn restore(self) -> Option<PartStage> {
        Some(match self {
            Self::Unpaid => PartStage::Unpaid,
            Self::Processing { since: AtRecord(since), attempt, before, challenge } => PartStage::Processing {
                submission: Submission {
                    attempt: AttemptId::parse(&attempt)?,
                    since,
                    before: optional(before, DeclineRecord::restore)?,
                },
                challenge: optional(challenge, ChallengeRecord::restore)?,
            },
            Self::VerifyingAuthorization { doubt } => PartStage::Verifying(PartDoubt::Authorization(doubt.restore()?)),
            Self::Authorized { hold } => PartStage::Authorized(hold.restore()?),
            Self::Capturing { hold, call } => PartStage::Capturing { hold: hold.restore()?, call: call.restore()? },
            Self::VerifyingCapture { hold, doubt } => {
                PartStage::Verifying(PartDoubt::Capture(hold.restore()?, doubt.restore()?))
            }
            Self::Releasing { hold, cause, call, trouble } => PartStage::Releasing {
                hold: hold.restore()?,
                cause: ReleaseCause::from_code(&cause)?,
                call: call.restore()?,
                trouble: optional(trouble, DoubtRecord::restore)?,
            },
            Self::VerifyingRelease { hold, cause, doubt } => {
                let cause = ReleaseCause::from_code(&cause)?;
                PartStage::Verifying(PartDoubt::Release(hold.restore()?, cause, doubt.restore()?))
            }
            Self::Declined { decline, at: AtRecord(at) } => PartStage::Declined { decline: decline.restore()?, at },
            Self::Succeeded { hold, at: AtRecord(at) } => PartStage::Succeeded { hold: hold.restore()?, at },
            Self::Released { at: AtRecord(at) } => PartStage::Released { at },
            Self::Expired { at: AtRecord(at) } => PartStage::Expired { at },
        })
    }
}

impl From<&Decline> for DeclineRecord {
    fn from(decline: &Decline) -> Self {
        Self { code: decline.code.as_str().to_owned(), can_try_again: decline.can_try_again }
    }
}

impl DeclineRecord {
    fn restore(self) -> Option<Decline> {
        Some(Decline { code: DeclineCode::from_code(&self.code)?, can_try_again: self.can_try_again })
    }
}

impl From<&Hold> for HoldRecord {
    fn from(hold: &Hold) -> Self {
        Self {
            attempt: hold.attempt.as_str().to_owned(),
            authorized_at: AtRecord(hold.authorized_at),
            valid_until: AtRecord(hold.valid_until),
            is_warned: hold.is_warned,
            replacement: ReplacementRecord::of(&hold.replacement),
        }
    }
}

impl HoldRecord {
    fn restore(self) -> Option<Hold> {
        Some(Hold {
            attempt: AttemptId::parse(&self.attempt)?,
            authorized_at: self.authorized_at.0,
            valid_until: self.valid_until.0,
            is_warned: self.is_warned,
            replacement: self.replacement.map_or(Some(Replacement::Never), ReplacementRecord::restore)?,
        })
    }
}

impl ReplacementRecord {
    fn of(replacement: &Replacement) -> Option<Self> {
        let record = |card: &AttemptId, call: &Call| Self { card: card.as_str().to_owned(), call: call.into() };
        match replacement {
            Replacement::Never => None,
            Replacement::Due { at, card } => Some(record(card, &Call::Due { at: *at })),
            Replacement::Open { attempt, since, card } => {
                Some(record(card, &Call::Open { attempt: attempt.clone(), since: *since }))
            }
        }
    }

    fn restore(self) -> Option<Replacement> {
        let card = AttemptId::parse(&self.card)?;
        Some(match self.call.restore()? {
            Call::Due { at } => Replacement::Due { at, card },
            Call::Open { attempt, since } => Replacement::Open { attempt, since, card },
        })
    }
}

impl From<&Call> for CallRecord {
    fn from(call: &Call) -> Self {
        match call {
            Call::Due { at } => Self { at: AtRecord(*at), attempt: None },
            Call::Open { attempt, since } => Self { at: AtRecord(*since), attempt: Some(attempt.as_str().to_owned()) },
        }
    }
}

impl CallRecord {
    fn restore(self) -> Option<Call> {
        let AtRecord(at) = self.at;
        Some(match self.attempt {
            None => Call::Due { at },
            Some(attempt) => Call::Open { attempt: AttemptId::parse(&attempt)?, since: at },
        })
    }
}

impl From<&Verification> for DoubtRecord {
    fn from(doubt: &Verification) -> Self {
        Self {
            attempt: doubt.attempt.as_str().to_owned(),
            submitted_at: AtRecord(doubt.submitted_at),
            verification: doubt.into(),
        }
    }
}

impl DoubtRecord {
    fn restore(self) -> Option<Verification> {
        Some(self.verification.restore(AttemptId::parse(&self.attempt)?, self.submitted_at.0))
    }
}
