//! Columns of rows: how a value of the domain is stored, and which stored values are legal.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use domain::{
    Currency, EventId, MerchantAccountId, Money, PaymentId, RequestId,
    account::Probe,
    attempt::{AttemptState, CardSummary},
    credential::Session,
    fiscal::{EmailDelivery, EmailStatus, Observation, TaxId},
    merchant::Address,
    payment::{Challenge, DeclineCode},
    webhook::{EventSelection, WebhookAttempt, WebhookDeliveryStatus, WebhookResult},
};
use ports::{ArtifactKind, KeyState, StoredResponse};

use crate::{
    records::{self, VerificationProgress},
    text::Text,
    time::{date, day, instant, millis},
};

/// A type that is stored in a column of the Rust type `S`, or in several columns if `S` is a tuple.
pub(crate) trait Column<S>: Sized {
    fn store(&self) -> S;

    /// # Errors
    ///
    /// `column`, if the stored value is not legal.
    fn load(stored: S, column: &'static str) -> Result<Self, &'static str>;
}

impl<T: Text> Column<String> for T {
    fn store(&self) -> String {
        self.as_text().to_owned()
    }

    fn load(stored: String, column: &'static str) -> Result<Self, &'static str> {
        Self::from_text(&stored).ok_or(column)
    }
}

impl<S, T: Column<S>> Column<Option<S>> for Option<T> {
    fn store(&self) -> Option<S> {
        self.as_ref().map(T::store)
    }

