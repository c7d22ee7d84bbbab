//! E-mail: templates, encoding, and SMTP.

mod address;
mod letter;
mod message;
mod smtp;
mod switch_off;
mod words;

pub use letter::EmailTemplates;
pub use smtp::{SmtpCheckFailed, SmtpConfigError, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
