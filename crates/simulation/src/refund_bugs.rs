//! Deliberate bugs of the store that concern refunds and their credit notes.

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId, Payment, Refund,
    fiscal::{Breakdown, Content, DocumentState},
    payment::PaymentState,
    refund::{NoteReason, OriginalDocument, RefundScope, RefundStatus, RefundTotals, RefundedSale},
    text::BoundedText,
};
use ports::{Change, Commit};
use testkit::sample;

use crate::{bug::Bug, tables::Tables};

/// Returns a sale as a broken store shows it to a request that began at `since`: without the refunds that were
/// unfinished then.
pub(crate) fn shown(bug: Option<Bug>, sale: RefundedSale, since: Option<DateTime<Utc>>) -> RefundedSale {
    let Some(since) = since.filter(|_| bug == Some(Bug::ForgetsPendingRefunds)) else { return sale };
    let is_hidden = |refund: &Refund| refund.status().is_open() && refund.facts.created_at < since;
    let RefundedSale { mut sale, refunds, notes } = sale;
    let refunds: Vec<Refund> = refunds.into_iter().filter(|refund| !is_hidden(refund)).collect();
    let open = refunds.iter().flat_map(Refund::legs).filter(|leg| leg.status().is_open());
    let totals = RefundTotals { pending: open.map(|leg| leg.amount).sum(), ..sale.payment.state().refunds };
    let state = PaymentState { refunds: totals, ..sale.payment.state().clone() };
    sale.payment = Payment::restore(sale.payment.facts, state);
    RefundedSale { sale, refunds, notes }
}

/// Returns a commit as a broken store stores it.
pub(crate) fn committed(bug: Option<Bug>, commit: &Commit, tables: &Tables) -> Commit {
    let mut commit = commit.clone();
    match bug {
        Some(Bug::RoundsNotesAlone) => {
            for change in commit.documents.iter_mut().filter(|change| change.based_on.is_none()) {
                change.to = rounded_alone(&change.to);
            }
        }
        Some(Bug::DoublesNotesOfRetries) => {
            let is_retry = commit.refund.as_ref().is_some_and(|it| it.to.state().scope == Some(RefundScope::Retry));
            let is_new = |change: &&Change<FiscalDocument>| change.based_on.is_none() && change.to.refund().is_some();
            let second = commit.documents.iter().find(is_new).filter(|_| is_retry).cloned();
            commit.documents.extend(second.map(|change| Change { to: renamed(&change.to), ..change }));
        }
        Some(Bug::NotesBeforeMoney) => commit.documents.extend(early_note(&commit, tables)),
        _ => {}
    }
    commit
}

/// Returns the document with sums that do not depend on the remaining document.
fn rounded_alone(note: &FiscalDocument) -> FiscalDocument {
    let content = note.content();
    let Some(breakdown) = Breakdown::of(&content.lines, true).ok().filter(|_| content.note.is_some()) else {
        return note.clone();
    };
    let content = Content { breakdown, ..content.clone() };
    FiscalDocument::restore(note.facts.clone(), DocumentState { content, ..note.state().clone() })
}

/// Returns a copy of a note under another name.
fn renamed(note: &FiscalDocument) -> FiscalDocument {
    let mut facts = note.facts.clone();
    facts.id = FiscalDocumentId::new(&sample::symbols(900_000));
    FiscalDocument::restore(facts, note.state().clone())
}

/// Returns the note of a refund that has just been requested.
fn early_note(commit: &Commit, tables: &Tables) -> Option<Change<FiscalDocument>> {
    let refund = &commit.refund.as_ref().filter(|change| change.based_on.is_none())?.to;
    let planned = refund.state().note.as_ref().filter(|_| refund.status() == RefundStatus::Processing)?;
    let original = tables.sale(&commit.about)?.document;
    let reason = NoteReason {
        refund: refund.facts.id.clone(),
        modification: OriginalDocument::of(&original, false).modification(planned.total()),
        text: BoundedText::parse(refund.modification_text())?,
    };
    let content = planned.content(&original, reason)?;
    let id = FiscalDocumentId::new(&sample::symbols(900_001));
    let (note, _) = FiscalDocument::request_note(id, &original, content, commit.at);
    Some(Change { to: note, based_on: None, lease_until: None })
}
