//! What the stores promise. Every adapter runs the same facts, each on stores that are empty: see
//! [`contract_tests`](crate::contract_tests).

pub mod artifacts;
pub mod backlog;
pub mod crashes;
pub mod credentials;
pub mod deliveries;
pub mod endpoints;
pub mod events;
pub mod exchange;
pub mod idempotency;
pub mod ledger;
pub mod merchants;
pub mod numbers;
pub mod readiness;
pub mod sales;
pub mod search;
pub mod secrets;
pub mod setup;
pub mod splits;
pub mod stored_cards;
pub mod switch_off_mails;
pub mod tenants;
pub mod webhooks;
pub mod work;

mod shared_stages;
mod stages;
mod stores;
mod tests;

pub use shared_stages::shared_stages;
pub use stages::{document_stages, payment_stages};
pub use stores::{Stores, done};
