//! Mail: what it says, how it is spelled, and how it is handed over.

mod address;
mod letter;
mod message;
mod smtp;
mod switch_off;
mod words;

pub use letter::EmailTemplates;
pub use smtp::{SmtpCheckFailed, SmtpConfigError, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
