//! A mail server with every mailbox.

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use domain::{fiscal::EmailProblem, mailing::MailOutcome};
use parking_lot::Mutex;
use ports::{Mail, Mailer};
use serde::{Deserialize, Serialize};

use crate::{
    blocking::run_blocking,
    faults::{Fault, Faults, Target},
    journal::{Journal, JournalError},
};

/// Receives and stores mail. A repeated message is accepted and stored once, as in large mailbox providers.
///
/// A mailbox named like a rejection reason rejects the mail; the mailbox `put_off` accepts the second attempt.
pub struct MailServer {
    faults: Arc<Faults>,
    state: Arc<Mutex<MailState>>,
}

struct MailState {
    journal: Journal<Entry>,
    is_on_disk: bool,
    entries: Vec<Entry>,
}

/// A recorded delivery attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    name: String,
    /// `None` for a deferred attempt.
    mail: Option<MailView>,
}

/// A mail as the sandbox shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailView {
    /// Recipient.
    pub to: String,
    /// Subject.
    pub subject: String,
    /// Body.
    pub text: String,
    /// Attachments.
    pub attachments: Vec<AttachmentView>,
}

/// An attachment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    /// File name.
    pub filename: String,
    /// Size.
    pub size_bytes: usize,
}

impl MailServer {
    /// A server without a journal.
    pub fn in_memory(faults: Arc<Faults>) -> Self {
        Self::of(faults, MailState { journal: Journal::none(), is_on_disk: false, entries: Vec::new() })
    }

    /// A server with the journal at `path`.
    ///
    /// # Errors
    ///
    /// If the journal cannot be used.
    pub fn open(path: &Path, faults: Arc<Faults>) -> Result<Self, JournalError> {
        let mut entries = Vec::new();
        let journal = Journal::open(path, |entry| {
            entries.push(entry);
            true
        })?;
        Ok(Self::of(faults, MailState { journal, is_on_disk: true, entries }))
    }

    fn of(faults: Arc<Faults>, state: MailState) -> Self {
        Self { faults, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns the received mails, newest first.
    pub fn mails(&self) -> Vec<MailView> {
        self.state.lock().entries.iter().rev().filter_map(|it| it.mail.clone()).collect()
    }
}

#[async_trait]
impl Mailer for MailServer {
    async fn send(&self, mail: Mail) -> MailOutcome {
        let fault = self.faults.take(Target::Mail);
        if fault == Some(Fault::BeforeRequest) {
            return MailOutcome::Deferred;
        }
        let state = Arc::clone(&self.state);
        let is_on_disk = state.lock().is_on_disk;
        let answer = run_blocking(is_on_disk, move || state.lock().receive(&mail)).await;
        if fault.is_some() { MailOutcome::Unknown } else { answer.unwrap_or(MailOutcome::Unknown) }
    }
}

impl MailState {
    fn receive(&mut self, mail: &Mail) -> MailOutcome {
        let mailbox = mail.to.as_str().split('@').next().unwrap_or_default();
        if let Some(problem) = EmailProblem::from_code(mailbox) {
            return MailOutcome::Rejected(problem);
        }
        let is_known = |it: &&Entry| it.name == mail.name;
        if self.entries.iter().filter(is_known).any(|it| it.mail.is_some()) {
            return MailOutcome::Accepted;
        }
        let is_put_off = mailbox == "put_off" && !self.entries.iter().any(|it| it.name == mail.name);
        let entry = Entry { name: mail.name.clone(), mail: (!is_put_off).then(|| MailView::of(mail)) };
        if let Err(error) = self.journal.append(&entry) {
            tracing::error!(error = &error as &dyn std::error::Error, "a mail could not be written down");
            return MailOutcome::Unknown;
        }
        self.entries.push(entry);
        if is_put_off { MailOutcome::Deferred } else { MailOutcome::Accepted }
    }
}

impl MailView {
    fn of(mail: &Mail) -> Self {
        let attachment =
            |it: &ports::Attachment| AttachmentView { filename: it.name.clone(), size_bytes: it.bytes.len() };
        Self {
            to: mail.to.as_str().to_owned(),
            subject: mail.subject.clone(),
            text: mail.text.clone(),
            attachments: mail.attachments.iter().map(attachment).collect(),
        }
    }
}
