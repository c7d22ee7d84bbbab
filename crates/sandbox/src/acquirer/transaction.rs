//! A recorded submission.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Money, attempt::CardSummary};
use ports::AttemptRef;

use super::{cards, scenario::TransactionOutcome};
use crate::spelled::spelled;

spelled! {
    /// Kind of a submission.
    pub(crate) TransactionKind {
        /// Opening of a payment.
        Opening = "opening",
        /// Charge.
        Sale = "sale",
        /// Hold.
        Hold = "hold",
        /// Refund of a charge.
        Refund = "refund",
        /// Storage of a card without a charge.
        Vault = "vault",
    }
}

/// Time until the issuers release reserved funds (AZUL: about seven calendar days).
pub(crate) const HOLD_LIFE: TimeDelta = TimeDelta::days(7);

/// State of the funds of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Funds {
    /// Never reserved.
    Never,
    /// Reserved.
    Held,
    /// Captured.
    Captured,
    /// Voided or expired.
    Gone,
}

/// Merchant and name of a transaction. Names need not be unique.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TransactionKey {
    /// The account, or the merchant number.
    pub(crate) account: String,
    /// The attempt, or the merchant's order id.
    pub(crate) name: String,
}

impl From<&AttemptRef> for TransactionKey {
    fn from(it: &AttemptRef) -> Self {
        Self { account: it.account.as_str().to_owned(), name: it.attempt.as_str().to_owned() }
    }
}

/// A received submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transaction {
    pub(crate) kind: TransactionKind,
    pub(crate) key: TransactionKey,
    /// The payment, if known.
    pub(crate) payment: String,
    /// The refunded transaction.
    pub(crate) of: Option<String>,
    pub(crate) amount: Money,
    /// ITBIS within the amount.
    pub(crate) itbis: Money,
    /// Summary of the card.
    pub(crate) card: CardSummary,
    /// Name of the scenario.
    pub(crate) scenario: String,
    pub(crate) outcome: TransactionOutcome,
    pub(crate) received_at: DateTime<Utc>,
    /// Start of the visibility in look-ups.
    pub(crate) visible_at: DateTime<Utc>,
    /// The acquirer's reference; empty until recorded.
    pub(crate) reference: String,
    /// Capture of the hold, if any.
    pub(crate) capture: Option<FollowUp>,
    /// Reversal, if any.
    pub(crate) reversal: Option<FollowUp>,
    /// Number of failed voids.
    pub(crate) failed_voids: u32,
    /// Whether the card is stored for the merchant after an approval.
    pub(crate) is_card_stored: bool,
}

/// A later operation on a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FollowUp {
    /// The acquirer's reference.
    pub(crate) reference: String,
    pub(crate) at: DateTime<Utc>,
    /// Amount, if partial.
    pub(crate) minor_units: Option<i64>,
}

impl Transaction {
    /// Transaction without an outcome yet.
    pub(crate) fn new(
        kind: TransactionKind,
        key: TransactionKey,
        (amount, itbis): (Money, Money),
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            kind,
            key,
            payment: String::new(),
            of: None,
            amount,
            itbis,
            card: CardSummary::default(),
            scenario: String::new(),
            outcome: TransactionOutcome::NoEffect,
            received_at: now,
            visible_at: now,
            reference: String::new(),
            capture: None,
            reversal: None,
            failed_voids: 0,
            is_card_stored: false,
        }
    }

    /// Returns the token of the stored card, if stored.
    pub(crate) fn token(&self) -> Option<String> {
        let is_card_stored = self.is_card_stored && self.outcome == TransactionOutcome::Approved;
        is_card_stored.then(|| format!("00000000-0000-4000-8000-{:0>12}", order_number(&self.reference)))
    }

    /// Whether money has moved, or is reserved, and has not been returned.
    pub(crate) fn has_moved_money(&self, now: DateTime<Utc>) -> bool {
        match self.kind {
            TransactionKind::Hold => matches!(self.funds(now), Funds::Held | Funds::Captured),
            TransactionKind::Opening | TransactionKind::Sale => {
                self.outcome == TransactionOutcome::Approved && self.reversal.is_none()
            }
            TransactionKind::Refund | TransactionKind::Vault => false,
        }
    }

    /// Whether look-ups find the transaction at `now`.
    pub(crate) fn is_visible(&self, now: DateTime<Utc>) -> bool {
        self.visible_at <= now && self.outcome != TransactionOutcome::NoEffect
    }

    /// Returns when the money was charged or captured; `None` without money, and after a reversal.
    pub(crate) fn charged_at(&self) -> Option<DateTime<Utc>> {
        if self.outcome != TransactionOutcome::Approved || self.reversal.is_some() {
            return None;
        }
        match self.kind {
            TransactionKind::Opening | TransactionKind::Sale => Some(self.received_at),
            TransactionKind::Hold => self.capture.as_ref().map(|it| it.at),
            TransactionKind::Refund | TransactionKind::Vault => None,
        }
    }

    /// Captured amount of a hold, or charged amount.
    pub(crate) fn captured_amount(&self) -> Money {
        let captured = self.capture.as_ref().and_then(|it| it.minor_units);
        captured.map_or(self.amount, |it| Money::new(it, self.amount.currency()))
    }

    /// State of the funds of a hold.
    pub(crate) fn funds(&self, now: DateTime<Utc>) -> Funds {
        match (self.outcome, &self.reversal, &self.capture) {
            (TransactionOutcome::Approved, Some(_), _) => Funds::Gone,
            (TransactionOutcome::Approved, None, Some(_)) => Funds::Captured,
            (TransactionOutcome::Approved, None, None) if now < self.lapses_at() => Funds::Held,
            (TransactionOutcome::Approved, None, None) => Funds::Gone,
            (
                TransactionOutcome::Opened
                | TransactionOutcome::Declined(_)
                | TransactionOutcome::StepRequired(_)
                | TransactionOutcome::NoEffect,
                _,
                _,
            ) => Funds::Never,
        }
    }

    fn lapses_at(&self) -> DateTime<Utc> {
        let life = if self.scenario == cards::DIES_EARLY { TimeDelta::days(1) } else { HOLD_LIFE };
        self.received_at.checked_add_signed(life).unwrap_or(self.received_at)
    }
}

/// Short order number of the acquirer: the end of a reference.
pub(crate) fn order_number(reference: &str) -> &str {
    reference.get(14..).unwrap_or(reference)
}
