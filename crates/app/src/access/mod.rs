//! Credentials, and the permissions of their callers.

mod authenticate;
mod caller;
mod key_uses;

pub use authenticate::authenticate;
pub(crate) use authenticate::spell_key;
pub use caller::{Caller, View};
pub use key_uses::{KeyUses, write_key_uses};
