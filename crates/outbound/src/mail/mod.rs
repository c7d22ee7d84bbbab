//! Mail: what it says, how it is spelled, and how it is handed over.

mod address;
mod letter;
mod message;
mod smtp;
mod switch_off;
mod words;

pub use letter::Letters;
pub use smtp::{NotGreeted, Patience, Security, Smtp, SmtpOptions, SmtpUnusable};
