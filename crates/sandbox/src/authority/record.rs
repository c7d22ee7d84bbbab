//! A line of the authority's journal, which is also its archive.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use domain::fiscal::{Environment, FiscalNumber, Observation, ProblemCode, TaxId};
use serde::{Deserialize, Serialize};

use super::{
    encoding, parsed,
    reception::{Reception, StatedFacts},
    ruling::Ruling,
};

#[derive(Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Entry {
    Received(Box<ArchivedDocument>),
    /// Annulled numbers, as the first and the last of each range.
    Annulled {
        environment: String,
        issuer: String,
        ranges: Vec<(String, String)>,
        at: DateTime<Utc>,
    },
    /// An attempt during a requested outage.
    TurnedAway {
        environment: String,
        issuer: String,
        merchant_invoice_number: String,
        /// Whether the document was a credit note, which has the invoice number of its original.
        #[serde(default)]
        is_note: bool,
        at: DateTime<Utc>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArchivedDocument {
    environment: String,
    issuer: String,
    number: String,
    route: String,
    merchant_invoice_number: String,
    received_at: DateTime<Utc>,
    visible_at: DateTime<Utc>,
    sha256: String,
    security_code: Option<String>,
    total_minor_units: Option<i64>,
    /// Journals of 0.1.0 lack these facts.
    #[serde(default)]
    stated: Option<StatedFacts>,
    track_id: Option<String>,
    ruling: ArchivedRuling,
    /// Base64, because a refused submission may not be text.
    xml: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum ArchivedRuling {
    Accepted { remarks: Vec<ArchivedMessage> },
    Rejected { problem: String, is_number_spent: bool, reason: ArchivedMessage },
}

#[derive(Serialize, Deserialize)]
struct ArchivedMessage {
    code: String,
    message: String,
}

impl Entry {
    pub(crate) fn received(it: &Reception) -> Self {
        Self::Received(Box::new(ArchivedDocument {
            environment: it.environment.as_str().to_owned(),
            issuer: it.issuer.as_str().to_owned(),
            number: it.number.as_str().to_owned(),
            route: encoding::route(it.route).to_owned(),
            merchant_invoice_number: it.merchant_invoice_number.clone(),
            received_at: it.received_at,
            visible_at: it.visible_at,
            sha256: encoding::hex(&it.sha256),
            security_code: it.security_code.clone(),
            total_minor_units: it.total_minor_units,
            stated: it.stated.clone(),
            track_id: it.track_id.clone(),
            ruling: ArchivedRuling::from(&it.ruling),
            xml: STANDARD.encode(&it.xml),
        }))
    }
}

impl ArchivedDocument {
    /// Returns the reception of a valid record.
    pub(crate) fn read(self) -> Option<Reception> {
        let xml = STANDARD.decode(self.xml).ok()?;
        let parsed = || parsed::read(&xml).ok().map(|document| StatedFacts::from(&document));
        Some(Reception {
            stated: self.stated.or_else(parsed),
            environment: Environment::from_code(&self.environment)?,
            issuer: TaxId::parse(&self.issuer).ok()?,
            number: FiscalNumber::parse(&self.number)?,
            route: encoding::route_of(&self.route)?,
            merchant_invoice_number: self.merchant_invoice_number,
            received_at: self.received_at,
            visible_at: self.visible_at,
            sha256: encoding::digest_of(&self.sha256)?,
            security_code: self.security_code,
            total_minor_units: self.total_minor_units,
            track_id: self.track_id,
            ruling: self.ruling.read()?,
            xml,
        })
    }
}

impl From<&Ruling> for ArchivedRuling {
    fn from(ruling: &Ruling) -> Self {
        match ruling {
            Ruling::Accepted { remarks } => {
                Self::Accepted { remarks: remarks.iter().map(ArchivedMessage::from).collect() }
            }
            Ruling::Rejected { problem, is_number_spent, reason } => Self::Rejected {
                problem: problem.as_str().to_owned(),
                is_number_spent: *is_number_spent,
                reason: reason.into(),
            },
        }
    }
}

impl ArchivedRuling {
    fn read(self) -> Option<Ruling> {
        Some(match self {
            Self::Accepted { remarks } => {
                Ruling::Accepted { remarks: remarks.into_iter().map(ArchivedMessage::read).collect() }
            }
            Self::Rejected { problem, is_number_spent, reason } => {
                let problem = ProblemCode::from_code(&problem)?;
                Ruling::Rejected { problem, is_number_spent, reason: reason.read() }
            }
        })
    }
}

impl From<&Observation> for ArchivedMessage {
    fn from(it: &Observation) -> Self {
        Self { code: it.code.clone(), message: it.message.clone() }
    }
}

impl ArchivedMessage {
    fn read(self) -> Observation {
        Observation { code: self.code, message: self.message }
    }
}
