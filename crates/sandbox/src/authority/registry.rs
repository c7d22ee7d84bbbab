//! What the authority remembers: numbers, invoices, ranges, and what was asked.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use domain::fiscal::{DocumentKind, Environment, TaxId, Verdict};
use ports::{Inquiry, Submission};

use super::{
    annulment::{Given, Untakeable},
    pages::Pages,
    reception::Reception,
    record::Entry,
    wish::Wish,
};
use crate::{
    JournalError,
    journal::{Journal, entries},
};

/// Every document that was received, in the order in which they came.
pub(crate) struct Registry {
    book: Mutex<Book>,
    /// Where the bytes are, if not in memory.
    path: Option<PathBuf>,
}

struct Book {
    journal: Journal<Entry>,
    pages: Pages,
}

/// Whether a document is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The authority is down, on demand.
    TurnedAway,
    /// The number is spent.
    Duplicate,
    /// It is.
    Admitted {
        /// Whether its issuer may use its number.
        is_granted: bool,
        /// Whether it is the first of its invoice.
        is_first: bool,
    },
}

impl Registry {
    pub(crate) fn in_memory() -> Self {
        Self { book: Mutex::new(Book { journal: Journal::none(), pages: Pages::default() }), path: None }
    }

    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let mut pages = Pages::default();
        let journal = Journal::open(path, |entry| pages.read(entry).is_some())?;
        Ok(Self { book: Mutex::new(Book { journal, pages }), path: Some(path.to_owned()) })
    }

    /// Whether what is recorded waits for a disk.
    pub(crate) const fn is_on_disk(&self) -> bool {
        self.path.is_some()
    }

    /// Lets an issuer use a range of numbers. An issuer that is granted none may use any.
    pub(crate) fn grant(&self, issuer: &TaxId, environment: Environment, kind: DocumentKind, first: u64, last: u64) {
        self.lock().pages.grant(issuer, environment, kind, (first, last));
    }

    /// Takes numbers back, all of them or none.
    pub(crate) fn annul(&self, given: &Given, now: DateTime<Utc>) -> io::Result<Result<(), Untakeable>> {
        let mut book = self.lock();
        if let Err(why) = book.pages.check_untouched(given) {
            return Ok(Err(why));
        }
        book.journal.append(&given.entry(now))?;
        book.pages.annul(given);
        Ok(Ok(()))
    }

    /// Whether a document that comes is looked at.
    pub(crate) fn admit(&self, submission: &Submission, now: DateTime<Utc>) -> io::Result<Admission> {
        let mut book = self.lock();
        let invoice = book.pages.invoice(submission);
        if Wish::of(&submission.merchant_invoice_number) == Some(Wish::Down) && invoice.turned_away < Pages::DOWN_FOR {
            let entry = Entry::TurnedAway {
                environment: submission.environment.as_str().to_owned(),
                issuer: submission.issuer.as_str().to_owned(),
                merchant_invoice_number: submission.merchant_invoice_number.clone(),
                at: now,
            };
            book.journal.append(&entry)?;
            book.pages.turn_away(submission);
            return Ok(Admission::TurnedAway);
        }
        if book.pages.is_spent(submission.environment, &submission.issuer, &submission.number) {
            return Ok(Admission::Duplicate);
        }
        let is_granted = book.pages.is_granted(submission.environment, &submission.issuer, &submission.number);
        Ok(Admission::Admitted { is_granted, is_first: invoice.received == 0 })
    }

    /// Remembers a document; `false` if its number was spent meanwhile, and it is not remembered.
    pub(crate) fn record(&self, mut reception: Reception) -> io::Result<bool> {
        let mut book = self.lock();
        if book.pages.is_spent(reception.environment, &reception.issuer, &reception.number) {
            return Ok(false);
        }
        book.journal.append(&Entry::received(&reception))?;
        if self.path.is_some() {
            reception.xml = Vec::new();
        }
        book.pages.add(reception);
        Ok(true)
    }

    /// What is known of a document.
    pub(crate) fn answer(&self, inquiry: &Inquiry, now: DateTime<Utc>) -> Verdict {
        self.lock().pages.answer(inquiry, now)
    }

    /// Every document that `is_meant`, in the order in which they came; without its bytes where a journal keeps them.
    pub(crate) fn all(&self, is_meant: impl Fn(&Reception) -> bool) -> Vec<Reception> {
        self.lock().pages.receptions().iter().filter(|it| is_meant(it)).cloned().collect()
    }

    /// Hides what there is under a number until `until`. Restarts do not know of it.
    pub(crate) fn hide(&self, inquiry: &Inquiry, until: DateTime<Utc>) {
        self.lock().pages.hide(inquiry, until);
    }

    /// Every document with its bytes, the newest first.
    pub(crate) fn newest_first(&self) -> Result<Vec<Reception>, JournalError> {
        let mut receptions = match &self.path {
            None => self.lock().pages.receptions().to_vec(),
            // Read from the disk, so that not every document ever received stays in memory.
            Some(path) => entries(path)?.into_iter().filter_map(received).collect(),
        };
        receptions.reverse();
        Ok(receptions)
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn received(entry: Entry) -> Option<Reception> {
    match entry {
        Entry::Received(received) => received.read(),
        Entry::Annulled { .. } | Entry::TurnedAway { .. } => None,
    }
}
