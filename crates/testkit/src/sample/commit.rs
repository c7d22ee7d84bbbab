use domain::{Event, EventKind, fiscal::DocumentEmail, sale::Sale};
use ports::{Change, Commit};

use super::noon;

/// The commit that makes `sale` known, with the events of an opening.
pub fn creation(sale: &Sale) -> Commit {
    Commit {
        payment: Some(Change { to: sale.payment.clone(), based_on: None, lease_until: None }),
        document: Some(Change { to: sale.document.clone(), based_on: None, lease_until: None }),
        events: vec![Event::new(EventKind::PaymentCreated), Event::new(EventKind::FiscalDocumentRequested)],
        ..empty_commit(sale)
    }
}

/// The commit that takes what is known from `before` to `after`; what is alike in both stays out.
pub fn update(before: &Sale, after: &Sale) -> Commit {
    let payment = Change { to: after.payment.clone(), based_on: Some(before.payment.version()), lease_until: None };
    let document = Change { to: after.document.clone(), based_on: Some(before.document.version()), lease_until: None };
    let is_corrected = after.document.state().revision > before.document.state().revision;
    Commit {
        replaced: is_corrected.then(|| before.document.clone()),
        payment: Some(payment).filter(|_| before.payment != after.payment),
        document: Some(document).filter(|_| before.document != after.document),
        ..empty_commit(after)
    }
}

/// That a delivery is asked for.
pub fn new_delivery(delivery: DocumentEmail) -> Option<Change<DocumentEmail>> {
    Some(Change { to: delivery, based_on: None, lease_until: None })
}

/// A commit about `sale` that changes empty_commit yet; whatever it is made to tell shows that sale.
pub fn empty_commit(sale: &Sale) -> Commit {
    let facts = &sale.payment.facts;
    Commit {
        merchant: facts.merchant.clone(),
        mode: facts.mode,
        about: facts.id.clone(),
        at: noon(),
        request: None,
        payment: None,
        document: None,
        replaced: None,
        delivery: None,
        deliveries: None,
        attempts: Vec::new(),
        returned: None,
        artifacts: Vec::new(),
        token: None,
        events: Vec::new(),
        snapshot: Some(Box::new(sale.clone())),
        leaves_in_part: false,
        key: None,
    }
}
