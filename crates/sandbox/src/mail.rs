//! A mail server that everybody's mailbox is at.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use domain::{fiscal::EmailProblem, mailing::MailOutcome};
use ports::{Mail, Mailer};
use serde::{Deserialize, Serialize};

use crate::{Fault, Faults, JournalError, Target, journal::Journal, undisturbed::undisturbed};

/// Takes mail and keeps it. A message that it has already, by its name, is taken again and kept once, as large mailboxes do it.
///
/// A recipient whose mailbox is called like a reason is refused for it; one that is called `put_off` is taken the second
/// time.
pub struct MailServer {
    faults: Arc<Faults>,
    kept: Arc<Mutex<Kept>>,
}

struct Kept {
    journal: Journal<Entry>,
    is_on_disk: bool,
    entries: Vec<Entry>,
}

/// What is remembered of one delivery attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    name: String,
    /// `None` where the sender was put off.
    mail: Option<MailView>,
}

/// A mail as the sandbox shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailView {
    /// To whom.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub text: String,
    /// What came with it.
    pub attachments: Vec<AttachmentView>,
}

/// A file that came with a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    /// What it is called.
    pub filename: String,
    /// How long it is.
    pub size_bytes: usize,
}

impl MailServer {
    /// A server that forgets everything with the process.
    pub fn in_memory(faults: Arc<Faults>) -> Self {
        Self::of(faults, Kept { journal: Journal::none(), is_on_disk: false, entries: Vec::new() })
    }

    /// The server as the journal at `path` remembers it.
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
        Ok(Self::of(faults, Kept { journal, is_on_disk: true, entries }))
    }

    fn of(faults: Arc<Faults>, kept: Kept) -> Self {
        Self { faults, kept: Arc::new(Mutex::new(kept)) }
    }

    /// What has come, newest first.
    pub fn mails(&self) -> Vec<MailView> {
        lock(&self.kept).entries.iter().rev().filter_map(|it| it.mail.clone()).collect()
    }
}

#[async_trait]
impl Mailer for MailServer {
    async fn send(&self, mail: Mail) -> MailOutcome {
        let fault = self.faults.take(Target::Mail);
        if fault == Some(Fault::BeforeRequest) {
            return MailOutcome::Deferred;
        }
        let kept = Arc::clone(&self.kept);
        let is_on_disk = lock(&kept).is_on_disk;
        let answer = undisturbed(is_on_disk, move || lock(&kept).receive(&mail)).await;
        if fault.is_some() { MailOutcome::Unknown } else { answer.unwrap_or(MailOutcome::Unknown) }
    }
}

impl Kept {
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

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
