//! Registry of the authority: numbers, invoices, ranges and queries.

use std::{
    io,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use ports::Submission;

use super::{
    annulment::{AnnulmentRefusal, AnnulmentRequest},
    index::RegistryIndex,
    reception::Reception,
    record::Entry,
    trigger::{InvoiceTrigger, is_note},
};
use crate::journal::{Journal, JournalError, entries};

/// Received documents, in the order of arrival.
pub(crate) struct Registry {
    state: Mutex<RegistryState>,
    /// Journal, if not in memory.
    path: Option<PathBuf>,
}

struct RegistryState {
    journal: Journal<Entry>,
    index: RegistryIndex,
}

/// Whether a submission is examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubmissionCheck {
    /// A requested outage.
    TurnedAway,
    /// The number is used.
    Duplicate,
    /// Examined.
    Admitted {
        /// Whether the issuer may use the number.
        is_granted: bool,
        /// Whether the document is the first of its invoice.
        is_first: bool,
    },
}

impl Registry {
    pub(crate) fn in_memory() -> Self {
        Self {
            state: Mutex::new(RegistryState { journal: Journal::none(), index: RegistryIndex::default() }),
            path: None,
        }
    }

    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let mut index = RegistryIndex::default();
        let journal = Journal::open(path, |entry| index.read(entry).is_some())?;
        Ok(Self { state: Mutex::new(RegistryState { journal, index }), path: Some(path.to_owned()) })
    }

    /// Whether records wait for the disk.
    pub(crate) const fn is_on_disk(&self) -> bool {
        self.path.is_some()
    }

    /// Returns the index, for queries and changes that are not stored.
    pub(crate) fn index(&self) -> MappedMutexGuard<'_, RegistryIndex> {
        MutexGuard::map(self.state.lock(), |state| &mut state.index)
    }

    /// Annuls all of the numbers, or none.
    pub(crate) fn annul(
        &self,
        request: &AnnulmentRequest,
        now: DateTime<Utc>,
    ) -> io::Result<Result<(), AnnulmentRefusal>> {
        let mut state = self.state.lock();
        if let Err(why) = state.index.check_untouched(request) {
            return Ok(Err(why));
        }
        state.journal.append(&request.entry(now))?;
        state.index.annul(request);
        Ok(Ok(()))
    }

    /// Decides whether a submission is examined.
    pub(crate) fn admit(&self, submission: &Submission, now: DateTime<Utc>) -> io::Result<SubmissionCheck> {
        let mut state = self.state.lock();
        let invoice = state.index.invoice(submission);
        if InvoiceTrigger::of(&submission.number, &submission.merchant_invoice_number) == Some(InvoiceTrigger::Down)
            && invoice.turned_away < RegistryIndex::DOWN_FOR
        {
            let entry = Entry::TurnedAway {
                environment: submission.environment.as_str().to_owned(),
                issuer: submission.issuer.as_str().to_owned(),
                merchant_invoice_number: submission.merchant_invoice_number.clone(),
                is_note: is_note(&submission.number),
                at: now,
            };
            state.journal.append(&entry)?;
            state.index.turn_away(submission);
            return Ok(SubmissionCheck::TurnedAway);
        }
        if state.index.is_spent(submission.environment, &submission.issuer, &submission.number) {
            return Ok(SubmissionCheck::Duplicate);
        }
        let is_granted = state.index.is_granted(submission.environment, &submission.issuer, &submission.number);
        Ok(SubmissionCheck::Admitted { is_granted, is_first: invoice.received == 0 })
    }

    /// Records a document; returns `false` without a record if the number was used meanwhile.
    pub(crate) fn record(&self, mut reception: Reception) -> io::Result<bool> {
        let mut state = self.state.lock();
        if state.index.is_spent(reception.environment, &reception.issuer, &reception.number) {
            return Ok(false);
        }
        state.journal.append(&Entry::received(&reception))?;
        if self.path.is_some() {
            reception.xml = Vec::new();
        }
        state.index.add(reception);
        Ok(true)
    }

    /// Returns the documents that satisfy `is_meant`, in the order of arrival; without the bytes if a journal has them.
    pub(crate) fn all(&self, is_meant: impl Fn(&Reception) -> bool) -> Vec<Reception> {
        self.index().receptions().iter().filter(|it| is_meant(it)).cloned().collect()
    }

    /// Returns every document with its bytes, newest first.
    pub(crate) fn newest_first(&self) -> Result<Vec<Reception>, JournalError> {
        let mut receptions = match &self.path {
            None => self.index().receptions().to_vec(),
            // Read from the disk, so that the bytes do not stay in memory.
            Some(path) => entries(path)?.into_iter().filter_map(received).collect(),
        };
        receptions.reverse();
        Ok(receptions)
    }
}

fn received(entry: Entry) -> Option<Reception> {
    match entry {
        Entry::Received(received) => received.read(),
        Entry::Annulled { .. } | Entry::TurnedAway { .. } => None,
    }
}
