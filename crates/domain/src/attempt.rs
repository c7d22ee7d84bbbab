//! One submission to a card provider: durable before the call, resolved by its answer or by look-up.

use chrono::{DateTime, Utc};

use crate::{AttemptId, Money, PaymentId, Symbols, payment::DeclineCode};

/// What was asked of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttemptKind {
    /// To open a payment at the provider, where the provider wants that.
    Opening,
    /// To charge a card.
    Sale,
    /// To reserve a share on a card.
    Authorization,
    /// To capture what was reserved.
    Capture,
    /// To give free what was reserved.
    Release,
}

impl AttemptKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Opening, Self::Sale, Self::Authorization, Self::Capture, Self::Release];

    /// The spelling in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Sale => "sale",
            Self::Authorization => "authorization",
            Self::Capture => "capture",
            Self::Release => "release",
        }
    }

    /// The kind spelled as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// What became of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttemptState {
    /// Committed; the provider may or may not have heard of it.
    Open,
    /// The answer was unclear: look-ups decide.
    Unknown,
    /// It was done: the money moved, or was reserved, or is free again.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// It provably never left.
    NotSubmitted,
    /// Look-ups after the settle delay found nothing.
    NotHappened,
    /// It was approved after it was thought dead, and has been undone.
    Reversed,
}

impl AttemptState {
    /// The spelling in storage, without the decline's code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Unknown => "unknown",
            Self::Approved => "approved",
            Self::Declined(_) => "declined",
            Self::NotSubmitted => "not_submitted",
            Self::NotHappened => "not_happened",
            Self::Reversed => "reversed",
        }
    }
}

/// What may be kept of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CardSummary {
    /// The real brand, as in `visa`; 1 to 32 characters.
    pub brand: Option<String>,
    /// The last four digits.
    pub last4: Option<String>,
}

/// One submission to a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its identifier, which the provider is given too.
    pub id: AttemptId,
    /// The payment that it is for.
    pub payment: PaymentId,
    /// Its place among the submitted cards, from 1; an opening call comes before all of them, at 0.
    pub number: u32,
    /// The part of the split that it is for; `None` where one payer pays all.
    pub part: Option<u8>,
    /// What was asked.
    pub kind: AttemptKind,
    /// How much.
    pub amount: Money,
    /// What may be kept of the card.
    pub card: Option<CardSummary>,
    /// The secret in the addresses to which the issuer sends the payer's browser back, if there may be a need.
    pub link: Option<Symbols>,
    /// When it was committed.
    pub started_at: DateTime<Utc>,
    /// What became of it.
    pub state: AttemptState,
    /// The provider's own name for the transaction.
    pub provider_reference: Option<String>,
    /// When the state was last learned.
    pub updated_at: DateTime<Utc>,
}

impl Attempt {
    /// The same attempt, with what has become of it.
    #[must_use]
    pub fn resolved(self, state: AttemptState, provider_reference: Option<String>, now: DateTime<Utc>) -> Self {
        let provider_reference = provider_reference.or(self.provider_reference);
        Self { state, provider_reference, updated_at: now, ..self }
    }
}
