//! Interchange with other taxpayers: authentication, their documents, and commercial approvals of ours.

mod approval;
mod document;
mod endpoint;
mod token;

pub use approval::{ApprovalOutcome, receive_approval};
pub use document::{ReceiptOutcome, receive_document};
pub use endpoint::{InterchangePorts, RecipientEndpoint};
pub use ports::{InterchangeFormat, InterchangeStore, SignatoryTrust};
pub use token::{AccessToken, SeedOutcome, TokenOutcome, create_seed, is_token_valid, issue_token};
