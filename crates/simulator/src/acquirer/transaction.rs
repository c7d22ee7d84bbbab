//! A submission as the acquirer remembers it.

use chrono::{DateTime, Utc};
use domain::{MerchantAccountId, Money, PaymentId, attempt::CardSummary};
use ports::AttemptRef;

use super::script::Truth;

/// Whether a payment was opened, or a card charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A payment was opened.
    Opening,
    /// A card was charged.
    Sale,
}

impl Kind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Sale => "sale",
        }
    }

    pub(crate) fn from_code(text: &str) -> Option<Self> {
        [Self::Opening, Self::Sale].into_iter().find(|it| it.as_str() == text)
    }
}

/// A submission that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transaction {
    pub(crate) kind: Kind,
    pub(crate) attempt: AttemptRef,
    pub(crate) payment: PaymentId,
    pub(crate) amount: Money,
    /// How much of it is ITBIS.
    pub(crate) itbis: Money,
    /// All that is known of the card from here on.
    pub(crate) card: CardSummary,
    /// The name of its script.
    pub(crate) scenario: String,
    pub(crate) truth: Truth,
    pub(crate) received_at: DateTime<Utc>,
    /// From when on look-ups see it.
    pub(crate) visible_at: DateTime<Utc>,
    /// The acquirer's own name for it; empty until it is recorded.
    pub(crate) reference: String,
    /// What undid it, if anything has.
    pub(crate) reversal: Option<Reversal>,
}

/// What undid a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reversal {
    /// The acquirer's own name for it.
    pub(crate) reference: String,
    pub(crate) at: DateTime<Utc>,
}

impl Transaction {
    /// The account that it was submitted on.
    pub(crate) const fn account(&self) -> &MerchantAccountId {
        &self.attempt.account
    }

    /// Whether money has moved and not come back.
    pub(crate) fn moved_money(&self) -> bool {
        self.truth == Truth::Approved && self.reversal.is_none()
    }
}
