//! Documents and notices of disabled endpoints by e-mail.

mod document;
mod endpoint_disabled;
mod send_due;
mod sender;

pub use send_due::send_due_emails;
pub use sender::EmailSender;
