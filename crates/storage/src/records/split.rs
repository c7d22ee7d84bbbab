use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Currency, Money, Split,
    attempt::CardSummary,
    payment::{Decline, PendingAttempt, Verification},
    split::{Call, Organizer, Part, PartDoubt, PartHold, PartProgress, PartStage, Replacement, Share, SplitState},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    VerificationProgress,
    json::{Json, Own, Ref, record, tagged, via},
};

/// A split bill with the stages of all parts.
pub(crate) struct SplitRecord {
    organizer: Organizer,
    expires_at: DateTime<Utc>,
    is_window_over: bool,
    is_extended: bool,
    renewals: u8,
    /// By ordinal, from 1.
    parts: Vec<PartRecord>,
}

/// One part, in the currency of the payment.
struct PartRecord {
    amount: i64,
    itbis: i64,
    method: Option<CardSummary>,
    attempts: u32,
    /// Number of cards that were not submitted.
    not_submitted: u32,
    stage: PartStage,
}

record!(SplitRecord { organizer, expires_at, is_window_over, is_extended, renewals, parts });
record!(PartRecord { amount, itbis, method, attempts, not_submitted, stage });

impl From<&Split> for SplitRecord {
    fn from(split: &Split) -> Self {
        let part = |part: &Part| PartRecord {
            amount: part.share.amount.minor_units(),
            itbis: part.share.allocated_itbis.minor_units(),
            method: part.state().method.clone(),
            attempts: part.state().attempts,
            not_submitted: part.state().not_submitted,
            stage: part.stage().clone(),
        };
        let SplitState { organizer, expires_at, is_window_over, is_extended, renewals, parts } = split.state();
        Self {
            organizer: *organizer,
            expires_at: *expires_at,
            is_window_over: *is_window_over,
            is_extended: *is_extended,
            renewals: *renewals,
            parts: parts.iter().map(part).collect(),
        }
    }
}

impl SplitRecord {
    pub(crate) fn restore(self, currency: Currency) -> Split {
        let part = |(ordinal, part): (u8, PartRecord)| {
            let PartRecord { amount, itbis, method, attempts, not_submitted, stage } = part;
            let money = |minor_units| Money::new(minor_units, currency);
            let share = Share { amount: money(amount), allocated_itbis: money(itbis) };
            Part::restore(ordinal, share, PartProgress { method, attempts, not_submitted, stage })
        };
        let Self { organizer, expires_at, is_window_over, is_extended, renewals, parts } = self;
        let parts = (1..).zip(parts).map(part).collect();
        Split::restore(SplitState { organizer, expires_at, is_window_over, is_extended, renewals, parts })
    }
}

tagged!(PartStage by "status" {
    "unpaid" {} => [Self::Unpaid],
    "processing" { since, attempt, before, challenge } => [
        Self::Processing { submission: PendingAttempt { since, attempt, before }, challenge }
    ],
    "verifying_authorization" { doubt } => [Self::Verifying(PartDoubt::Authorization(doubt))],
    "authorized" { hold } => [Self::Authorized(hold)],
    "capturing" { hold, call } => [Self::Capturing { hold, call }],
    "verifying_capture" { hold, doubt } => [Self::Verifying(PartDoubt::Capture(hold, doubt))],
    "releasing" { hold, cause, call, trouble } => [Self::Releasing { hold, cause, call, trouble }],
    "verifying_release" { hold, cause, doubt } => [Self::Verifying(PartDoubt::Release(hold, cause, doubt))],
    "declined" { decline, at } => [Self::Declined { decline, at }],
    "succeeded" { hold, at } => [Self::Succeeded { hold, at }],
    "released" { at } => [Self::Released { at }],
    "expired" { at } => [Self::Expired { at }],
});
record!(Decline { code, can_try_again });
record!(PartHold { attempt, authorized_at, valid_until, is_warned, replacement });

/// A call that is due at that time, or, with an attempt, that started then.
struct CallRecord {
    at: DateTime<Utc>,
    attempt: Option<AttemptId>,
}

record!(CallRecord { at, attempt });
via!(Call as CallRecord:
    |call| match call {
        Self::Due { at } => CallRecord { at: *at, attempt: None },
        Self::Open { attempt, since } => CallRecord { at: *since, attempt: Some(attempt.clone()) },
    },
    |CallRecord { at, attempt }| Some(match attempt {
        None => Self::Due { at },
        Some(attempt) => Self::Open { attempt, since: at },
    })
);

struct ReplacementRecord {
    card: AttemptId,
    call: Call,
}

record!(ReplacementRecord { card, call });
// `null` if no card is stored for a replacement.
via!(Replacement as Option<ReplacementRecord>:
    |replacement| match replacement.clone() {
        Self::Never => None,
        Self::Due { at, card } => Some(ReplacementRecord { card, call: Call::Due { at } }),
        Self::Open { attempt, since, card } => Some(ReplacementRecord { card, call: Call::Open { attempt, since } }),
    },
    |record| Some(match record {
        None => Self::Never,
        Some(ReplacementRecord { card, call: Call::Due { at } }) => Self::Due { at, card },
        Some(ReplacementRecord { card, call: Call::Open { attempt, since } }) => Self::Open { attempt, since, card },
    })
);

struct VerificationRecord {
    attempt: AttemptId,
    submitted_at: DateTime<Utc>,
    verification: VerificationProgress,
}

record!(VerificationRecord { attempt, submitted_at, verification });
via!(Verification as VerificationRecord:
    |verification| VerificationRecord {
        attempt: verification.attempt.clone(),
        submitted_at: verification.submitted_at,
        verification: VerificationProgress::from(verification),
    },
    |record| Some(record.verification.restore(record.attempt, record.submitted_at))
);
