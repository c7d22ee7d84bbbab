//! What the acquirer remembers, and what it says of it.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use domain::fiscal::local_time;
use ports::AttemptRef;

use super::{
    record::Entry,
    script::Truth,
    transaction::{Reversal, Transaction},
};
use crate::{JournalUnusable, journal::Journal};

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
        let book = self.lock();
        let mut newest_first = book.pages.of(attempt).iter().rev().filter_map(|&it| book.pages.transactions.get(it));
        newest_first.find(|it| it.visible_at <= now && it.truth != Truth::Nothing).cloned()
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

    /// Undoes the newest approval of an attempt. To undo what is undone is no fault.
    pub(crate) fn reverse(&self, attempt: &AttemptRef, now: DateTime<Utc>) -> io::Result<Undone> {
        let mut book = self.lock();
        let of_attempt = |it: &usize| book.pages.transactions.get(*it);
        let transactions: Vec<&Transaction> = book.pages.of(attempt).iter().rev().filter_map(of_attempt).collect();
        let Some(approved) = transactions.iter().find(|it| it.moved_money()).map(|it| it.reference.clone()) else {
            let earlier = transactions.iter().find_map(|it| it.reversal.as_ref());
            return Ok(earlier.map_or(Undone::Nothing, |it| Undone::By(it.reference.clone())));
        };
        let reversal = Reversal { reference: book.pages.next_name(now), at: now };
        book.journal.append(&Entry::reversal(&approved, &reversal))?;
        let reference = reversal.reference.clone();
        book.pages.undo(&approved, reversal);
        Ok(Undone::By(reference))
    }

    /// Every transaction, the newest first.
    pub(crate) fn newest_first<T>(&self, view: impl Fn(&Transaction) -> T) -> Vec<T> {
        self.lock().pages.transactions.iter().rev().map(view).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    fn read(&mut self, entry: Entry) -> Option<()> {
        match entry {
            Entry::Submission(submission) => self.add(submission.read()?),
            Entry::Reversal { of, reference, at } => self.undo(&of, Reversal { reference, at })?,
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

    fn undo(&mut self, reference: &str, reversal: Reversal) -> Option<()> {
        let transaction = self.transactions.get_mut(*self.by_reference.get(reference)?)?;
        transaction.reversal = Some(reversal);
        self.names = self.names.saturating_add(1);
        Some(())
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
