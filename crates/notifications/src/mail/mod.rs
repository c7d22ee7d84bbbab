//! E-mail: templates, encoding, and SMTP.

mod address;
mod blocks;
mod credit_note;
mod encoding;
mod endpoint_disabled;
mod kind;
mod language;
mod smtp;
mod templates;

pub use smtp::{SmtpCheckFailed, SmtpConfigError, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
pub use templates::EmailTemplates;
