//! A link to the authority with outages, which records each submission.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use domain::fiscal::{FiscalNumber, ProblemCode, Verdict};
use ports::{Inquiry, Submission, TaxAuthority};

/// State of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    Fair,
    /// Submissions fail, and the caller knows that they did not arrive.
    Closed,
    /// Submissions are lost without an error.
    Silent,
}

pub(crate) struct Road {
    pub(crate) to: Arc<dyn TaxAuthority>,
    pub(crate) weather: Mutex<Weather>,
    /// Numbers that never arrive, in every state of the link.
    pub(crate) lost: Mutex<BTreeSet<FiscalNumber>>,
    /// Numbers that are refused.
    pub(crate) refused: Mutex<BTreeSet<FiscalNumber>>,
    /// Whether each document is rejected for its signer, and its number spent.
    pub(crate) spends: AtomicBool,
    /// Every submission, whether it arrived or not.
    pub(crate) tried: Mutex<Vec<FiscalNumber>>,
    /// Every question.
    pub(crate) asked: Mutex<Vec<FiscalNumber>>,
    /// Submissions that arrived, in order.
    pub(crate) arrived: Mutex<Vec<FiscalNumber>>,
}

impl Road {
    pub(crate) fn to(authority: Arc<dyn TaxAuthority>) -> Self {
        Self {
            to: authority,
            weather: Mutex::new(Weather::Fair),
            lost: Mutex::default(),
            refused: Mutex::default(),
            spends: AtomicBool::default(),
            tried: Mutex::default(),
            asked: Mutex::default(),
            arrived: Mutex::default(),
        }
    }

    pub(crate) fn turns(&self, weather: Weather) {
        *self.weather.lock().unwrap() = weather;
    }

    fn is_closed_to(&self, number: &FiscalNumber) -> Option<Verdict> {
        match *self.weather.lock().unwrap() {
            Weather::Closed => Some(Verdict::Unavailable),
            Weather::Silent => Some(Verdict::Unknown),
            Weather::Fair => self.lost.lock().unwrap().contains(number).then_some(Verdict::Unavailable),
        }
    }
}

#[async_trait]
impl TaxAuthority for Road {
    async fn submit(&self, submission: Submission) -> Verdict {
        let number = submission.number.clone();
        self.tried.lock().unwrap().push(number.clone());
        if let Some(verdict) = self.is_closed_to(&number) {
            return verdict;
        }
        self.arrived.lock().unwrap().push(number.clone());
        if self.refused.lock().unwrap().contains(&number) {
            return Verdict::Rejected {
                code: ProblemCode::TotalsRejected,
                is_number_spent: true,
                authority_messages: Vec::new(),
            };
        }
        if self.spends.load(Ordering::Relaxed) {
            return Verdict::Rejected {
                code: ProblemCode::IssuerNotAuthorized,
                is_number_spent: true,
                authority_messages: Vec::new(),
            };
        }
        self.to.submit(submission).await
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        self.asked.lock().unwrap().push(inquiry.number.clone());
        match self.is_closed_to(&inquiry.number) {
            Some(_) => Verdict::Unknown,
            None => self.to.inquire(inquiry).await,
        }
    }
}
