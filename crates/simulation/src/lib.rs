//! Many small worlds, each from a seed: the use cases as they are, on a clock, a database and a
//! bank that fail at every call, and promises that hold all the same.
//!
//! [`run`] plays the world of a seed and says which promises it broke; [`shrink`] makes the story
//! of a failure short. A [`Bug`] breaks the deployment on purpose: what is not found then proves
//! that a checker is blind.

mod bank;
mod browser;
mod bug;
mod chance;
mod check;
mod client;
mod customers;
mod executor;
mod letter;
mod node;
mod post;
mod provider;
mod run;
mod shrink;
mod store;
mod world;

pub use bug::Bug;
pub use run::{Report, replay, run};
pub use shrink::shrink;
