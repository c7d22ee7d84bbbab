use domain::{Event, EventKind, fiscal::DocumentEmail, sale::Sale};
use ports::{Change, Commit};

use super::noon;

/// A commit that creates `sale`, with the events of the creation.
pub fn creation(sale: &Sale) -> Commit {
    Commit {
        payment: Some(Change { to: sale.payment.clone(), based_on: None, lease_until: None }),
        documents: vec![Change { to: sale.document.clone(), based_on: None, lease_until: None }],
        events: vec![Event::new(EventKind::PaymentCreated), Event::new(EventKind::FiscalDocumentRequested)],
        ..empty_commit(sale)
    }
}

/// A commit that changes `before` to `after`; equal parts are omitted.
pub fn update(before: &Sale, after: &Sale) -> Commit {
    let payment = Change { to: after.payment.clone(), based_on: Some(before.payment.version()), lease_until: None };
    let document = Change { to: after.document.clone(), based_on: Some(before.document.version()), lease_until: None };
    let is_corrected = after.document.state().revision > before.document.state().revision;
    Commit {
        replaced: is_corrected.then(|| before.document.clone()),
        payment: Some(payment).filter(|_| before.payment != after.payment),
        documents: Some(document).filter(|_| before.document != after.document).into_iter().collect(),
        ..empty_commit(after)
    }
}

/// A request for a delivery.
pub fn new_delivery(delivery: DocumentEmail) -> Option<Change<DocumentEmail>> {
    Some(Change { to: delivery, based_on: None, lease_until: None })
}

/// A commit about `sale` without changes; the events show that sale.
pub fn empty_commit(sale: &Sale) -> Commit {
    Commit { snapshot: Some(Box::new(sale.clone())), ..Commit::about(sale, None, noon()) }
}
