//! What the acquirer remembers, and what it says of it.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use domain::{Money, fiscal::local_time, payment::DeclineCode};

use super::{
    cards,
    record::{self, Entry},
    script::Truth,
    transaction::{Funds, Kind, Named, Sequel, Transaction},
};
use crate::{Fault, JournalError, journal::Journal, late_from};

/// All transactions, in the order in which they arrived.
pub(crate) struct Ledger {
    book: Mutex<Book>,
    is_on_disk: bool,
}

pub(super) struct Book {
    pub(super) journal: Journal<Entry>,
    pub(super) pages: Pages,
}

#[derive(Default)]
pub(super) struct Pages {
    pub(super) transactions: Vec<Transaction>,
    /// Where the transactions of each name are.
    by_name: BTreeMap<Named, Vec<usize>>,
    /// Where the transaction is that each order is about: its own, or that of its capture.
    pub(super) by_order: BTreeMap<String, usize>,
    /// How many names were given: a reversal has one of its own.
    names: u32,
}

/// What became of a wish to undo an attempt.
pub(crate) enum Undone {
    /// It is undone, by the transaction of that name.
    By(String),
    /// There was nothing to undo.
    Nothing,
    /// It was not heard, and nobody says so.
    Unheard,
}

/// What became of a wish to take the funds that an attempt holds.
pub(crate) enum Captured {
    /// They were taken, by the transaction of that name.
    By(String),
    /// The issuer refused.
    Refused(DeclineCode),
    /// There was nothing to take, or not that much.
    Nothing,
}

