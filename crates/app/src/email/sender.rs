use std::sync::Arc;

use chrono::TimeDelta;
use ports::{MailComposer, Mailer};

/// How long a sender may be at one mail: longer than any mail server is waited for.
pub(crate) const LEASE: TimeDelta = TimeDelta::minutes(5);

/// Composer and sender of e-mails. A process without them leaves due e-mails to other processes.
#[derive(Clone)]
pub struct EmailSender {
    /// Composes e-mails.
    pub composer: Arc<dyn MailComposer>,
    /// Sends e-mails.
    pub mailer: Arc<dyn Mailer>,
}
