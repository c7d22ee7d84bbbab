//! What leaves for addresses that merchants and payers name: signed webhooks, and mail.
//!
//! A merchant may name any address, and names change hands. So what a name stands for is judged
//! when it is connected to, the connection is made to the very address that was judged, and nothing
//! of an answer is kept but its status.

mod guard;
mod mail;
mod public;
mod sender;
mod signature;

pub use guard::{Names, SystemNames};
pub use mail::{Letters, NotGreeted, Patience, Security, Smtp, SmtpOptions, SmtpUnusable};
pub use sender::{Options, Webhooks};
pub use signature::sign;
