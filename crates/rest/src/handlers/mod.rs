//! Operations by resource. Each file has the rows and handlers of a resource.

mod checkout;
mod document_files;
mod events;
mod fiscal_documents;
mod merchant;
mod payments;
mod refunds;
mod refusals;
mod splits;
mod webhook_endpoints;

use crate::operation::Operation;

/// Operations by tag of the OpenAPI document.
static GROUPS: [(&str, &[Operation]); 9] = [
    ("Payments", payments::OPERATIONS),
    ("Payments", checkout::OPERATIONS),
    ("Splits", splits::OPERATIONS),
    ("Refunds", refunds::OPERATIONS),
    ("Fiscal documents", fiscal_documents::OPERATIONS),
    ("Fiscal documents", document_files::OPERATIONS),
    ("Merchant", merchant::OPERATIONS),
    ("Events", events::OPERATIONS),
    ("Events", webhook_endpoints::OPERATIONS),
];

/// Returns every operation and tag.
pub(crate) fn operations() -> impl Iterator<Item = (&'static str, &'static Operation)> {
    GROUPS.iter().flat_map(|(tag, operations)| operations.iter().map(|operation| (*tag, operation)))
}
