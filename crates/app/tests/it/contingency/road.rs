//! The way to the authority, which is closed at times, and on which it is seen who comes along.

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

/// How it is on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    Fair,
    /// Nobody gets through, and knows it.
    Closed,
    /// Nobody gets through, and nobody is told.
    Silent,
}

pub(crate) struct Road {
    pub(crate) to: Arc<dyn TaxAuthority>,
    pub(crate) weather: Mutex<Weather>,
    /// Numbers that never get through, whatever the weather, and nobody knows why.
    pub(crate) lost: Mutex<BTreeSet<FiscalNumber>>,
    /// Numbers that are refused.
    pub(crate) refused: Mutex<BTreeSet<FiscalNumber>>,
    /// Whether every document is refused for its signer, and its number spent.
    pub(crate) spends: AtomicBool,
    /// Every try, whether it got through or not.
    pub(crate) tried: Mutex<Vec<FiscalNumber>>,
    /// Every question.
    pub(crate) asked: Mutex<Vec<FiscalNumber>>,
    /// What got through, in the order of its arrival.
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
            return Verdict::Rejected { code: ProblemCode::TotalsRejected, is_number_spent: true, said: Vec::new() };
        }
        if self.spends.load(Ordering::Relaxed) {
            return Verdict::Rejected {
                code: ProblemCode::IssuerNotAuthorized,
                is_number_spent: true,
                said: Vec::new(),
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
