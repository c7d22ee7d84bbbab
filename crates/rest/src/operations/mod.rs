//! Operations of the API. Each file of a resource has its operations: one [`Operation`] with method, path, right, body,
//! response and refusals, and its handler below.

mod checkout;
mod document_files;
mod events;
mod fiscal_documents;
mod merchant;
pub(crate) mod operation;
mod payments;
mod refunds;
mod refusals;
mod splits;
mod webhook_endpoints;

use self::operation::Operation;

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
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static Operation)> {
    GROUPS.iter().flat_map(|(tag, operations)| operations.iter().map(|operation| (*tag, operation)))
}
