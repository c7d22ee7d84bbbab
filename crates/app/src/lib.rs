//! The use cases, by resource: one public function each, ports in, result out.
//!
//! A use case sequences and does not decide. `domain` decides what is allowed, `wire` how a resource is spelled, and
//! `rest` which status a response has. No runtime, clock, thread or random source is named here, so that a test can
//! drive every step.

mod access;
mod breakers;
mod checkout;
mod clock_guard;
mod command;
mod commit;
mod documents;
mod due_work;
mod email;
mod error;
mod events;
mod idempotency;
pub mod interchange;
mod lists;
pub mod merchants;
pub mod operators;
mod payments;
pub mod refunds;
mod splits;
mod sweep;
mod time;
mod transact;
pub mod webhooks;
mod wiring;

pub use access::{Caller, KeyUses, View, authenticate, write_key_uses};
pub use breakers::Breakers;
pub use checkout::{
    CheckoutAccess, CheckoutSession, CreateCheckoutToken, CreatedToken, TokenPurpose, create_checkout_token,
    find_by_link, find_by_receipt, form_key, note_action, note_visit, open_checkout_session, renew_checkout_session,
    start_checkout_session,
};
pub use clock_guard::ClockGuard;
pub use commit::sale_version;
pub use documents::{
    ContingencyCopy, StoredIdentities, StoredRegister, choose_fiscal_document, correct_fiscal_document,
    get_contingency_representation, get_fiscal_document, get_printed_representation, get_signed_document,
    issue_document, list_revisions, request_delivery,
};
pub use due_work::run_due_work;
pub use email::{EmailSender, send_due_emails};
pub use error::{
    ArtifactFailure, Authentication, Dependency, Error, Gone, NotFound, Permission, ProviderFailure, Unexpected,
};
pub use events::{get_event, list_events};
pub use idempotency::{
    IdempotentRequest, IfMatch, KeyLeaseHandle, RenderSale, Rendered, Response, end_lease, run_with_lease,
};
pub use lists::ListPage;
pub use merchants::{announce_readiness, get_merchant_account, probe_accounts};
pub use payments::{
    ChallengedSale, CreatePayment, IssuerReturn, SubmitCard, cancel_payment, create_payment, delete_unused_cards,
    get_challenge, get_payment, list_payments, return_from_issuer, set_voluntary_tip, settle_payment, submit_card,
};
pub use refunds::{
    AttributeRefund, CorrectNote, CreateRefund, PreviewRefund, PreviewedRefund, RenderRefund, ReturnsSweep,
    attribute_refund, checkout_version, correct_credit_note, create_refund, get_refund, list_refunds,
    next_returns_sweep, preview_refund, refund_version, sweep_returns, with_refunds_for_payers,
};
pub use splits::{
    capture_split, delete_split, get_part, get_split, may_split, open_split, release_split, renew_split, replace_split,
};
pub use sweep::{sweep_events, sweep_keys, sweep_secrets, sweep_tokens};
pub use webhooks::{InFlight, OutgoingWebhook, SentWebhook, claim_webhooks, send_webhook, settle_webhooks};
pub use wiring::Ports;

// Names for the edges, which do not depend on the ports crate.
pub use domain::{event::EventRecord, listing::PageRequest};
pub use ports::{
    Browser, EventFilter, Instrument, LoggedDelivery, Queue, RefundFilter, SaleFilter, Tenant, Waiting, Wallet,
    WebhookSender, Work,
};
