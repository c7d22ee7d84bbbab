//! Notifications to addresses that merchants and payers choose: signed webhooks and e-mail.
//!
//! A merchant may register any URL, and names change their addresses. So the address is checked when the connection is
//! made, the connection uses exactly the checked address, and of the response only the status is used.

mod guard;
mod mail;
mod public;
mod sender;
mod signature;

pub use guard::{NameResolver, SystemResolver};
pub use mail::{EmailTemplates, SmtpCheckFailed, SmtpConfigError, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
pub use sender::{WebhookClient, WebhookOptions};
pub use signature::sign;
