//! Many small worlds, each from a seed: the real use cases, with a clock, a database and a provider that may fail at
//! every call, and invariants that must hold all the same.
//!
//! [`run`] runs the world of a seed and returns the violated invariants; [`shrink`] shortens the story of a failure.
//! A [`Bug`] breaks the deployment on purpose: a bug that is not found shows that a checker is blind.

mod bank;
mod bank_returns;
mod browser;
mod bug;
mod chance;
mod check;
mod check_refunds;
mod client;
mod customers;
mod delivery;
mod document_ports;
mod documents;
mod event_delivery;
mod executor;
mod figures;
mod ledger;
mod node;
mod provider;
mod refund_bugs;
mod refund_provider;
mod refund_rows;
mod refund_store;
mod refund_tables;
mod refunders;
mod reply;
mod returns;
mod run;
mod shrink;
mod store;
mod tables;
mod tax_authority;
mod way;
mod world;

pub use bug::Bug;
pub use run::{Report, replay, run};
pub use shrink::shrink;
