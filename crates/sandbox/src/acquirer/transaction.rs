//! A submission as the acquirer remembers it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Money, attempt::CardSummary};
use ports::AttemptRef;

use super::{cards, ledger::order, script::Truth};

/// What a submission asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A payment was opened.
    Opening,
    /// A card was charged.
    Sale,
    /// Funds were reserved on a card.
    Hold,
    /// What was charged was returned.
    Refund,
    /// A card was to be kept, and nothing more.
    Vault,
}

impl Kind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Sale => "sale",
            Self::Hold => "hold",
            Self::Refund => "refund",
            Self::Vault => "vault",
        }
    }

    /// Whether merchants find it among what they have asked for.
    pub(crate) const fn is_told(self) -> bool {
        !matches!(self, Self::Opening | Self::Vault)
    }

    pub(crate) fn from_code(text: &str) -> Option<Self> {
        [Self::Opening, Self::Sale, Self::Hold, Self::Refund, Self::Vault].into_iter().find(|it| it.as_str() == text)
    }
}

/// How long the issuers keep funds reserved (AZUL: about seven calendar days).
pub(crate) const HOLD_LIFE: TimeDelta = TimeDelta::days(7);

/// Where the funds of a hold are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Funds {
    /// They were never reserved.
    Never,
    /// They are reserved.
    Held,
    /// They were taken.
    Captured,
    /// They were given back, or the hold lapsed.
    Gone,
}

/// Whose a transaction is, and what they call it. A name may be given many times; that is their
/// affair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    /// The account, or the merchant's number at the acquirer.
    pub(crate) account: String,
    /// The attempt, or the merchant's own order id.
    pub(crate) name: String,
}

impl From<&AttemptRef> for Named {
    fn from(it: &AttemptRef) -> Self {
        Self { account: it.account.as_str().to_owned(), name: it.attempt.as_str().to_owned() }
    }
}

/// A submission that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transaction {
    pub(crate) kind: Kind,
    pub(crate) named: Named,
    /// The payment, if its sender has told.
    pub(crate) payment: String,
    /// The transaction that a refund returns.
    pub(crate) of: Option<String>,
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
    /// What took the funds that it holds, if anything has.
    pub(crate) capture: Option<Sequel>,
    /// What undid it, if anything has.
    pub(crate) reversal: Option<Sequel>,
    /// How many times it was to be undone in vain.
    pub(crate) failed_voids: u32,
    /// Whether its card is kept for the merchant, once it is approved.
    pub(crate) is_kept: bool,
}

/// What happened to a transaction later on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sequel {
    /// The acquirer's own name for it.
    pub(crate) reference: String,
    pub(crate) at: DateTime<Utc>,
    /// How much it was about, if that was not all.
    pub(crate) minor_units: Option<i64>,
}

impl Transaction {
    /// The name under which its card is kept, if it is.
    pub(crate) fn token(&self) -> Option<String> {
        let is_kept = self.is_kept && self.truth == Truth::Approved;
        is_kept.then(|| format!("00000000-0000-4000-8000-{:0>12}", order(&self.reference)))
    }

    /// Whether money has moved, or is reserved, and has not come back.
    pub(crate) fn took_money(&self, now: DateTime<Utc>) -> bool {
        match self.kind {
            Kind::Hold => matches!(self.funds(now), Funds::Held | Funds::Captured),
            Kind::Opening | Kind::Sale => self.truth == Truth::Approved && self.reversal.is_none(),
            Kind::Refund | Kind::Vault => false,
        }
    }

    /// How much of a hold was taken, or how much was charged at once.
    pub(crate) fn taken(&self) -> Money {
        let captured = self.capture.as_ref().and_then(|it| it.minor_units);
        captured.map_or(self.amount, |it| Money::new(it, self.amount.currency()))
    }

    /// Where the funds are that a hold reserved.
    pub(crate) fn funds(&self, now: DateTime<Utc>) -> Funds {
        match (self.truth, &self.reversal, &self.capture) {
            (Truth::Approved, Some(_), _) => Funds::Gone,
            (Truth::Approved, None, Some(_)) => Funds::Captured,
            (Truth::Approved, None, None) if now < self.lapses_at() => Funds::Held,
            (Truth::Approved, None, None) => Funds::Gone,
            (Truth::Opened | Truth::Declined(_) | Truth::Asked(_) | Truth::Nothing, _, _) => Funds::Never,
        }
    }

    fn lapses_at(&self) -> DateTime<Utc> {
        let life = if self.scenario == cards::DIES_EARLY { TimeDelta::days(1) } else { HOLD_LIFE };
        self.received_at.checked_add_signed(life).unwrap_or(self.received_at)
    }
}
