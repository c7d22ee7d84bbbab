//! Every query and every write, for both databases.
//!
//! This folder is a module of `postgres` and of `sqlite`: `Store` and `Backend` are those of the
//! module around it.

mod artifacts;
mod backlog;
mod commit;
mod credentials;
mod deliveries;
mod endpoints;
mod enqueue;
mod events;
mod exchange;
mod idempotency;
mod kept_cards;
mod ledger;
mod merchants;
mod numbers;
mod readiness;
mod registry;
mod sales;
mod search;
mod secrets;
mod setup;
mod switch_off_mails;
mod webhook_log;
mod webhooks;
mod work;

use super::{Backend, FIND, OLD_DELIVERIES, OLD_EVENTS, OLD_MAILS, OLD_NOTICES, Store};
