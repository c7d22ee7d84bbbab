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

pub use guard::{NameResolver, SystemResolver};
pub use mail::{EmailTemplates, SmtpCheckFailed, SmtpConfigError, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
pub use sender::{WebhookClient, WebhookOptions};
pub use signature::sign;
