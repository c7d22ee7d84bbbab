//! Transactions as the sandbox lists them.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    script::Truth,
    transaction::{Kind, Transaction},
};

/// A transaction, as anyone may see it in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionView {
    /// The acquirer's own name for it.
    pub reference: String,
    /// `sale`, `hold`, `refund` or `opening`.
    pub kind: &'static str,
    /// `approved`, `held`, `captured`, `declined`, `reversed`, `authenticating`, `opened`, or `nothing` if it arrived and came to nothing.
    /// A hold that lapsed is still `held`, since nothing was ever said of it.
    pub status: &'static str,
    /// Why it was declined, in the public words.
    pub decline_code: Option<&'static str>,
    /// What the magic card or reference asked for.
    pub scenario: String,
    /// The account.
    pub merchant_account_id: String,
    /// The payment.
    pub payment_id: String,
    /// The attempt.
    pub attempt_id: String,
    /// How much.
    pub amount_minor_units: i64,
    /// How much of it is ITBIS.
    pub itbis_minor_units: i64,
    /// In which currency.
    pub currency: &'static str,
    /// The brand of the card.
    pub brand: Option<String>,
    /// The last four digits of the card.
    pub last4: Option<String>,
    /// When it arrived.
    pub received_at: DateTime<Utc>,
    /// When the funds that it holds were taken.
    pub captured_at: Option<DateTime<Utc>>,
    /// When it was undone.
    pub reversed_at: Option<DateTime<Utc>>,
}

impl From<&Transaction> for TransactionView {
    fn from(it: &Transaction) -> Self {
        let (status, decline) = match it.truth {
            Truth::Opened => ("opened", None),
            Truth::Approved if it.reversal.is_some() => ("reversed", None),
            Truth::Approved if it.capture.is_some() => ("captured", None),
            Truth::Approved if it.kind == Kind::Hold => ("held", None),
            Truth::Approved => ("approved", None),
            Truth::Declined(code) => ("declined", Some(code.as_str())),
            Truth::Asked(_) => ("authenticating", None),
            Truth::Nothing => ("nothing", None),
        };
        Self {
            reference: it.reference.clone(),
            kind: it.kind.as_str(),
            status,
            decline_code: decline,
            scenario: it.scenario.clone(),
            merchant_account_id: it.named.account.clone(),
            payment_id: it.payment.clone(),
            attempt_id: it.named.name.clone(),
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
