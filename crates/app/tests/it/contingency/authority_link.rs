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
pub(crate) enum LinkState {
    Up,
    /// Submissions fail, and the caller knows that they did not arrive.
    Down,
    /// Submissions are lost without an error.
    Silent,
}

pub(crate) struct AuthorityLink {
    pub(crate) authority: Arc<dyn TaxAuthority>,
    pub(crate) state: Mutex<LinkState>,
    /// Numbers that never arrive, in every state of the link.
    pub(crate) lost: Mutex<BTreeSet<FiscalNumber>>,
    /// Numbers that are refused.
    pub(crate) refused: Mutex<BTreeSet<FiscalNumber>>,
    /// Whether each document is rejected for its signer, and its number spent.
    pub(crate) spends: AtomicBool,
    /// Every submission, whether it arrived or not.
    pub(crate) submissions: Mutex<Vec<FiscalNumber>>,
    /// Every inquiry.
    pub(crate) inquiries: Mutex<Vec<FiscalNumber>>,
    /// Submissions that arrived, in order.
    pub(crate) arrived: Mutex<Vec<FiscalNumber>>,
}

impl AuthorityLink {
    pub(crate) fn to(authority: Arc<dyn TaxAuthority>) -> Self {
        Self {
            authority,
            state: Mutex::new(LinkState::Up),
            lost: Mutex::default(),
            refused: Mutex::default(),
            spends: AtomicBool::default(),
            submissions: Mutex::default(),
            inquiries: Mutex::default(),
            arrived: Mutex::default(),
        }
    }

    pub(crate) fn set_state(&self, state: LinkState) {
        *self.state.lock().unwrap() = state;
    }

    fn failure_of(&self, number: &FiscalNumber) -> Option<Verdict> {
        match *self.state.lock().unwrap() {
            LinkState::Down => Some(Verdict::Unavailable),
            LinkState::Silent => Some(Verdict::Unknown),
            LinkState::Up => self.lost.lock().unwrap().contains(number).then_some(Verdict::Unavailable),
        }
    }
}

#[async_trait]
impl TaxAuthority for AuthorityLink {
    async fn submit(&self, submission: Submission) -> Verdict {
        let number = submission.number.clone();
        self.submissions.lock().unwrap().push(number.clone());
        if let Some(verdict) = self.failure_of(&number) {
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
        self.authority.submit(submission).await
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        self.inquiries.lock().unwrap().push(inquiry.number.clone());
        match self.failure_of(&inquiry.number) {
            Some(_) => Verdict::Unknown,
            None => self.authority.inquire(inquiry).await,
        }
    }
}
