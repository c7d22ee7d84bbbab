//! A received document with its ruling.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::fiscal::{Environment, FiscalNumber, Route, TaxId, Verdict};
use serde::{Deserialize, Serialize};

use super::{parsed::ParsedDocument, ruling::Ruling, trigger::InvoiceTrigger};

/// A received document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reception {
    pub(crate) environment: Environment,
    pub(crate) issuer: TaxId,
    pub(crate) number: FiscalNumber,
    pub(crate) route: Route,
    pub(crate) merchant_invoice_number: String,
    pub(crate) received_at: DateTime<Utc>,
    /// Start of the visibility in queries.
    pub(crate) visible_at: DateTime<Utc>,
    pub(crate) sha256: [u8; 32],
    /// `None` if the bytes are not a document.
    pub(crate) security_code: Option<String>,
    pub(crate) total_minor_units: Option<i64>,
    /// `None` if the bytes are not a document.
    pub(crate) stated: Option<StatedFacts>,
    pub(crate) track_id: Option<String>,
    pub(crate) ruling: Ruling,
    /// The received bytes; empty if only the journal has them.
    pub(crate) xml: Vec<u8>,
}

/// Facts of a document that later credit notes are compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatedFacts {
    pub(crate) issue_date: NaiveDate,
    /// Tax id of the buyer.
    pub(crate) buyer: Option<String>,
    /// Number of the document that a credit note modifies.
    pub(crate) modified: Option<String>,
}

impl From<&ParsedDocument> for StatedFacts {
    fn from(document: &ParsedDocument) -> Self {
        Self {
            issue_date: document.issue_date,
            buyer: document.buyer.tax_id.clone(),
            modified: document.note.as_ref().map(|note| note.modified.clone()),
        }
    }
}

impl Reception {
    /// Delay of a slow verdict.
    const VERDICT_DELAY: TimeDelta = TimeDelta::seconds(5);
    /// Maximum number of queries before a slow verdict.
    const MAX_PENDING_QUERIES: u32 = 3;

    /// Returns the verdict for a query after `earlier` others.
    pub(crate) fn verdict(&self, earlier: u32, now: DateTime<Utc>) -> Verdict {
        let is_slow = InvoiceTrigger::of(&self.number, &self.merchant_invoice_number) == Some(InvoiceTrigger::Slow)
            && self.route == Route::Full;
        let waited = now.signed_duration_since(self.received_at);
        if is_slow && earlier < Self::MAX_PENDING_QUERIES && waited < Self::VERDICT_DELAY {
            return Verdict::InProcess { track_id: self.track_id.clone() };
        }
        self.ruling.verdict()
    }
}
