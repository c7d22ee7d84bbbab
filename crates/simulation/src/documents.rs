//! Fiscal documents of the simulated database: credit notes, revisions, signed bytes and fiscal numbers.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId, PaymentId, RefundId,
    fiscal::{DocumentKind, FiscalNumber, Numbered},
};
use ports::{Artifact, Commit, NumberError, NumberRequest, Revision};

/// Every table about documents. The document of a sale itself is in the row of the sale.
#[derive(Default)]
pub(crate) struct Documents {
    notes: BTreeMap<String, Note>,
    schedule: BTreeMap<String, Schedule>,
    revisions: BTreeMap<String, Vec<Revision>>,
    pub(crate) artifacts: BTreeMap<(String, u32, &'static str), Artifact>,
    numbers: BTreeMap<(String, u32), Numbered>,
}

/// A credit note.
#[derive(Clone)]
pub(crate) struct Note {
    pub(crate) payment: PaymentId,
    pub(crate) document: FiscalDocument,
}

/// Due time and lease of a document.
#[derive(Clone, Copy, Default)]
struct Schedule {
    due_at: Option<DateTime<Utc>>,
    lease_until: Option<DateTime<Utc>>,
}

impl Schedule {
    fn next(&self) -> Option<DateTime<Utc>> {
        Some(self.due_at?.max(self.lease_until.unwrap_or(self.due_at?)))
    }
}

impl Documents {
    /// Returns the note of that name.
    pub(crate) fn note(&self, id: &FiscalDocumentId) -> Option<&Note> {
        self.notes.get(id.as_str())
    }

    /// Returns the notes of a payment.
    pub(crate) fn notes_of(&self, payment: &PaymentId) -> impl Iterator<Item = &FiscalDocument> {
        self.notes.values().filter(move |note| note.payment == *payment).map(|note| &note.document)
    }

    /// Returns the note of a refund.
    pub(crate) fn note_of(&self, refund: &RefundId) -> Option<&FiscalDocument> {
        self.notes.values().map(|note| &note.document).find(|note| note.refund() == Some(refund))
    }

    /// Stores a note.
    pub(crate) fn put_note(&mut self, payment: &PaymentId, document: FiscalDocument) {
        let name = document.facts.id.as_str().to_owned();
        self.notes.insert(name, Note { payment: payment.clone(), document });
    }

    /// Schedules the next step of a document.
    pub(crate) fn schedule(&mut self, document: &FiscalDocument, lease_until: Option<DateTime<Utc>>) {
        let schedule = Schedule { due_at: document.due_at(), lease_until };
        self.schedule.insert(document.facts.id.as_str().to_owned(), schedule);
    }

    /// Stores the signed bytes and the replaced revision of a commit.
    pub(crate) fn keep(&mut self, commit: &Commit) {
        for artifact in &commit.artifacts {
            let name = (artifact.document.as_str().to_owned(), artifact.revision, artifact.kind.as_str());
            self.artifacts.entry(name).or_insert_with(|| artifact.clone());
        }
        if let Some(replaced) = &commit.replaced {
            let revision = Revision { document: replaced.clone(), replaced_at: commit.at };
            self.revisions.entry(replaced.facts.id.as_str().to_owned()).or_default().push(revision);
        }
    }

    /// Returns the documents that are free and due at `now`, with their due times.
    pub(crate) fn due(&self, now: DateTime<Utc>) -> Vec<(DateTime<Utc>, FiscalDocumentId)> {
        let is_free = |it: &Schedule| it.next().is_some_and(|at| at <= now);
        let due = self.schedule.iter().filter(|(_, it)| is_free(it));
        due.filter_map(|(name, it)| Some((it.due_at?, FiscalDocumentId::parse(name)?))).collect()
    }

    /// Leases a document.
    pub(crate) fn lease(&mut self, id: &FiscalDocumentId, until: DateTime<Utc>) {
        if let Some(schedule) = self.schedule.get_mut(id.as_str()) {
            schedule.lease_until = Some(until);
        }
    }

    /// Returns when the next document is due and free.
    pub(crate) fn next_due(&self) -> Option<DateTime<Utc>> {
        self.schedule.values().filter_map(Schedule::next).min()
    }

    /// Returns earlier revisions of a document, newest first.
    pub(crate) fn revisions(&self, id: &FiscalDocumentId, limit: u16) -> Vec<Revision> {
        let all = self.revisions.get(id.as_str()).map(Vec::as_slice).unwrap_or_default();
        all.iter().rev().take(limit.into()).cloned().collect()
    }

    /// Returns the number of a revision: the assigned one, or the next of the kind.
    pub(crate) fn assign(&mut self, request: &NumberRequest) -> Result<Numbered, NumberError> {
        let name = (request.document.as_str().to_owned(), request.revision);
        if let Some(assigned) = self.numbers.get(&name) {
            return Ok(assigned.clone());
        }
        let number = FiscalNumber::new(request.kind, self.numbers_of(request.kind).len() as u64 + 1);
        let number = number.ok_or(NumberError::Exhausted)?;
        let numbered = Numbered { number, valid_until: None, issue_date: request.today };
        self.numbers.insert(name, numbered.clone());
        Ok(numbered)
    }

    /// Returns the assigned numbers of a kind, each with its document.
    pub(crate) fn numbers_of(&self, kind: DocumentKind) -> Vec<(&FiscalNumber, &str)> {
        let of_kind = self.numbers.iter().filter(|(_, it)| it.number.is_of(kind));
        of_kind.map(|((document, _), it)| (&it.number, document.as_str())).collect()
    }
}