impl Ledger {
    pub(crate) fn in_memory() -> Self {
        Self { book: Mutex::new(Book { journal: Journal::none(), pages: Pages::default() }), is_on_disk: false }
    }

    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let mut pages = Pages::default();
        let journal = Journal::open(path, |entry| pages.read(entry).is_some())?;
        Ok(Self { book: Mutex::new(Book { journal, pages }), is_on_disk: true })
    }

    /// Whether what is recorded waits for a disk.
    pub(crate) const fn is_on_disk(&self) -> bool {
        self.is_on_disk
    }

    /// Remembers a submission, and returns the name that it is given.
    pub(crate) fn record(&self, transaction: Transaction) -> io::Result<String> {
        let mut book = self.lock();
        let reference = book.pages.next_name(transaction.received_at);
        let transaction = Transaction { reference: reference.clone(), ..transaction };
        book.journal.append(&Entry::submission(&transaction))?;
        book.pages.add(transaction);
        Ok(reference)
    }

    /// The newest transaction of an attempt that can be seen at `now`. Of several only the newest
    /// shows, as at the real acquirer.
    pub(crate) fn find(&self, attempt: &Named, now: DateTime<Utc>) -> Option<Transaction> {
        self.lock().pages.newest(attempt, |it| it.visible_at <= now && it.truth != Truth::Nothing).cloned()
    }

    /// Hides what there is of an attempt until `until`. Restarts do not know of it.
    pub(crate) fn hide(&self, attempt: &Named, until: DateTime<Utc>) {
        let pages = &mut self.lock().pages;
        for index in pages.of(attempt).to_vec() {
            if let Some(transaction) = pages.transactions.get_mut(index) {
                transaction.visible_at = until;
            }
        }
    }

    /// After a call that lags, look-ups see nothing of its attempt for a while.
    pub(crate) fn lag(&self, fault: Option<Fault>, attempt: &Named, now: DateTime<Utc>) {
        if fault == Some(Fault::VisibilityLag) {
            self.hide(attempt, late_from(now));
        }
    }

    /// Undoes the newest approval of an attempt. To undo what is undone is no fault.
    pub(crate) fn reverse(&self, attempt: &Named, now: DateTime<Utc>) -> io::Result<Undone> {
        let mut book = self.lock();
        let approved = book.pages.newest(attempt, |it| it.took_money(now)).map(|it| it.reference.clone());
        match approved {
            Some(approved) => book.undo(&approved, now),
            None => Ok(book.pages.undone(attempt)),
        }
    }

    /// Takes the funds that an attempt holds. To take them twice is refused.
    pub(crate) fn capture(&self, attempt: &Named, amount: Money, now: DateTime<Utc>) -> io::Result<Captured> {
        let mut book = self.lock();
        let Some(hold) = book.pages.newest(attempt, |it| it.kind == Kind::Hold) else { return Ok(Captured::Nothing) };
        if hold.amount != amount && hold.funds(now) == Funds::Held {
            return Ok(Captured::Nothing);
        }
        let of = hold.reference.clone();
        book.take(&of, None, now)
    }

    /// Gives back what an attempt holds. What lapsed may be given back, too; what was taken may not.
    pub(crate) fn void(&self, attempt: &Named, now: DateTime<Utc>) -> io::Result<Undone> {
        let mut book = self.lock();
        let is_open = |it: &Transaction| it.kind == Kind::Hold && it.reversal.is_none() && it.truth == Truth::Approved;
        let Some(hold) = book.pages.newest(attempt, is_open) else { return Ok(book.pages.undone(attempt)) };
        if hold.capture.is_some() {
            return Ok(Undone::Nothing);
        }
        let of = hold.reference.clone();
        book.give_back(&of, now)
    }

    /// Reads the card that is kept for the merchant under that name: all that is known of it, and how it behaves.
    pub(crate) fn kept(&self, account: &str, token: &str) -> Option<Transaction> {
        self.lock().pages.kept(account, token).cloned()
    }

    /// Keeps that card no more. Says whether it was kept.
    pub(crate) fn forget(&self, account: &str, token: &str) -> io::Result<bool> {
        let mut book = self.lock();
        let Some(of) = book.pages.kept(account, token).map(|it| it.reference.clone()) else { return Ok(false) };
        book.journal.append(&Entry::forgotten(&of))?;
        Ok(book.pages.forget(&of).is_some())
    }

    /// Every transaction, the newest first.
    pub(crate) fn newest_first<T>(&self, view: impl Fn(&Transaction) -> T) -> Vec<T> {
        self.lock().pages.transactions.iter().rev().map(view).collect()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// Undoes the transaction of that name, unless its card does not let that be heard at first.
    pub(super) fn give_back(&mut self, of: &str, now: DateTime<Utc>) -> io::Result<Undone> {
        let Some(transaction) = self.pages.named(of) else { return Ok(Undone::Nothing) };
        let is_hold = transaction.kind == Kind::Hold && transaction.capture.is_none();
        if is_hold && transaction.scenario == cards::VOID_FAILS_ONCE && transaction.failed_voids == 0 {
            self.journal.append(&Entry::failed_void(of))?;
            self.pages.fail_to_void(of);
            return Ok(Undone::Unheard);
        }
        self.undo(of, now)
    }

    /// Takes what the hold of that name holds, or `minor_units` of it.
    pub(super) fn take(&mut self, of: &str, minor_units: Option<i64>, now: DateTime<Utc>) -> io::Result<Captured> {
        let Some(hold) = self.pages.named(of) else { return Ok(Captured::Nothing) };
        match hold.funds(now) {
            Funds::Gone => return Ok(Captured::Refused(DeclineCode::DoNotHonor)),
            Funds::Held if hold.scenario == cards::CAPTURE_DECLINED => {
                return Ok(Captured::Refused(DeclineCode::InsufficientFunds));
            }
            Funds::Held => {}
            Funds::Never | Funds::Captured => return Ok(Captured::Nothing),
        }
        let capture = Sequel { reference: self.pages.next_name(now), at: now, minor_units };
        self.journal.append(&Entry::capture(of, &capture))?;
        let reference = capture.reference.clone();
        self.pages.capture(of, capture);
        Ok(Captured::By(reference))
    }

    fn undo(&mut self, reference: &str, now: DateTime<Utc>) -> io::Result<Undone> {
        let reversal = Sequel { reference: self.pages.next_name(now), at: now, minor_units: None };
        self.journal.append(&Entry::reversal(reference, &reversal))?;
        let by = reversal.reference.clone();
        self.pages.undo(reference, reversal);
        Ok(Undone::By(by))
    }
}

