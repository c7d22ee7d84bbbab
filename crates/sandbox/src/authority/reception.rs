//! A document that the authority received, and what it made of it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::{Acceptance, Environment, FiscalNumber, Observation, ProblemCode, Route, TaxId, Verdict};

use super::wish::Wish;

/// A document that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reception {
    pub(crate) environment: Environment,
    pub(crate) issuer: TaxId,
    pub(crate) number: FiscalNumber,
    pub(crate) route: Route,
    pub(crate) merchant_invoice_number: String,
    pub(crate) received_at: DateTime<Utc>,
    /// From when on questions find it.
    pub(crate) visible_at: DateTime<Utc>,
    pub(crate) sha256: [u8; 32],
    /// None if what came could not be read as a document.
    pub(crate) security_code: Option<String>,
    pub(crate) total_minor_units: Option<i64>,
    pub(crate) track_id: Option<String>,
    pub(crate) ruling: Ruling,
    /// The bytes exactly as they came; empty where the journal alone keeps them.
    pub(crate) xml: Vec<u8>,
}

/// What the authority decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// It is valid.
    Accepted {
        /// The remarks on it.
        remarks: Vec<Observation>,
    },
    /// It is void.
    Rejected {
        /// Our classification.
        problem: ProblemCode,
        is_number_spent: bool,
        /// The authority's words.
        reason: Observation,
    },
}

impl Reception {
    /// A slow verdict is known after this long.
    const SLOWNESS: TimeDelta = TimeDelta::seconds(5);
    /// A slow verdict is known after as many questions.
    const PATIENCE: u32 = 3;

    /// What a question hears that is the next after `asked` others.
    pub(crate) fn answer(&self, asked: u32, now: DateTime<Utc>) -> Verdict {
        let is_slow = Wish::of(&self.merchant_invoice_number) == Some(Wish::Slow) && self.route == Route::Full;
        let waited = now.signed_duration_since(self.received_at);
        if is_slow && asked < Self::PATIENCE && waited < Self::SLOWNESS {
            return Verdict::InProcess { track_id: self.track_id.clone() };
        }
        self.ruling.verdict()
    }
}

impl Ruling {
    /// Whether no other document can have the number any more.
    pub(crate) const fn spends_the_number(&self) -> bool {
        match self {
            Self::Accepted { .. } => true,
            Self::Rejected { is_number_spent, .. } => *is_number_spent,
        }
    }

    fn verdict(&self) -> Verdict {
        match self {
            Self::Accepted { remarks } if remarks.is_empty() => Verdict::Accepted(Acceptance::Accepted),
            Self::Accepted { remarks } => Verdict::Accepted(Acceptance::WithObservations(remarks.clone())),
            Self::Rejected { problem, is_number_spent, reason } => Verdict::Rejected {
                code: *problem,
                is_number_spent: *is_number_spent,
                authority_messages: vec![reason.clone()],
            },
        }
    }
}
