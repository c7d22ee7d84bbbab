//! Ledger of the acquirer's transactions.

use std::{collections::BTreeMap, io, path::Path};

use chrono::{DateTime, Utc};
use domain::{Money, fiscal::local_time, payment::DeclineCode};
use parking_lot::Mutex;

use super::{
    cards,
    record::{self, LedgerEntry},
    scenario::TransactionOutcome,
    transaction::{FollowUp, Funds, Transaction, TransactionKey, TransactionKind, order_number},
};
use crate::{
    faults::{Fault, visible_from},
    journal::{Journal, JournalError},
};

/// All transactions, in the order of arrival.
pub(crate) struct Ledger {
    pub(super) state: Mutex<LedgerState>,
    is_on_disk: bool,
}

pub(super) struct LedgerState {
    pub(super) journal: Journal<LedgerEntry>,
    pub(super) transactions: Transactions,
}

#[derive(Default)]
pub(super) struct Transactions {
    pub(super) transactions: Vec<Transaction>,
    /// Positions of the transactions of each name.
    by_name: BTreeMap<TransactionKey, Vec<usize>>,
    /// Position of the transaction of each order: the transaction's own order, or the order of its capture.
    pub(super) by_order: BTreeMap<String, usize>,
    /// Number of assigned references; a reversal has a separate one.
    names: u32,
}

/// Result of a reversal or a void.
pub(crate) enum UndoResult {
    /// Undone, by the transaction with this reference.
    By(String),
    /// There is no transaction that can be undone.
    NotUndoable,
    /// The server responds 500, without an effect.
    ServerError,
    /// The connection stays silent, after an effect or without one.
    Silence,
}

/// Result of a capture.
pub(crate) enum CaptureResult {
    /// Captured, by the transaction with this reference.
    By(String),
    /// The issuer declined.
    Refused(DeclineCode),
    /// There are no funds, or not enough.
    NotCapturable,
}

