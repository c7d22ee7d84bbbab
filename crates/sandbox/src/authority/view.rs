//! Documents in the sandbox's lists.

use chrono::{DateTime, Utc};
use domain::fiscal::Observation;
use serde::Serialize;

use super::{encoding, reception::Reception, ruling::Ruling};

/// A received document as listed in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentView {
    /// The environment, in the authority's spelling.
    pub environment: &'static str,
    /// The issuer's RNC.
    pub issuer: String,
    /// The e-NCF.
    pub number: String,
    /// `full`, or `summary` if only the summary was received.
    pub route: &'static str,
    /// `accepted`, `accepted_with_observations` or `rejected`; already decided while a requested slow verdict is
    /// pending.
    pub status: &'static str,
    /// Public code of the rejection.
    pub problem_code: Option<&'static str>,
    /// Whether the number is used.
    pub is_number_spent: bool,
    /// The authority's messages.
    pub messages: Vec<MessageView>,
    /// Time of arrival.
    pub received_at: DateTime<Utc>,
    /// SHA-256 of the bytes, in hexadecimal.
    pub sha256: String,
    /// The security code, if readable.
    pub security_code: Option<String>,
    /// The total, if readable.
    pub total_minor_units: Option<i64>,
    /// The tracking id.
    pub track_id: Option<String>,
    /// The merchant's invoice number of the submission.
    pub merchant_invoice_number: String,
    /// Received document, as text.
    pub xml: String,
}

/// A remark of the authority.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// The authority's code.
    pub code: String,
    /// The authority's message.
    pub message: String,
}

impl From<Reception> for DocumentView {
    fn from(it: Reception) -> Self {
        let is_number_spent = it.ruling.spends_the_number();
        let (status, problem_code, messages) = match it.ruling {
            Ruling::Accepted { remarks } if remarks.is_empty() => ("accepted", None, remarks),
            Ruling::Accepted { remarks } => ("accepted_with_observations", None, remarks),
            Ruling::Rejected { problem, reason, .. } => ("rejected", Some(problem.as_str()), vec![reason]),
        };
        Self {
            environment: it.environment.as_str(),
            issuer: it.issuer.as_str().to_owned(),
            number: it.number.as_str().to_owned(),
            route: encoding::route(it.route),
            status,
            problem_code,
            is_number_spent,
            messages: messages.into_iter().map(MessageView::from).collect(),
            received_at: it.received_at,
            sha256: encoding::hex(&it.sha256),
            security_code: it.security_code,
            total_minor_units: it.total_minor_units,
            track_id: it.track_id,
            merchant_invoice_number: it.merchant_invoice_number,
            xml: String::from_utf8_lossy(&it.xml).into_owned(),
        }
    }
}

impl From<Observation> for MessageView {
    fn from(it: Observation) -> Self {
        Self { code: it.code, message: it.message }
    }
}