impl Pages {
    fn read(&mut self, entry: Entry) -> Option<()> {
        match entry {
            Entry::Submission(submission) => self.add(submission.read()?),
            Entry::Capture { of, reference, at, minor_units } => {
                self.capture(&of, Sequel { reference, at, minor_units })?;
            }
            Entry::Reversal { of, reference, at } => self.undo(&of, Sequel { reference, at, minor_units: None })?,
            Entry::FailedVoid { of } => self.fail_to_void(&of)?,
            Entry::Forgotten { of } => self.forget(&of)?,
            Entry::Authentication { of, scenario, truth, decline } => {
                self.authenticate(&of, scenario, record::truth(&truth, decline.as_deref())?)?;
            }
        }
        Some(())
    }

    pub(super) fn add(&mut self, transaction: Transaction) {
        let index = self.transactions.len();
        self.by_name.entry(transaction.named.clone()).or_default().push(index);
        self.by_order.insert(order(&transaction.reference).to_owned(), index);
        self.transactions.push(transaction);
        self.names = self.names.saturating_add(1);
    }

    fn capture(&mut self, reference: &str, capture: Sequel) -> Option<()> {
        let index = *self.by_order.get(order(reference))?;
        self.by_order.insert(order(&capture.reference).to_owned(), index);
        self.transactions.get_mut(index)?.capture = Some(capture);
        self.names = self.names.saturating_add(1);
        Some(())
    }

    fn undo(&mut self, reference: &str, reversal: Sequel) -> Option<()> {
        self.named(reference)?.reversal = Some(reversal);
        self.names = self.names.saturating_add(1);
        Some(())
    }

    fn fail_to_void(&mut self, reference: &str) -> Option<()> {
        let hold = self.named(reference)?;
        hold.failed_voids = hold.failed_voids.saturating_add(1);
        Some(())
    }

    fn forget(&mut self, reference: &str) -> Option<()> {
        self.named(reference)?.is_kept = false;
        Some(())
    }

    fn kept(&self, account: &str, token: &str) -> Option<&Transaction> {
        let mut own = self.transactions.iter().rev().filter(|it| it.named.account == account);
        own.find(|it| it.token().as_deref() == Some(token))
    }

    pub(super) fn authenticate(&mut self, reference: &str, scenario: String, to: Truth) -> Option<()> {
        let transaction = self.named(reference)?;
        (transaction.scenario, transaction.truth) = (scenario, to);
        Some(())
    }

    pub(super) fn named(&mut self, reference: &str) -> Option<&mut Transaction> {
        self.transactions.get_mut(*self.by_order.get(order(reference))?)
    }

    /// The newest transaction of an attempt of which `holds` is true.
    pub(super) fn newest(&self, attempt: &Named, holds: impl Fn(&Transaction) -> bool) -> Option<&Transaction> {
        self.of(attempt).iter().rev().filter_map(|&it| self.transactions.get(it)).find(|it| holds(it))
    }

    /// What undid an attempt that has nothing left to undo.
    fn undone(&self, attempt: &Named) -> Undone {
        let earlier = self.newest(attempt, |it| it.reversal.is_some()).and_then(|it| it.reversal.as_ref());
        earlier.map_or(Undone::Nothing, |it| Undone::By(it.reference.clone()))
    }

    pub(super) fn of(&self, attempt: &Named) -> &[usize] {
        self.by_name.get(attempt).map_or(&[], Vec::as_slice)
    }

    /// Local time and a number that rises by one, as acquirers spell it.
    pub(super) fn next_name(&self, now: DateTime<Utc>) -> String {
        format!("{}{:08}", local_time(now).format("%Y%m%d%H%M%S"), self.names.saturating_add(1))
    }
}

/// The acquirer's short name for a transaction: its number alone.
pub(crate) fn order(reference: &str) -> &str {
    reference.get(14..).unwrap_or(reference)
}