impl Ledger {
    pub(crate) fn in_memory() -> Self {
        Self {
            state: Mutex::new(LedgerState { journal: Journal::none(), transactions: Transactions::default() }),
            is_on_disk: false,
        }
    }

    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let mut transactions = Transactions::default();
        let journal = Journal::open(path, |entry| transactions.apply(entry).is_some())?;
        Ok(Self { state: Mutex::new(LedgerState { journal, transactions }), is_on_disk: true })
    }

    /// Whether records wait for the disk.
    pub(crate) const fn is_on_disk(&self) -> bool {
        self.is_on_disk
    }

    /// Records a submission, and returns its reference.
    pub(crate) fn record(&self, transaction: Transaction) -> io::Result<String> {
        let mut state = self.state.lock();
        let reference = state.transactions.next_reference(transaction.received_at);
        let transaction = Transaction { reference: reference.clone(), ..transaction };
        state.journal.append(&LedgerEntry::submission(&transaction))?;
        state.transactions.add(transaction);
        Ok(reference)
    }

    /// Returns the newest transaction of an attempt that is visible at `now`. The real acquirer, too, shows only the
    /// newest.
    pub(crate) fn find(&self, attempt: &TransactionKey, now: DateTime<Utc>) -> Option<Transaction> {
        self.state.lock().transactions.newest(attempt, |it| it.is_visible(now)).cloned()
    }

    /// Hides the transactions of an attempt until `until`. Restarts forget the delay.
    pub(crate) fn hide(&self, attempt: &TransactionKey, until: DateTime<Utc>) {
        let transactions = &mut self.state.lock().transactions;
        for index in transactions.of(attempt).to_vec() {
            if let Some(transaction) = transactions.transactions.get_mut(index) {
                transaction.visible_at = until;
            }
        }
    }

    /// After a call with a visibility lag, hides the transactions of its attempt for a while.
    pub(crate) fn lag(&self, fault: Option<Fault>, attempt: &TransactionKey, now: DateTime<Utc>) {
        if fault == Some(Fault::VisibilityLag) {
            self.hide(attempt, visible_from(now));
        }
    }

    /// Undoes the newest approval of an attempt. Repeated reversals succeed.
    pub(crate) fn reverse(&self, attempt: &TransactionKey, now: DateTime<Utc>) -> io::Result<UndoResult> {
        let mut state = self.state.lock();
        let approved = state.transactions.newest(attempt, |it| it.has_moved_money(now)).map(|it| it.reference.clone());
        match approved {
            Some(approved) => state.undo(approved, now),
            None => Ok(state.transactions.earlier_undo(attempt)),
        }
    }

    /// Captures the funds of an attempt. A second capture is refused.
    pub(crate) fn capture(
        &self,
        attempt: &TransactionKey,
        amount: Money,
        now: DateTime<Utc>,
    ) -> io::Result<CaptureResult> {
        let mut state = self.state.lock();
        let Some(hold) = state.transactions.newest(attempt, |it| it.kind == TransactionKind::Hold) else {
            return Ok(CaptureResult::NotCapturable);
        };
        if hold.amount != amount && hold.funds(now) == Funds::Held {
            return Ok(CaptureResult::NotCapturable);
        }
        let of = hold.reference.clone();
        state.take(&of, None, now)
    }

    /// Voids the hold of an attempt, also after expiry, but not after a capture.
    pub(crate) fn void(&self, attempt: &TransactionKey, now: DateTime<Utc>) -> io::Result<UndoResult> {
        let mut state = self.state.lock();
        let is_open = |it: &Transaction| {
            it.kind == TransactionKind::Hold && it.reversal.is_none() && it.outcome == TransactionOutcome::Approved
        };
        let Some(hold) = state.transactions.newest(attempt, is_open) else {
            return Ok(state.transactions.earlier_undo(attempt));
        };
        if hold.capture.is_some() {
            return Ok(UndoResult::NotUndoable);
        }
        let of = hold.reference.clone();
        state.void(&of, now)
    }

    /// Returns the transaction of the merchant's stored card with this token.
    pub(crate) fn stored_card(&self, account: &str, token: &str) -> Option<Transaction> {
        self.state.lock().transactions.stored_card(account, token).cloned()
    }

    /// Deletes a stored card, and returns whether the card existed.
    pub(crate) fn delete_card(&self, account: &str, token: &str) -> io::Result<bool> {
        let mut state = self.state.lock();
        let Some(of) = state.transactions.stored_card(account, token).map(|it| it.reference.clone()) else {
            return Ok(false);
        };
        state.write(LedgerEntry::Forgotten { of })?;
        Ok(true)
    }

    /// Returns every transaction, newest first.
    pub(crate) fn newest_first<T>(&self, view: impl Fn(&Transaction) -> T) -> Vec<T> {
        self.state.lock().transactions.transactions.iter().rev().map(view).collect()
    }
}

impl LedgerState {
    /// Undoes the transaction with this reference, unless its scenario fails the first void.
    pub(super) fn void(&mut self, of: &str, now: DateTime<Utc>) -> io::Result<UndoResult> {
        let Some(transaction) = self.transactions.find_mut(of) else { return Ok(UndoResult::NotUndoable) };
        let is_hold = transaction.kind == TransactionKind::Hold && transaction.capture.is_none();
        if is_hold && transaction.scenario == cards::VOID_FAILS_ONCE && transaction.failed_voids == 0 {
            self.write(LedgerEntry::FailedVoid { of: of.to_owned() })?;
            return Ok(UndoResult::ServerError);
        }
        self.undo(of.to_owned(), now)
    }

    /// Captures the funds of the hold with this reference, or `minor_units` of them.
    pub(super) fn take(&mut self, of: &str, minor_units: Option<i64>, now: DateTime<Utc>) -> io::Result<CaptureResult> {
        let Some(hold) = self.transactions.find_mut(of) else { return Ok(CaptureResult::NotCapturable) };
        match hold.funds(now) {
            Funds::Gone => return Ok(CaptureResult::Refused(DeclineCode::DoNotHonor)),
            Funds::Held if hold.scenario == cards::CAPTURE_DECLINED => {
                return Ok(CaptureResult::Refused(DeclineCode::InsufficientFunds));
            }
            Funds::Held => {}
            Funds::Never | Funds::Captured => return Ok(CaptureResult::NotCapturable),
        }
        let reference = self.transactions.next_reference(now);
        let (of, by) = (of.to_owned(), reference.clone());
        self.write(LedgerEntry::Capture { of, reference: by, at: now, minor_units })?;
        Ok(CaptureResult::By(reference))
    }

