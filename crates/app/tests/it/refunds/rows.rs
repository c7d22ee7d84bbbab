//! Stored rows of one sale, which commits change.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{FiscalDocument, attempt::Attempt, refund::RefundedSale};
use ports::{
    Change, Commit, Committed, KeyRecord, ListedReturn, RefundLookup, RefundRequest, RefundResponse, Unavailable,
};
use testkit::sample;

/// Stored rows, the commits that wrote them, and the scripts of the ports.
pub(crate) struct Rows {
    pub(crate) sale: RefundedSale,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) key: Option<KeyRecord>,
    pub(crate) commits: Vec<Commit>,
    /// Results of the next commits in place of their execution.
    pub(crate) refusals: VecDeque<Option<Refusal>>,
    /// Responses to voids and refunds, in order.
    pub(crate) responses: VecDeque<RefundResponse>,
    /// Results of look-ups, in order; the last one repeats.
    pub(crate) look_ups: VecDeque<RefundLookup>,
    /// Requests that reached the acquirer.
    pub(crate) requests: Vec<RefundRequest>,
    pub(crate) listed: Vec<ListedReturn>,
    pub(crate) swept: Vec<chrono::NaiveDate>,
}

/// What a commit meets in place of its execution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refusal {
    /// The database fails, and no row is written.
    Lost,
    /// The database fails after the rows were written.
    Unanswered,
    KnownTransaction,
    /// A worker has expired the open calls of the last refund.
    Raced,
}

impl Rows {
    pub(crate) fn commit(&mut self, commit: Commit) -> Result<Committed, Unavailable> {
        let lost = || Unavailable { what: "the database", source: "the connection ended".into() };
        let refusal = self.refusals.pop_front().flatten();
        match refusal {
            Some(Refusal::Lost) => return Err(lost()),
            Some(Refusal::KnownTransaction) => return Ok(Committed::KnownTransaction),
            Some(Refusal::Raced) => self.expire(commit.at),
            Some(Refusal::Unanswered) | None => {}
        }
        if let Some(key) = &commit.key
            && key.based_on != self.key.as_ref().map(|key| key.epoch)
        {
            return Ok(Committed::KeyTaken);
        }
        if !self.is_current(&commit) {
            return Ok(Committed::Stale);
        }
        self.write(&commit);
        self.commits.push(commit);
        if matches!(refusal, Some(Refusal::Unanswered)) { Err(lost()) } else { Ok(Committed::Done) }
    }

    fn expire(&mut self, now: DateTime<Utc>) {
        let later = now + TimeDelta::seconds(120);
        let before = self.sale.refunds.last().unwrap().clone();
        self.sale.refunds.last_mut().unwrap().expire_calls(later);
        self.sale.settle_legs(&before, sample::document_id(99), later).unwrap();
    }

    fn is_current(&self, commit: &Commit) -> bool {
        let payment = &self.sale.sale.payment;
        let is_payment = commit.payment.as_ref().is_none_or(|change| change.based_on == Some(payment.version()));
        let is_refund = commit.refund.as_ref().is_none_or(|change| {
            change.based_on == self.sale.refund(&change.to.facts.id).map(|refund| refund.state().version)
        });
        let is_document = |change: &Change<FiscalDocument>| change.based_on == self.version_of(&change.to);
        is_payment && is_refund && commit.documents.iter().all(is_document)
    }

    fn version_of(&self, document: &FiscalDocument) -> Option<u32> {
        let mut documents = std::iter::once(&self.sale.sale.document).chain(&self.sale.notes);
        documents.find(|stored| stored.facts.id == document.facts.id).map(FiscalDocument::version)
    }

    fn write(&mut self, commit: &Commit) {
        if let Some(change) = &commit.payment {
            self.sale.sale.payment = change.to.clone();
        }
        if let Some(change) = &commit.refund {
            match self.sale.refund_mut(&change.to.facts.id) {
                Some(refund) => *refund = change.to.clone(),
                None => self.sale.refunds.push(change.to.clone()),
            }
        }
        for change in &commit.documents {
            let mut documents = std::iter::once(&mut self.sale.sale.document).chain(&mut self.sale.notes);
            match documents.find(|stored| stored.facts.id == change.to.facts.id) {
                Some(stored) => *stored = change.to.clone(),
                None => self.sale.notes.push(change.to.clone()),
            }
        }
        for attempt in &commit.attempts {
            match self.attempts.iter_mut().find(|stored| stored.id == attempt.id) {
                Some(stored) => *stored = attempt.clone(),
                None => self.attempts.push(attempt.clone()),
            }
        }
        if let Some(change) = &commit.key {
            self.key = Some(change.to.clone());
        }
    }
}
