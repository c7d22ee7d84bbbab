//! Commits about one sale.

use chrono::{DateTime, Utc};
use domain::{RequestId, payment::Stage, sale::Sale};
use ports::{Change, Commit, Tenant};

use crate::time::call_lease;

/// Returns a commit of the changed parts of a sale, with a snapshot of the sale.
pub(crate) fn changed(before: &Sale, after: &Sale, request: Option<RequestId>, now: DateTime<Utc>) -> Commit {
    let payment = (before.payment != after.payment).then(|| Change {
        to: after.payment.clone(),
        based_on: Some(before.payment.version()),
        // A card that was sent to the provider stays leased to the caller during other changes.
        lease_until: match after.payment.stage() {
            Stage::Processing(submission) => Some(call_lease(submission.since)),
            _ => None,
        },
    });
    let document = (before.document != after.document).then(|| Change {
        to: after.document.clone(),
        based_on: Some(before.document.version()),
        lease_until: None,
    });
    let is_corrected = after.document.state().revision > before.document.state().revision;
    let replaced = is_corrected.then(|| before.document.clone());
    let deliveries = Vec::from_iter(after.document.deliveries_follow(before.document.status()));
    let leaves_in_part = after.payment.is_left_in_part() && !before.payment.is_left_in_part();
    let snapshot = Some(Box::new(after.clone()));
    let about = Commit::about(after, request, now);
    Commit { payment, documents: Vec::from_iter(document), replaced, deliveries, snapshot, leaves_in_part, ..about }
}

/// Returns the tenant of a sale.
pub(crate) fn tenant_of(sale: &Sale) -> Tenant {
    let facts = &sale.payment.facts;
    Tenant { merchant: facts.merchant.clone(), mode: facts.mode }
}

/// Returns the version of a sale, which both of its resources share.
pub fn sale_version(sale: &Sale) -> String {
    format!("{}-{}", sale.payment.version(), sale.document.version())
}