    fn undo(&mut self, of: String, now: DateTime<Utc>) -> io::Result<UndoResult> {
        let reference = self.transactions.next_reference(now);
        self.write(LedgerEntry::Reversal { of, reference: reference.clone(), at: now })?;
        Ok(UndoResult::By(reference))
    }

    /// Stores an entry, and applies it.
    pub(super) fn write(&mut self, entry: LedgerEntry) -> io::Result<()> {
        self.journal.append(&entry)?;
        self.transactions.apply(entry);
        Ok(())
    }
}

impl Transactions {
    /// Applies an entry of the journal; `None` if the entry is invalid.
    fn apply(&mut self, entry: LedgerEntry) -> Option<()> {
        match entry {
            LedgerEntry::Submission(submission) => self.add(submission.read()?),
            LedgerEntry::Capture { of, reference, at, minor_units } => {
                let index = *self.by_order.get(order_number(&of))?;
                self.by_order.insert(order_number(&reference).to_owned(), index);
                self.transactions.get_mut(index)?.capture = Some(FollowUp { reference, at, minor_units });
                self.names = self.names.saturating_add(1);
            }
            LedgerEntry::Reversal { of, reference, at } => {
                self.find_mut(&of)?.reversal = Some(FollowUp { reference, at, minor_units: None });
                self.names = self.names.saturating_add(1);
            }
            LedgerEntry::FailedVoid { of } => {
                let hold = self.find_mut(&of)?;
                hold.failed_voids = hold.failed_voids.saturating_add(1);
            }
            LedgerEntry::Forgotten { of } => self.find_mut(&of)?.is_card_stored = false,
            LedgerEntry::Authentication { of, scenario, outcome, decline } => {
                let transaction = self.find_mut(&of)?;
                transaction.outcome = record::parse_outcome(&outcome, decline.as_deref())?;
                transaction.scenario = scenario;
            }
        }
        Some(())
    }

    pub(super) fn add(&mut self, transaction: Transaction) {
        let index = self.transactions.len();
        self.by_name.entry(transaction.key.clone()).or_default().push(index);
        self.by_order.insert(order_number(&transaction.reference).to_owned(), index);
        self.transactions.push(transaction);
        self.names = self.names.saturating_add(1);
    }

    fn stored_card(&self, account: &str, token: &str) -> Option<&Transaction> {
        let mut own = self.transactions.iter().rev().filter(|it| it.key.account == account);
        own.find(|it| it.token().as_deref() == Some(token))
    }

    /// Returns the transaction with the reference.
    pub(super) fn find_mut(&mut self, reference: &str) -> Option<&mut Transaction> {
        self.transactions.get_mut(*self.by_order.get(order_number(reference))?)
    }

    /// Returns the newest transaction of an attempt that satisfies `holds`.
    pub(super) fn newest(
        &self,
        attempt: &TransactionKey,
        holds: impl Fn(&Transaction) -> bool,
    ) -> Option<&Transaction> {
        self.of(attempt).iter().rev().filter_map(|&it| self.transactions.get(it)).find(|it| holds(it))
    }

    /// Returns the reversal of an attempt without funds left.
    fn earlier_undo(&self, attempt: &TransactionKey) -> UndoResult {
        let earlier = self.newest(attempt, |it| it.reversal.is_some()).and_then(|it| it.reversal.as_ref());
        earlier.map_or(UndoResult::NotUndoable, |it| UndoResult::By(it.reference.clone()))
    }

    pub(super) fn of(&self, attempt: &TransactionKey) -> &[usize] {
        self.by_name.get(attempt).map_or(&[], Vec::as_slice)
    }

    /// Returns the next reference: local time and a rising number, in the acquirers' format.
    pub(super) fn next_reference(&self, now: DateTime<Utc>) -> String {
        format!("{}{:08}", local_time(now).format("%Y%m%d%H%M%S"), self.names.saturating_add(1))
    }
}
