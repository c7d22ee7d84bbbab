//! Notifications to addresses that merchants and payers choose: signed webhooks and e-mail.
//!
//! A merchant may register any URL, and names change their addresses. So the address is checked whenever a connection is
//! opened, the connection uses exactly the checked address, for a minute at most, and of the response only the status is
//! used.

mod connection;
mod connector;
mod idle_connections;
mod mail;
mod public_address;
mod resolver;
mod signature;
mod webhook_client;

pub use mail::{EmailTemplates, SmtpCheckFailed, SmtpConfigError, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
pub use resolver::{NameResolver, SystemResolver};
pub use signature::sign;
pub use webhook_client::{WebhookClient, WebhookOptions};
