use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{DocumentEmail, Issued},
    mailing::MailOutcome,
    sale::Sale,
    text::Email,
    webhook::EndpointDisabledEmail,
};

/// Sends e-mails through a mail server.
///
/// An e-mail has a fixed `Message-ID`: each attempt sends the same e-mail. If the server may have accepted the e-mail
/// and the response is missing, the outcome is [`Unknown`](MailOutcome::Unknown). An attempt takes at most two
/// minutes.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Tries once.
    async fn send(&self, mail: Mail) -> MailOutcome;
}

/// Composes e-mails. Equal input gives equal bytes.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait MailComposer: Send + Sync {
    /// Returns the e-mail that delivers a document.
    fn document(&self, sale: &Sale, issued: &Issued, delivery: &DocumentEmail, papers: Papers) -> Mail;

    /// Returns the e-mail that delivers a credit note of a sale.
    fn credit_note(
        &self,
        sale: &Sale,
        note: &FiscalDocument,
        issued: &Issued,
        delivery: &DocumentEmail,
        papers: Papers,
    ) -> Mail;

    /// Returns the e-mail about a disabled endpoint; `None` without a recipient.
    fn endpoint_disabled(&self, it: &EndpointDisabledEmail) -> Option<Mail>;
}

/// A document in both stored forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Papers {
    /// The signed XML.
    pub signed: Vec<u8>,
    /// The printed representation (PDF).
    pub printed: Vec<u8>,
}

/// A mail to one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Identifier for the `Message-ID`: letters, digits, points and underscores.
    pub name: String,
    /// Time of composition.
    pub at: DateTime<Utc>,
    /// Display name of the sender. The mail server sets the sender's address.
    pub from: String,
    /// `Reply-To` address.
    pub reply_to: Option<Email>,
    /// Recipient.
    pub to: Email,
    /// Subject.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// Attachments.
    pub attachments: Vec<Attachment>,
}

/// A file that comes with a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// File name: letters, digits and points.
    pub name: String,
    /// Media type, such as `application/pdf`.
    pub media_type: &'static str,
    /// Content.
    pub bytes: Vec<u8>,
}
