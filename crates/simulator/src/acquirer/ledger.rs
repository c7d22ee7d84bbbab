//! What the acquirer remembers, and what it says of it.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use domain::{Money, fiscal::local_time, payment::DeclineCode};
use ports::AttemptRef;

use super::{
    cards,
    record::Entry,
    script::Truth,
    transaction::{Funds, Kind, Sequel, Transaction},
};
use crate::{Fault, JournalUnusable, journal::Journal, late_from};

/// All transactions, in the order in which they arrived.
pub(crate) struct Ledger {
    book: Mutex<Book>,
    is_on_disk: bool,
}

struct Book {
    journal: Journal<Entry>,
    pages: Pages,
}

#[derive(Default)]
struct Pages {
    transactions: Vec<Transaction>,
    /// Account and attempt, and where their transactions are.
    by_attempt: BTreeMap<(String, String), Vec<usize>>,
    by_reference: BTreeMap<String, usize>,
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

    pub(crate) fn open(path: &Path) -> Result<Self, JournalUnusable> {
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
    pub(crate) fn find(&self, attempt: &AttemptRef, now: DateTime<Utc>) -> Option<Transaction> {
        self.lock().pages.newest(attempt, |it| it.visible_at <= now && it.truth != Truth::Nothing).cloned()
    }

    /// Hides what there is of an attempt until `until`. Restarts do not know of it.
    pub(crate) fn hide(&self, attempt: &AttemptRef, until: DateTime<Utc>) {
        let pages = &mut self.lock().pages;
        for index in pages.of(attempt).to_vec() {
            if let Some(transaction) = pages.transactions.get_mut(index) {
                transaction.visible_at = until;
            }
        }
    }

    /// After a call that lags, look-ups see nothing of its attempt for a while.
    pub(crate) fn lag(&self, fault: Option<Fault>, attempt: &AttemptRef, now: DateTime<Utc>) {
        if fault == Some(Fault::VisibilityLag) {
            self.hide(attempt, late_from(now));
        }
    }

    /// Undoes the newest approval of an attempt. To undo what is undone is no fault.
    pub(crate) fn reverse(&self, attempt: &AttemptRef, now: DateTime<Utc>) -> io::Result<Undone> {
        let mut book = self.lock();
        let approved = book.pages.newest(attempt, |it| it.took_money(now)).map(|it| it.reference.clone());
        match approved {
            Some(approved) => book.undo(&approved, now),
            None => Ok(book.pages.undone(attempt)),
        }
    }

    /// Takes the funds that an attempt holds. To take them twice is refused.
    pub(crate) fn capture(&self, attempt: &AttemptRef, amount: Money, now: DateTime<Utc>) -> io::Result<Captured> {
        let mut book = self.lock();
        let Some(hold) = book.pages.newest(attempt, |it| it.kind == Kind::Hold) else { return Ok(Captured::Nothing) };
        match hold.funds(now) {
            Funds::Gone => return Ok(Captured::Refused(DeclineCode::DoNotHonor)),
            Funds::Held if hold.amount != amount => return Ok(Captured::Nothing),
            Funds::Held if hold.scenario == cards::CAPTURE_DECLINED => {
                return Ok(Captured::Refused(DeclineCode::InsufficientFunds));
            }
            Funds::Held => {}
            Funds::Never | Funds::Captured => return Ok(Captured::Nothing),
        }
        let of = hold.reference.clone();
        let capture = Sequel { reference: book.pages.next_name(now), at: now };
        book.journal.append(&Entry::capture(&of, &capture))?;
        let reference = capture.reference.clone();
        book.pages.capture(&of, capture);
        Ok(Captured::By(reference))
    }

    /// Gives back what an attempt holds. What lapsed may be given back, too; what was taken may not.
    pub(crate) fn void(&self, attempt: &AttemptRef, now: DateTime<Utc>) -> io::Result<Undone> {
        let mut book = self.lock();
        let is_open = |it: &Transaction| it.kind == Kind::Hold && it.reversal.is_none() && it.truth == Truth::Approved;
        let Some(hold) = book.pages.newest(attempt, is_open) else { return Ok(book.pages.undone(attempt)) };
        if hold.capture.is_some() {
            return Ok(Undone::Nothing);
        }
        let (of, is_deaf) = (hold.reference.clone(), hold.scenario == cards::VOID_FAILS_ONCE && hold.failed_voids == 0);
        if is_deaf {
            book.journal.append(&Entry::failed_void(&of))?;
            book.pages.fail_to_void(&of);
            return Ok(Undone::Unheard);
        }
        book.undo(&of, now)
    }

    /// Every transaction, the newest first.
    pub(crate) fn newest_first<T>(&self, view: impl Fn(&Transaction) -> T) -> Vec<T> {
        self.lock().pages.transactions.iter().rev().map(view).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn undo(&mut self, reference: &str, now: DateTime<Utc>) -> io::Result<Undone> {
        let reversal = Sequel { reference: self.pages.next_name(now), at: now };
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
            Entry::Capture { of, reference, at } => self.capture(&of, Sequel { reference, at })?,
            Entry::Reversal { of, reference, at } => self.undo(&of, Sequel { reference, at })?,
            Entry::FailedVoid { of } => self.fail_to_void(&of)?,
        }
        Some(())
    }

    fn add(&mut self, transaction: Transaction) {
        let index = self.transactions.len();
        self.by_attempt.entry(key(&transaction.attempt)).or_default().push(index);
        self.by_reference.insert(transaction.reference.clone(), index);
        self.transactions.push(transaction);
        self.names = self.names.saturating_add(1);
    }

    fn capture(&mut self, reference: &str, capture: Sequel) -> Option<()> {
        self.named(reference)?.capture = Some(capture);
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

    fn named(&mut self, reference: &str) -> Option<&mut Transaction> {
        self.transactions.get_mut(*self.by_reference.get(reference)?)
    }

    /// The newest transaction of an attempt of which `holds` is true.
    fn newest(&self, attempt: &AttemptRef, holds: impl Fn(&Transaction) -> bool) -> Option<&Transaction> {
        self.of(attempt).iter().rev().filter_map(|&it| self.transactions.get(it)).find(|it| holds(it))
    }

    /// What undid an attempt that has nothing left to undo.
    fn undone(&self, attempt: &AttemptRef) -> Undone {
        let earlier = self.newest(attempt, |it| it.reversal.is_some()).and_then(|it| it.reversal.as_ref());
        earlier.map_or(Undone::Nothing, |it| Undone::By(it.reference.clone()))
    }

    fn of(&self, attempt: &AttemptRef) -> &[usize] {
        self.by_attempt.get(&key(attempt)).map_or(&[], Vec::as_slice)
    }

    /// Local time and a number that rises by one, as acquirers spell it.
    fn next_name(&self, now: DateTime<Utc>) -> String {
        format!("{}{:08}", local_time(now).format("%Y%m%d%H%M%S"), self.names.saturating_add(1))
    }
}

fn key(attempt: &AttemptRef) -> (String, String) {
    (attempt.account.as_str().to_owned(), attempt.attempt.as_str().to_owned())
}
