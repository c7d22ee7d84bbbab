use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    fiscal::{DocumentEmail, Issued},
    mailing::MailOutcome,
    sale::Sale,
    text::Email,
    webhook::EndpointDisabledEmail,
};

/// Hands mail over to a mail server.
///
/// A mail has a name, and is the same mail under it however often it is sent. What cannot be known of a try is said:
/// once a mail may have been taken, only [`Unheard`](MailOutcome::Unheard) says that nobody heard so. An answer takes two
/// minutes at most.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Tries once.
    async fn send(&self, mail: Mail) -> MailOutcome;
}

/// Writes mails. The same things always come to the same mail.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait MailComposer: Send + Sync {
    /// The mail that brings a document to whoever asked for it.
    fn document(&self, sale: &Sale, issued: &Issued, delivery: &DocumentEmail, papers: Papers) -> Mail;

    /// The mail that tells whoever is named that an endpoint was switched off; `None` where nobody is.
    fn switched_off(&self, it: &EndpointDisabledEmail) -> Option<Mail>;
}

/// A document in both of its forms, as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Papers {
    /// As it was signed.
    pub signed: Vec<u8>,
    /// As it was drawn.
    pub printed: Vec<u8>,
}

/// A mail to one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// What it is known by: letters, digits, points and underscores.
    pub name: String,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// By whom, for people. The address that it comes from is the mail server's affair.
    pub from: String,
    /// Who is written to by whoever answers.
    pub reply_to: Option<Email>,
    /// To whom.
    pub to: Email,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// What comes with it.
    pub attachments: Vec<Attachment>,
}

/// A file that comes with a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// What it is called: letters, digits and points.
    pub name: String,
    /// What it is, as in `application/pdf`.
    pub media_type: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}
