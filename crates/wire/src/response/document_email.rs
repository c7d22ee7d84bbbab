use domain::{
    fiscal::{self, EmailProblem},
    text::Email,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{OpenCode, Timestamp, WaitingForDocument};

/// State of the e-mail that sends the document.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Delivery")]
pub(super) struct DocumentEmail<'a> {
    /// Recipient. `null` if no e-mail was requested, and always for the holder of a checkout token.
    #[schemars(email, length(max = Email::MAX))]
    email: Option<&'a str>,
    #[serde(flatten)]
    status: Status,
}

#[derive(JsonSchema, Serialize)]
#[serde(tag = "status", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Status {
    NotRequested,
    WaitingForDocument,
    Queued {
        /// When the e-mail was queued.
        queued_at: Timestamp,
    },
    Sent {
        /// When the mail server accepted the e-mail.
        sent_at: Timestamp,
    },
    Failed {
        /// When the e-mail failed for good.
        failed_at: Timestamp,
        /// Why the e-mail failed.
        problem: Failure,
    },
    Canceled,
}

#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
struct Failure {
    /// Reason of the failure. More codes may be added.
    code: OpenCode<EmailProblem>,
}

/// Accepted request to send a document by e-mail.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "RequestedDelivery")]
pub struct DocumentEmailResponse<'a> {
    // The address of this request, never the stored one: the caller must not learn a different one.
    /// Recipient as sent.
    #[schemars(email, length(max = Email::MAX))]
    email: &'a str,
    /// The e-mail is sent once the document is issued.
    status: WaitingForDocument,
}

impl<'a> DocumentEmailResponse<'a> {
    /// Returns the response to a request for an e-mail to `recipient`.
    pub fn queued_for(recipient: &'a Email) -> Self {
        Self { email: recipient.as_str(), status: WaitingForDocument }
    }
}

impl DocumentEmail<'_> {
    /// State for the holder of a checkout token, without the address.
    pub(super) fn without_address(delivery: &fiscal::EmailDelivery) -> Self {
        Self { email: None, status: (&delivery.status).into() }
    }
}

impl<'a> From<&'a fiscal::EmailDelivery> for DocumentEmail<'a> {
    fn from(delivery: &'a fiscal::EmailDelivery) -> Self {
        Self { email: delivery.email.as_ref().map(|email| email.as_str()), status: (&delivery.status).into() }
    }
}

impl From<&fiscal::EmailStatus> for Status {
    fn from(status: &fiscal::EmailStatus) -> Self {
        use fiscal::EmailStatus as S;

        match *status {
            S::NotRequested => Self::NotRequested,
            S::WaitingForDocument => Self::WaitingForDocument,
            S::Queued { at } => Self::Queued { queued_at: at.into() },
            S::Sent { at } => Self::Sent { sent_at: at.into() },
            S::Failed { at, code } => Self::Failed { failed_at: at.into(), problem: Failure { code: code.into() } },
            S::Canceled => Self::Canceled,
        }
    }
}
