//! Contract of the stores. Every adapter runs the same facts, each on empty stores: see
//! [`contract_tests`](crate::contract_tests).

pub mod artifacts;
pub mod atomicity;
pub mod backlog;
pub mod credentials;
pub mod document_emails;
pub mod endpoint_disabled_emails;
pub mod events;
pub mod idempotency;
pub mod interchange;
pub mod isolation;
pub mod merchants;
pub mod number_ledger;
pub mod numbers;
pub mod readiness;
pub mod refund_lists;
pub mod refund_work;
pub mod refunds;
pub mod sales;
pub mod search;
pub mod secrets;
pub mod setup;
pub mod splits;
pub mod stored_cards;
pub mod webhook_endpoints;
pub mod webhook_queue;
pub mod work_queue;

mod refund_stages;
mod split_stages;
mod stages;
mod stores;
mod tests;
mod webhooks;

pub use refund_stages::refund_stages;
pub use split_stages::split_stages;
pub use stages::{document_stages, payment_stages};
pub use stores::{Stores, done};

use stores::{count_done, stale};
