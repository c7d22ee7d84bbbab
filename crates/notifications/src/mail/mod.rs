//! E-mail: templates, encoding, and SMTP.

mod address;
mod encoding;
mod endpoint_disabled;
mod smtp;
mod templates;
mod texts;

pub use smtp::{SmtpCheckFailed, SmtpConfigError, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
pub use templates::EmailTemplates;