    fn load(stored: Option<S>, column: &'static str) -> Result<Self, &'static str> {
        stored.map(|it| T::load(it, column)).transpose()
    }
}

/// Implements [`Column`] by two functions: one stores, and one loads or returns `None`.
macro_rules! column {
    ($($type:ty as $stored:ty: $store:expr, $load:expr;)*) => { $(
        impl Column<$stored> for $type {
            fn store(&self) -> $stored {
                let store: fn(&Self) -> $stored = $store;
                store(self)
            }

            fn load(stored: $stored, column: &'static str) -> Result<Self, &'static str> {
                let load: fn($stored) -> Option<Self> = $load;
                load(stored).ok_or(column)
            }
        }
    )* };
}

/// Format of a time without a zone.
const LOCAL_TIME: &str = "%Y-%m-%dT%H:%M:%S";

column! {
    bool as bool: Self::clone, Some;
    i64 as i64: Self::clone, Some;
    String as String: Self::clone, Some;
    Vec<u8> as Vec<u8>: Self::clone, Some;
    [u8; 32] as Vec<u8>: |digest| digest.to_vec(), |bytes| bytes.try_into().ok();
    u8 as i64: |number| (*number).into(), |number| number.try_into().ok();
    u32 as i64: |number| (*number).into(), |number| number.try_into().ok();
    // The database refuses a number that is too large.
    u64 as i64: |number| i64::try_from(*number).unwrap_or(i64::MAX), |number| number.try_into().ok();
    DateTime<Utc> as i64: |time| millis(*time), instant;
    TimeDelta as i64: Self::num_milliseconds, Self::try_milliseconds;
    NaiveDate as String: |date| day(*date), |text| date(&text);
    NaiveDateTime as String:
        |time| time.format(LOCAL_TIME).to_string(),
        |text| Self::parse_from_str(&text, LOCAL_TIME).ok();
    TaxId as String: |id| id.as_str().to_owned(), |text| Self::parse(&text).ok();
    ArtifactKind as String:
        |kind| kind.as_str().to_owned(),
        |text| {
            let all = [Self::SignedDocument, Self::SignedSummary, Self::PrintedRepresentation];
            all.into_iter().find(|kind| kind.as_str() == text)
        };
    Money as (i64, String):
        |money| (money.minor_units(), money.currency().store()),
        |(minor_units, code)| Some(Self::new(minor_units, Currency::from_code(&code)?));
    EventSelection as String:
        |events| records::text(&events.patterns()),
        |text| Self::parse(&records::read::<Vec<String>>(&text)?).ok();
    // An event of a sale is stored as payment and sequence number, any other event as its identifier and 0.
    EventId as (String, i64):
        |event| event.parts().map_or((event.to_string(), 0), |(payment, number)| (payment.to_string(), number.into())),
        |(subject, sequence)| match PaymentId::parse(&subject) {
            Some(payment) => Self::of(&payment, sequence.try_into().ok()?),
            None => Self::parse(&subject),
        };
    AttemptState as (String, Option<String>):
        |state| match state {
            Self::Declined(code) => (state.as_str().to_owned(), Some(code.store())),
            _ => (state.as_str().to_owned(), None),
        },
        |(state, code)| Some(match (state.as_str(), code) {
            ("open", None) => Self::Open,
            ("unknown", None) => Self::Unknown,
            ("approved", None) => Self::Approved,
            ("declined", Some(code)) => Self::Declined(DeclineCode::from_code(&code)?),
            ("not_submitted", None) => Self::NotSubmitted,
            ("not_happened", None) => Self::NotExecuted,
            ("reversed", None) => Self::Reversed,
            _ => return None,
        });
    Option<Session> as (Option<String>, Option<i64>):
        |session| match session {
            Some(Session::Idle { seen_at }) => (Some(IDLE.to_owned()), Some(millis(*seen_at))),
            Some(Session::Active) => (Some(ACTIVE.to_owned()), None),
            None => (None, None),
        },
        |stored| match (stored.0.as_deref(), stored.1) {
            (None, None) => Some(None),
            (Some(ACTIVE), None) => Some(Some(Session::Active)),
            (Some(IDLE), Some(at)) => Some(Some(Session::Idle { seen_at: instant(at)? })),
            _ => None,
        };
    WebhookDeliveryStatus as (String, Option<i64>, Option<i64>):
        |status| match *status {
            Self::Pending(due) => (status.as_str().to_owned(), Some(millis(due)), None),
            Self::Delivered(at) | Self::Failed(at) => (status.as_str().to_owned(), None, Some(millis(at))),
        },
        |(status, due, ended)| Some(match (status.as_str(), due.and_then(instant), ended.and_then(instant)) {
            ("pending", Some(due), None) => Self::Pending(due),
            ("delivered", None, Some(at)) => Self::Delivered(at),
            ("failed", None, Some(at)) => Self::Failed(at),
            _ => return None,
        });
    WebhookResult as String:
        |result| match (result, result.failure()) {
            (_, Some(failure)) => failure.to_owned(),
            (Self::Status(status), None) => status.to_string(),
            _ => String::new(),
        },
        |text| Self::from_failure(&text).or_else(|| text.parse().ok().map(Self::Status));
    Option<WebhookAttempt> as (Option<i64>, Option<String>, Option<i64>):
        |attempt| match attempt {
            Some(it) => (Some(millis(it.at)), Some(it.result.store()), Some(it.took.num_milliseconds())),
            None => (None, None, None),
        },
        |stored| match stored {
            (None, None, None) => Some(None),
            (Some(at), Some(result), Some(took)) => Some(Some(WebhookAttempt {
                at: instant(at)?,
                result: WebhookResult::load(result, "").ok()?,
                took: TimeDelta::milliseconds(took),
            })),
            _ => None,
        };
    EmailStatus as (String, Option<i64>, Option<String>):
        |status| {
            let (status, at, problem) = records::email_status_parts(status);
            (status.to_owned(), at.store(), problem.store())
        },
        |(status, at, problem)| {
            records::read_email_status(&status, at.and_then(instant), Option::load(problem, "").ok()?)
        };
}

/// Columns of the state of an idempotency key: state, end of the lease, attempt, status, entity tag, request and body.
type KeyStateColumns =
    (String, Option<i64>, Option<String>, Option<i64>, Option<String>, Option<String>, Option<Vec<u8>>);

column! {
    KeyState as KeyStateColumns:
        |state| match state {
            Self::InProgress { lease_until, attempt } => {
                ("in_progress".to_owned(), Some(millis(*lease_until)), attempt.store(), None, None, None, None)
            }
            Self::Reopened => ("reopened".to_owned(), None, None, None, None, None, None),
            Self::Completed(StoredResponse { status, etag, request, sealed_body }) => {
                let (request, body) = (Some(request.store()), Some(sealed_body.clone()));
                ("completed".to_owned(), None, None, Some((*status).into()), etag.clone(), request, body)
            }
            Self::Expired => ("expired".to_owned(), None, None, None, None, None, None),
        },
        |(state, lease_until, attempt, status, etag, request, body)| {
            Some(match (state.as_str(), lease_until, attempt, (status, request, body)) {
                ("in_progress", Some(lease), attempt, (None, None, None)) => {
                    Self::InProgress { lease_until: instant(lease)?, attempt: Option::load(attempt, "").ok()? }
                }
                ("reopened", None, None, (None, None, None)) => Self::Reopened,
                ("completed", None, None, (Some(status), Some(request), Some(sealed_body))) => {
                    let (status, request) = (status.try_into().ok()?, RequestId::parse(&request)?);
                    Self::Completed(StoredResponse { status, etag, request, sealed_body })
                }
                ("expired", None, None, (None, None, None)) => Self::Expired,
                _ => return None,
            })
        };
    // The payment within which a key is unique; empty: the tenant.
    Option<PaymentId> as String:
        |payment| payment.as_ref().map_or_else(String::new, PaymentId::to_string),
        |text| if text.is_empty() { Some(None) } else { PaymentId::parse(&text).map(Some) };
}

/// Value of the column `session` for an idle session.
pub(crate) const IDLE: &str = "idle";
const ACTIVE: &str = "active";

/// Columns with the JSON of a type.
macro_rules! json {
    ($($type:ty),*) => {
        column! { $($type as String: records::json, |text| records::parse(&text);)* }
    };
}

json!(
    Address,
    CardSummary,
    Challenge,
    EmailDelivery,
    Probe,
    VerificationProgress,
    Vec<MerchantAccountId>,
    Vec<Observation>
);
