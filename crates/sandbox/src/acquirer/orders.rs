//! Transactions by the acquirer's order ids, as in its web services.

use std::io;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{Money, fiscal::local_date};

use super::{
    ledger::{CaptureResult, Ledger, Transactions},
    record::LedgerEntry,
    scenario::{ThreeDsStep, TransactionOutcome},
    transaction::{Funds, Transaction, TransactionKey, TransactionKind, order_number},
};

/// Time limit of an authentication.
pub(super) const AUTHENTICATION_WINDOW: TimeDelta = TimeDelta::minutes(15);

/// Result of a 3-D Secure step.
pub(crate) enum StepResult {
    /// The transaction after the step.
    Applied(Box<Transaction>),
    /// The step is a repetition, or was never requested.
    Repeated,
    /// The authentication has expired.
    TooLate,
}

/// Kind of a line of a merchant's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListedKind {
    Sale,
    Hold,
    /// Capture of a hold.
    Post,
    Void,
    Refund,
}

impl ListedKind {
    /// Returns the acquirer's name of the kind.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Sale => "Sale",
            Self::Hold => "Hold",
            Self::Post => "Post",
            Self::Void => "Void",
            Self::Refund => "Refund",
        }
    }
}

/// A line of a merchant's list: a submission, or a later operation on a submission.
#[derive(Clone, Debug)]
pub(crate) struct ListedTransaction {
    pub(crate) kind: ListedKind,
    /// The acquirer's long reference.
    pub(crate) reference: String,
    pub(crate) amount: Money,
    pub(crate) at: DateTime<Utc>,
    /// The submission.
    pub(crate) of: Transaction,
}

/// Result of the capture of an order.
pub(crate) enum PostResult {
    /// As for an attempt.
    Capture(CaptureResult),
    /// Above the maximum of the acquirer.
    TooMuch,
    /// Unknown order.
    Unknown,
}

impl Ledger {
    /// Captures `minor_units` of the order.
    pub(crate) fn post(&self, store: &str, id: &str, minor_units: i64, now: DateTime<Utc>) -> io::Result<PostResult> {
        let mut state = self.state.lock();
        let Some(hold) = state.transactions.ordered(store, id) else { return Ok(PostResult::Unknown) };
        let (of, most) = (hold.reference.clone(), hold.amount.minor_units().saturating_mul(115) / 100);
        if hold.kind != TransactionKind::Hold || hold.funds(now) == Funds::Captured || hold.reversal.is_some() {
            return Ok(PostResult::Capture(CaptureResult::NotCapturable));
        }
        if minor_units > most {
            return Ok(PostResult::TooMuch);
        }
        let part = (minor_units != hold.amount.minor_units()).then_some(minor_units);
        state.take(&of, part, now).map(PostResult::Capture)
    }

    /// Performs a requested 3-D Secure step: `next` returns the outcome of the scenario.
    pub(crate) fn authenticate(
        &self,
        (store, id): (&str, &str),
        step: ThreeDsStep,
        now: DateTime<Utc>,
        next: impl FnOnce(&str) -> (String, TransactionOutcome),
    ) -> io::Result<StepResult> {
        let mut state = self.state.lock();
        let Some(it) = state.transactions.ordered(store, id) else { return Ok(StepResult::TooLate) };
        if it.outcome != TransactionOutcome::StepRequired(step) {
            return Ok(StepResult::Repeated);
        }
        if now.signed_duration_since(it.received_at) > AUTHENTICATION_WINDOW {
            return Ok(StepResult::TooLate);
        }
        let of = it.reference.clone();
        let (scenario, to) = next(&it.scenario);
        state.write(LedgerEntry::authentication(of.clone(), scenario, to))?;
        let after = state.transactions.find_mut(&of).map(|it| Box::new(it.clone()));
        Ok(after.map_or(StepResult::TooLate, StepResult::Applied))
    }

    /// Returns the newest line under a name that is visible at `now`.
    pub(crate) fn newest_row(&self, key: &TransactionKey, now: DateTime<Utc>) -> Option<ListedTransaction> {
        rows(&self.find(key, now)?).pop()
    }

    /// Returns every line of the merchant on those days that is visible at `now`, oldest first.
    pub(crate) fn rows(
        &self,
        store: &str,
        (from, to): (NaiveDate, NaiveDate),
        now: DateTime<Utc>,
    ) -> Vec<ListedTransaction> {
        let state = self.state.lock();
        let is_seen = |it: &&Transaction| it.key.account == store && it.is_visible(now);
        let all = state.transactions.transactions.iter().filter(is_seen).flat_map(rows);
        let mut rows: Vec<ListedTransaction> = all.filter(|it| (from..=to).contains(&local_date(it.at))).collect();
        rows.sort_by(|one, other| order_number(&one.reference).cmp(order_number(&other.reference)));
        rows
    }
}

impl Transactions {
    /// Returns the merchant's transaction of the order.
    pub(super) fn ordered(&self, store: &str, id: &str) -> Option<&Transaction> {
        self.transactions.get(*self.by_order.get(id)?).filter(|it| it.key.account == store)
    }
}

/// Returns the lines of a transaction, oldest first. Openings and stored cards are not listed.
fn rows(of: &Transaction) -> Vec<ListedTransaction> {
    let kind = match of.kind {
        TransactionKind::Sale => ListedKind::Sale,
        TransactionKind::Hold => ListedKind::Hold,
        TransactionKind::Refund => ListedKind::Refund,
        TransactionKind::Opening | TransactionKind::Vault => return Vec::new(),
    };
    let row = |kind, reference: &String, amount, at| ListedTransaction {
        kind,
        reference: reference.clone(),
        amount,
        at,
        of: of.clone(),
    };
    let mut rows = vec![row(kind, &of.reference, of.amount, of.received_at)];
    rows.extend(of.capture.as_ref().map(|it| row(ListedKind::Post, &it.reference, of.captured_amount(), it.at)));
    rows.extend(of.reversal.as_ref().map(|it| row(ListedKind::Void, &it.reference, of.captured_amount(), it.at)));
    rows
}
