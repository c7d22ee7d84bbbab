//! Split payments: several payers share one bill.
//!
//! The pending provider calls are part of the sale, so they survive a crash. Each call is made between two commits:
//! [`call`] is one call, and [`run_calls`] makes several, for a command as for the worker.

pub(crate) mod call;
mod commands;
pub(crate) mod execute;
pub(crate) mod expire;
mod get;
mod open;
pub(crate) mod outcome;
mod renew;
mod resume;
pub(crate) mod run_calls;
pub(crate) mod settle;
pub(crate) mod window;

pub use commands::{capture_split, delete_split, release_split};
pub use get::{get_part, get_split};
pub use open::{open_split, replace_split};
pub use renew::renew_split;
pub use window::may_split;
