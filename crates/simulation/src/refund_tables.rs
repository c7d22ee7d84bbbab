//! Refunds of the simulated database, with the constraints of the real one.

use domain::{
    FiscalDocument, PaymentId, Refund, RefundId,
    attempt::{Attempt, AttemptKind, AttemptState},
    fiscal::DocumentStatus,
    refund::{Balance, RefundOrigin, RefundRecord, RefundedSale},
};
use ports::{AttemptClues, Commit};

use crate::tables::{Row, Tables};

impl Tables {
    /// Returns a refund with its note.
    pub(crate) fn refund_record(&self, id: &RefundId) -> Option<RefundRecord> {
        let refund = self.refunds.find(id)?.clone();
        Some(RefundRecord { refund, note: self.documents.note_of(id).cloned() })
    }

    /// Returns a sale with its refunds and their notes.
    pub(crate) fn refunded_sale(&self, payment: &PaymentId) -> Option<RefundedSale> {
        Some(RefundedSale {
            sale: self.sale(payment)?,
            refunds: self.refunds.of_payment(payment).cloned().collect(),
            notes: self.documents.notes_of(payment).cloned().collect(),
        })
    }

    /// Returns the number of refunds that have returned money, and of accepted notes.
    pub(crate) fn returned(&self) -> (u64, u64) {
        let is_returned = |refund: &&Refund| refund.returned().total > 0;
        let refunds = self.refunds.all().filter(is_returned).count() as u64;
        let notes = self.sales.values().flat_map(|row| self.documents.notes_of(&row.sale.payment.facts.id));
        (refunds, notes.filter(|note| note.status() == DocumentStatus::Issued).count() as u64)
    }

    /// Returns the charges of a payment.
    pub(crate) fn charges(&self, payment: &PaymentId) -> Vec<Attempt> {
        let is_charge = |it: &&Attempt| {
            let is_kind = matches!(it.kind, AttemptKind::Sale | AttemptKind::Capture);
            it.payment == *payment && is_kind && it.state == AttemptState::Approved
        };
        self.attempts.values().filter(is_charge).cloned().collect()
    }

    /// Returns the attempts that an entry of the provider's list may mean.
    pub(crate) fn attempts_matching(&self, clues: &AttemptClues) -> Vec<Attempt> {
        let is_named = |it: &&Attempt| {
            let (id, reference) = (it.id.as_str(), it.provider_reference.as_deref());
            id == clues.attempt
                || (!clues.reference.is_empty() && reference == Some(clues.reference.as_str()))
                || clues.endings.iter().any(|ending| id.ends_with(ending.as_str()))
        };
        self.attempts.values().filter(is_named).take(20).cloned().collect()
    }

    /// Whether the versions of the refund and of the documents are those that the commit is based on.
    pub(crate) fn has_current_refund(&self, commit: &Commit) -> bool {
        let is_current = |id: &RefundId| self.refunds.find(id).map(|refund| refund.state().version);
        commit.refund.as_ref().is_none_or(|change| change.based_on == is_current(&change.to.facts.id))
    }

    /// Whether the commit satisfies the unique indexes of refunds and notes.
    pub(crate) fn has_unique_refund(&self, commit: &Commit) -> bool {
        let Some(new) = commit.refund.as_ref().map(|change| &change.to) else { return true };
        let others = || self.refunds.of_payment(&new.facts.payment).filter(|it| it.facts.id != new.facts.id);
        let is_second_unfinished = new.status().is_open() && others().any(|refund| refund.status().is_open());
        let is_found_twice = new.facts.origin == RefundOrigin::Provider
            && others().filter(|it| it.facts.origin == RefundOrigin::Provider).any(|it| has_same_reference(it, new));
        !is_second_unfinished && !is_found_twice && self.has_unique_notes(commit)
    }

    /// Whether no refund gets a second note.
    fn has_unique_notes(&self, commit: &Commit) -> bool {
        commit
            .documents
            .iter()
            .filter(|change| change.based_on.is_none())
            .all(|change| change.to.refund().is_none_or(|refund| self.documents.note_of(refund).is_none()))
    }

    /// Returns the violations of the CHECKs about money after a commit.
    pub(crate) fn check_balance(&self, row: &Row) -> Option<String> {
        let payment = &row.sale.payment;
        let id = &payment.facts.id;
        if Balance::of(payment).is_none() {
            return Some(format!("R1: the balance of {id} is {:?}", payment.state().refunds));
        }
        let is_effective = |note: &&FiscalDocument| note.is_effective_note();
        let notes = self.documents.notes_of(id).filter(is_effective);
        let credited: i64 = notes.map(|note| note.total().minor_units()).sum();
        let total = row.sale.document.total().minor_units();
        (credited > total).then(|| format!("R8: {credited} of {total} are credited for {id}"))
    }

    /// Stores the refund, the documents and the credited sum of a commit.
    pub(crate) fn apply_refund(&mut self, commit: &Commit) {
        if let Some(change) = &commit.refund {
            self.refunds.put(&change.to, change.lease_until);
        }
        for change in &commit.documents {
            if change.to.refund().is_some() {
                self.documents.put_note(&commit.about, change.to.clone());
            }
            if self.has_refunds {
                self.documents.schedule(&change.to, change.lease_until);
            }
        }
        self.documents.keep(commit);
    }
}

/// Whether both refunds record the same operation of the provider.
fn has_same_reference(one: &Refund, other: &Refund) -> bool {
    let reference = |refund: &Refund| refund.legs().first().and_then(|leg| leg.state().reference.clone());
    reference(one).is_some() && reference(one) == reference(other)
}
