use std::sync::Arc;

use chrono::TimeDelta;
use ports::{MailComposer, Mailer};

/// How long a sender may be at one mail: longer than any mail server is waited for.
pub(crate) const LEASE: TimeDelta = TimeDelta::minutes(5);

/// Who writes mails, and who takes them away. A process that has neither leaves wishes to those that have.
#[derive(Clone)]
pub struct EmailSender {
    /// Who writes them.
    pub composer: Arc<dyn MailComposer>,
    /// Who takes them.
    pub mailer: Arc<dyn Mailer>,
}
