//! One submission to a card provider: committed before the call, resolved by its response or by a look-up.

use chrono::{DateTime, Utc};

use crate::{AttemptId, Money, PaymentId, RefundId, Symbols, payment::DeclineCode};

spelled! {
    /// Operation of a submission.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum AttemptKind {
        /// To open a payment at the provider, where the provider wants that.
        Opening = "opening",
        /// To charge a card.
        Sale = "sale",
        /// To reserve a share on a card.
        Authorization = "authorization",
        /// Capture of reserved funds.
        Capture = "capture",
        /// Release of reserved funds.
        Release = "release",
        /// Cancellation of a whole charge, for a refund.
        Void = "void",
        /// Return of money of a charge.
        Refund = "refund",
    }
}

/// State of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttemptState {
    /// Committed; the request may or may not have reached the provider.
    Open,
    /// The response was unclear: look-ups decide.
    Unknown,
    /// Executed: the money moved, or was reserved, or was released.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The request provably never left.
    NotSubmitted,
    /// Look-ups after the settle delay found no transaction.
    NotExecuted,
    /// Approved after its payment had moved on, and reversed.
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
            Self::NotExecuted => "not_happened",
            Self::Reversed => "reversed",
        }
    }
}

/// Storable data of a card.
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
    /// The identifier, also sent to the provider.
    pub id: AttemptId,
    /// The payment.
    pub payment: PaymentId,
    /// Number among the submitted cards, from 1; 0 for an opening call.
    pub number: u32,
    /// The part of the split; `None` for a payment without a split.
    pub part: Option<u8>,
    /// The refund; `None` for an operation of the sale itself.
    pub refund: Option<RefundId>,
    /// The operation.
    pub kind: AttemptKind,
    /// How much.
    pub amount: Money,
    /// Storable data of the card.
    pub card: Option<CardSummary>,
    /// The secret in the addresses to which the issuer sends the payer's browser back, if there may be a need.
    pub link: Option<Symbols>,
    /// Time of the commit.
    pub started_at: DateTime<Utc>,
    /// The state.
    pub state: AttemptState,
    /// The provider's own name for the transaction.
    pub provider_reference: Option<String>,
    /// When the state was last learned.
    pub updated_at: DateTime<Utc>,
}

impl Attempt {
    /// Returns the attempt in a new state.
    #[must_use]
    pub fn resolved(self, state: AttemptState, provider_reference: Option<String>, now: DateTime<Utc>) -> Self {
        let provider_reference = provider_reference.or(self.provider_reference);
        Self { state, provider_reference, updated_at: now, ..self }
    }
}
