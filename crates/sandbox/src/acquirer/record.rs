//! A line of the acquirer's journal. No field holds a card number or security code.

use chrono::{DateTime, Utc};
use domain::{Currency, Money, attempt::CardSummary, payment::DeclineCode};
use serde::{Deserialize, Serialize};

use super::{
    scenario::{ThreeDsStep, TransactionOutcome},
    transaction::{Transaction, TransactionKey, TransactionKind},
};

#[derive(Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum LedgerEntry {
    Submission(Box<Submission>),
    Capture {
        of: String,
        reference: String,
        at: DateTime<Utc>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        minor_units: Option<i64>,
    },
    Reversal {
        of: String,
        reference: String,
        at: DateTime<Utc>,
    },
    FailedVoid {
        of: String,
    },
    /// The card of a transaction was deleted.
    Forgotten {
        of: String,
    },
    Authentication {
        of: String,
        scenario: String,
        #[serde(rename = "truth")]
        outcome: String,
        decline: Option<String>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Submission {
    reference: String,
    kind: String,
    account: String,
    attempt: String,
    payment: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    amount_minor_units: i64,
    itbis_minor_units: i64,
    currency: String,
    brand: Option<String>,
    last4: Option<String>,
    scenario: String,
    #[serde(rename = "truth")]
    outcome: String,
    decline: Option<String>,
    received_at: DateTime<Utc>,
    visible_at: DateTime<Utc>,
    #[serde(rename = "isKept", default, skip_serializing_if = "std::ops::Not::not")]
    is_card_stored: bool,
}

impl LedgerEntry {
    pub(crate) fn submission(of: &Transaction) -> Self {
        let (outcome, decline) = outcome_code(of.outcome);
        Self::Submission(Box::new(Submission {
            reference: of.reference.clone(),
            kind: of.kind.as_str().to_owned(),
            account: of.key.account.clone(),
            attempt: of.key.name.clone(),
            payment: of.payment.clone(),
            of: of.of.clone(),
            amount_minor_units: of.amount.minor_units(),
            itbis_minor_units: of.itbis.minor_units(),
            currency: of.amount.currency().code().to_owned(),
            brand: of.card.brand.clone(),
            last4: of.card.last4.clone(),
            scenario: of.scenario.clone(),
            outcome: outcome.to_owned(),
            decline,
            received_at: of.received_at,
            visible_at: of.visible_at,
            is_card_stored: of.is_card_stored,
        }))
    }

    pub(crate) fn authentication(of: String, scenario: String, to: TransactionOutcome) -> Self {
        let (outcome, decline) = outcome_code(to);
        Self::Authentication { of, scenario, outcome: outcome.to_owned(), decline }
    }
}

impl Submission {
    /// Returns the transaction of a valid record.
    pub(crate) fn read(self) -> Option<Transaction> {
        let outcome = parse_outcome(&self.outcome, self.decline.as_deref())?;
        let currency = Currency::from_code(&self.currency)?;
        let key = TransactionKey { account: self.account, name: self.attempt };
        let amounts = (Money::new(self.amount_minor_units, currency), Money::new(self.itbis_minor_units, currency));
        Some(Transaction {
            payment: self.payment,
            of: self.of,
            card: CardSummary { brand: self.brand, last4: self.last4 },
            scenario: self.scenario,
            outcome,
            visible_at: self.visible_at,
            reference: self.reference,
            is_card_stored: self.is_card_stored,
            ..Transaction::new(TransactionKind::from_code(&self.kind)?, key, amounts, self.received_at)
        })
    }
}

fn outcome_code(outcome: TransactionOutcome) -> (&'static str, Option<String>) {
    match outcome {
        TransactionOutcome::Opened => ("opened", None),
        TransactionOutcome::Approved => ("approved", None),
        TransactionOutcome::Declined(code) => ("declined", Some(code.as_str().to_owned())),
        TransactionOutcome::StepRequired(ThreeDsStep::Method) => ("method_asked", None),
        TransactionOutcome::StepRequired(ThreeDsStep::Challenge) => ("challenge_asked", None),
        TransactionOutcome::NoEffect => ("nothing", None),
    }
}

/// Parses an outcome.
pub(crate) fn parse_outcome(text: &str, decline: Option<&str>) -> Option<TransactionOutcome> {
    use TransactionOutcome::{Approved, Declined, NoEffect, Opened, StepRequired};

    if let Some(code) = decline {
        return DeclineCode::from_code(code).map(Declined).filter(|_| text == "declined");
    }
    let others = [Opened, Approved, StepRequired(ThreeDsStep::Method), StepRequired(ThreeDsStep::Challenge), NoEffect];
    others.into_iter().find(|it| outcome_code(*it).0 == text)
}
