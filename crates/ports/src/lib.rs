//! Interfaces between the use cases and the outside world.
//!
//! A port is a trait in the terms of the business. Its signatures use domain types only and take `&self`; an
//! implementation is shared as `Arc<dyn Port>`. The `mocks` feature adds a `mockall` double of each port.

mod accounts;
mod artifacts;
mod attempts;
mod authentication;
mod authority;
mod backlog;
mod card_provider;
mod clock;
mod commit;
mod composer;
mod credentials;
mod directory;
mod emails;
mod events;
mod idempotency;
mod ids;
mod interchange;
mod ledger;
mod mail;
mod merchants;
mod numbers;
mod printer;
mod refund_store;
mod refunds;
mod register;
mod sales;
mod search;
mod secrets;
mod setup;
mod signer;
mod stored_cards;
mod tenant;
mod vault;
mod webhook_log;
mod webhook_queue;
mod webhooks;
mod work;

pub use domain::{
    listing::{EventFilter, RefundFilter, SaleFilter},
    refund::{ListedReturn, ReturnMethod},
    webhook::LoggedDelivery,
};
pub use {
    accounts::*, artifacts::*, attempts::*, authentication::*, authority::*, backlog::*, card_provider::*, clock::*,
    commit::*, composer::*, credentials::*, directory::*, emails::*, events::*, idempotency::*, ids::*, interchange::*,
    ledger::*, mail::*, merchants::*, numbers::*, printer::*, refund_store::*, refunds::*, register::*, sales::*,
    search::*, secrets::*, setup::*, signer::*, stored_cards::*, tenant::*, vault::*, webhook_log::*, webhook_queue::*,
    webhooks::*, work::*,
};

/// A dependency did not respond. The cause is for the log, never for the caller.
#[derive(Debug, thiserror::Error)]
#[error("{what} is unavailable")]
pub struct Unavailable {
    /// Name of the dependency.
    pub what: &'static str,
    /// Why.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}
