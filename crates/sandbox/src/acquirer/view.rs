//! Transactions in the sandbox's lists.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    scenario::TransactionOutcome,
    transaction::{Transaction, TransactionKind},
};

/// A transaction as listed in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionView {
    /// The acquirer's reference.
    pub reference: String,
    /// `sale`, `hold`, `refund` or `opening`.
    pub kind: &'static str,
    /// `approved`, `held`, `captured`, `declined`, `reversed`, `authenticating`, `opened`, or `nothing` without an
    /// effect. An expired hold stays `held`, because issuers do not report the expiry.
    pub status: &'static str,
    /// Public decline code.
    pub decline_code: Option<&'static str>,
    /// Scenario of the magic card or the reference.
    pub scenario: String,
    /// The account.
    pub merchant_account_id: String,
    /// The payment.
    pub payment_id: String,
    /// The attempt. A refund has its own.
    pub attempt_id: String,
    /// Reference of the charge that a refund returns.
    pub refunded_reference: Option<String>,
    /// Amount.
    pub amount_minor_units: i64,
    /// ITBIS within the amount.
    pub itbis_minor_units: i64,
    /// Currency.
    pub currency: &'static str,
    /// The brand of the card.
    pub brand: Option<String>,
    /// The last four digits of the card.
    pub last4: Option<String>,
    /// Time of arrival.
    pub received_at: DateTime<Utc>,
    /// Time of the capture.
    pub captured_at: Option<DateTime<Utc>>,
    /// Time of the reversal.
    pub reversed_at: Option<DateTime<Utc>>,
}

impl From<&Transaction> for TransactionView {
    fn from(it: &Transaction) -> Self {
        let (status, decline) = match it.outcome {
            TransactionOutcome::Opened => ("opened", None),
            TransactionOutcome::Approved if it.reversal.is_some() => ("reversed", None),
            TransactionOutcome::Approved if it.capture.is_some() => ("captured", None),
            TransactionOutcome::Approved if it.kind == TransactionKind::Hold => ("held", None),
            TransactionOutcome::Approved => ("approved", None),
            TransactionOutcome::Declined(code) => ("declined", Some(code.as_str())),
            TransactionOutcome::StepRequired(_) => ("authenticating", None),
            TransactionOutcome::NoEffect => ("nothing", None),
        };
        Self {
            reference: it.reference.clone(),
            kind: it.kind.as_str(),
            status,
            decline_code: decline,
            scenario: it.scenario.clone(),
            merchant_account_id: it.key.account.clone(),
            payment_id: it.payment.clone(),
            attempt_id: it.key.name.clone(),
            refunded_reference: it.of.clone(),
            amount_minor_units: it.amount.minor_units(),
            itbis_minor_units: it.itbis.minor_units(),
            currency: it.amount.currency().code(),
            brand: it.card.brand.clone(),
            last4: it.card.last4.clone(),
            received_at: it.received_at,
            captured_at: it.capture.as_ref().map(|it| it.at),
            reversed_at: it.reversal.as_ref().map(|it| it.at),
        }
    }
}
