//! Commits about a sale with its refunds.

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, RefundId, RequestId,
    fiscal::DocumentEmail,
    refund::{LegStage, Refund, RefundedSale},
    split::Call,
};
use ports::{Change, Commit};

use crate::time::{call_lease, issuance_lease};

/// Returns a commit of the changed parts of a sale and of one refund, with a snapshot of the sale.
pub(super) fn changed(
    before: &RefundedSale,
    after: &RefundedSale,
    refund: &RefundId,
    request: Option<RequestId>,
    now: DateTime<Utc>,
) -> Commit {
    let payment = (before.sale.payment != after.sale.payment).then(|| Change {
        to: after.sale.payment.clone(),
        based_on: Some(before.sale.payment.version()),
        lease_until: None,
    });
    let documents = changed_documents(before, after, now);
    let follow_up =
        |change: &Change<FiscalDocument>| change.to.deliveries_follow(document_of(before, &change.to)?.status());
    let deliveries = documents.iter().filter_map(follow_up).collect();
    Commit {
        payment,
        refund: changed_refund(before, after, refund, now),
        delivery: documents.first().and_then(first_delivery),
        deliveries,
        documents,
        snapshot: Some(Box::new(after.sale.clone())),
        ..Commit::about(&after.sale, request, now)
    }
}

/// Returns the change of a refund. The caller leases the refund while a call is open.
fn changed_refund(
    before: &RefundedSale,
    after: &RefundedSale,
    id: &RefundId,
    now: DateTime<Utc>,
) -> Option<Change<Refund>> {
    let (was, is) = (before.refund(id), after.refund(id)?);
    let is_calling = is.legs().iter().any(|leg| matches!(leg.stage(), LegStage::Processing(Call::Open { .. })));
    let lease_until = is_calling.then(|| call_lease(now));
    let based_on = was.map(|was| was.state().version);
    (was != Some(is)).then(|| Change { to: is.clone(), based_on, lease_until })
}

/// Returns the changes of the documents: new credit notes, then the sale's document, then other credit notes.
pub(crate) fn changed_documents(
    before: &RefundedSale,
    after: &RefundedSale,
    now: DateTime<Utc>,
) -> Vec<Change<FiscalDocument>> {
    let documents = std::iter::once(&after.sale.document).chain(&after.notes);
    let changes = documents.filter_map(|is| {
        let was = document_of(before, is);
        // The worker that issues the sale's document keeps its lease.
        let is_issuing = is.refund().is_none() && is.due_at().is_some_and(|due| due <= now);
        let lease_until = is_issuing.then(|| issuance_lease(now));
        (was != Some(is)).then(|| Change { to: is.clone(), based_on: was.map(FiscalDocument::version), lease_until })
    });
    let mut changes: Vec<_> = changes.collect();
    changes.sort_by_key(|change| change.based_on.is_some());
    changes
}

/// Returns the e-mail that was requested together with a new document.
fn first_delivery(change: &Change<FiscalDocument>) -> Option<Change<DocumentEmail>> {
    let delivery = change.to.first_delivery().filter(|_| change.based_on.is_none());
    delivery.map(|to| Change { to, based_on: None, lease_until: None })
}

fn document_of<'a>(sale: &'a RefundedSale, of: &FiscalDocument) -> Option<&'a FiscalDocument> {
    let mut documents = std::iter::once(&sale.sale.document).chain(&sale.notes);
    documents.find(|document| document.facts.id == of.facts.id)
}
