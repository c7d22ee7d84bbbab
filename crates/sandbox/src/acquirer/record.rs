//! A line of the acquirer's journal. It has no place for a card's number or code.

use chrono::{DateTime, Utc};
use domain::{Currency, Money, attempt::CardSummary, payment::DeclineCode};
use serde::{Deserialize, Serialize};

use super::{
    script::{Step, Truth},
    transaction::{Kind, Named, Sequel, Transaction},
};

#[derive(Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Entry {
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
    /// The card of a transaction is kept no more.
    Forgotten {
        of: String,
    },
    Authentication {
        of: String,
        scenario: String,
        truth: String,
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
    truth: String,
    decline: Option<String>,
    received_at: DateTime<Utc>,
    visible_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_kept: bool,
}

impl Entry {
    pub(crate) fn submission(of: &Transaction) -> Self {
        let (truth, decline) = spelled(of.truth);
        Self::Submission(Box::new(Submission {
            reference: of.reference.clone(),
            kind: of.kind.as_str().to_owned(),
            account: of.named.account.clone(),
            attempt: of.named.name.clone(),
            payment: of.payment.clone(),
            of: of.of.clone(),
            amount_minor_units: of.amount.minor_units(),
            itbis_minor_units: of.itbis.minor_units(),
            currency: of.amount.currency().code().to_owned(),
            brand: of.card.brand.clone(),
            last4: of.card.last4.clone(),
            scenario: of.scenario.clone(),
            truth: truth.to_owned(),
            decline,
            received_at: of.received_at,
            visible_at: of.visible_at,
            is_kept: of.is_kept,
        }))
    }

    pub(crate) fn capture(of: &str, by: &Sequel) -> Self {
        Self::Capture { of: of.to_owned(), reference: by.reference.clone(), at: by.at, minor_units: by.minor_units }
    }

    pub(crate) fn failed_void(of: &str) -> Self {
        Self::FailedVoid { of: of.to_owned() }
    }

    pub(crate) fn forgotten(of: &str) -> Self {
        Self::Forgotten { of: of.to_owned() }
    }

    pub(crate) fn authentication(of: &str, scenario: &str, to: Truth) -> Self {
        let (truth, decline) = spelled(to);
        Self::Authentication { of: of.to_owned(), scenario: scenario.to_owned(), truth: truth.to_owned(), decline }
    }

    pub(crate) fn reversal(of: &str, by: &Sequel) -> Self {
        Self::Reversal { of: of.to_owned(), reference: by.reference.clone(), at: by.at }
    }
}

impl Submission {
    /// The transaction, if the record makes sense.
    pub(crate) fn read(self) -> Option<Transaction> {
        let truth = truth(&self.truth, self.decline.as_deref())?;
        let currency = Currency::from_code(&self.currency)?;
        Some(Transaction {
            kind: Kind::from_code(&self.kind)?,
            named: Named { account: self.account, name: self.attempt },
            payment: self.payment,
            of: self.of,
            amount: Money::new(self.amount_minor_units, currency),
            itbis: Money::new(self.itbis_minor_units, currency),
            card: CardSummary { brand: self.brand, last4: self.last4 },
            scenario: self.scenario,
            truth,
            received_at: self.received_at,
            visible_at: self.visible_at,
            reference: self.reference,
            capture: None,
            reversal: None,
            failed_voids: 0,
            is_kept: self.is_kept,
        })
    }
}

fn spelled(truth: Truth) -> (&'static str, Option<String>) {
    match truth {
        Truth::Opened => ("opened", None),
        Truth::Approved => ("approved", None),
        Truth::Declined(code) => ("declined", Some(code.as_str().to_owned())),
        Truth::Asked(Step::Method) => ("method_asked", None),
        Truth::Asked(Step::Challenge) => ("challenge_asked", None),
        Truth::Nothing => ("nothing", None),
    }
}

/// The truth that is spelled so.
pub(crate) fn truth(text: &str, decline: Option<&str>) -> Option<Truth> {
    Some(match (text, decline) {
        ("opened", None) => Truth::Opened,
        ("approved", None) => Truth::Approved,
        ("declined", Some(code)) => Truth::Declined(DeclineCode::from_code(code)?),
        ("method_asked", None) => Truth::Asked(Step::Method),
        ("challenge_asked", None) => Truth::Asked(Step::Challenge),
        ("nothing", None) => Truth::Nothing,
        _ => return None,
    })
}
