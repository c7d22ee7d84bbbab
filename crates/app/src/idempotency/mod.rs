//! Idempotency of commands: a key is locked by the first commit of the command and completed by the last commit.
//!
//! A command of one commit does both at once. After a crash in between, the next request with the key resumes the
//! command.

mod lease;
mod precondition;
mod request;
mod response;

pub use lease::{KeyLeaseHandle, end_lease, run_with_lease};
pub use precondition::IfMatch;
pub use request::IdempotentRequest;
pub(crate) use request::{KeyLease, KeyOutcome, in_progress};
pub use response::{RenderSale, Rendered, Response};
