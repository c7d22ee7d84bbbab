//! Fiscal documents: choice, correction, issuance, artifacts and delivery.

pub(crate) mod artifacts;
mod change;
mod get;
pub(crate) mod identities;
mod issue;
pub(crate) mod listed_buyer;
pub(crate) mod register;
mod request_delivery;
mod revisions;

pub use artifacts::{ContingencyCopy, get_contingency_representation, get_printed_representation, get_signed_document};
pub use change::{choose_fiscal_document, correct_fiscal_document};
pub use get::get_fiscal_document;
pub use identities::StoredIdentities;
pub use issue::issue_document;
pub(crate) use issue::rerender;
pub use register::StoredRegister;
pub use request_delivery::request_delivery;
pub use revisions::list_revisions;
