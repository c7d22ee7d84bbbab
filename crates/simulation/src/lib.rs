//! Many small worlds, each from a seed: the real use cases, with a clock, a database and a provider that may fail at
//! every call, and invariants that must hold all the same.
//!
//! [`run`] runs the world of a seed and returns the violated invariants; [`shrink`] shortens the story of a failure.
//! A [`Bug`] breaks the deployment on purpose: a bug that is not found shows that a checker is blind.

mod bank;
mod browser;
mod bug;
mod chance;
mod check;
mod client;
mod customers;
mod delivery;
mod executor;
mod node;
mod provider;
mod reply;
mod run;
mod shrink;
mod store;
mod world;

pub use bug::Bug;
pub use run::{Report, replay, run};
pub use shrink::shrink;
