//! Queries and writes for both databases.
//!
//! This folder is a module of `postgres` and of `sqlite`, with the `Store` and `Backend` of each.

mod accounts;
mod artifacts;
mod backlog;
mod commit;
mod credentials;
mod document_emails;
mod endpoint_disabled_emails;
mod endpoints;
mod enqueue;
mod events;
mod exchange;
mod filters;
mod idempotency;
mod ledger;
mod merchants;
mod numbers;
mod readiness;
mod registry;
mod sales;
mod search;
mod secrets;
mod setup;
mod stored_cards;
mod webhook_log;
mod webhooks;
mod work;

use super::{Backend, FIND, Store, sweep};
