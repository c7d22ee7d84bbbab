use domain::{fiscal, text::Email};
use serde::Serialize;

use super::Timestamp;

/// A document's delivery by e-mail.
#[derive(Serialize)]
pub struct DocumentEmailResponse<'a> {
    /// `null` while nobody asked, and to the holder of a receipt.
    email: Option<&'a str>,
    #[serde(flatten)]
    status: Status,
}

#[derive(Serialize)]
#[serde(tag = "status", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Status {
    NotRequested,
    WaitingForDocument,
    Queued { queued_at: Timestamp },
    Sent { sent_at: Timestamp },
    Failed { failed_at: Timestamp, problem: Problem },
    Canceled,
}

#[derive(Serialize)]
struct Problem {
    code: &'static str,
}

impl<'a> DocumentEmailResponse<'a> {
    /// The answer to a request for delivery to `recipient`, however far the document has come.
    ///
    /// It shows the address that was sent, never the one that is stored: they may differ, and the holder of a receipt
    /// is not told the other.
    pub fn queued_for(recipient: &'a Email) -> Self {
        Self { email: Some(recipient.as_str()), status: Status::WaitingForDocument }
    }

    /// The delivery as the holder of a checkout or a receipt sees it. Whose address it is they know, or need not.
    pub(super) fn without_address(delivery: &fiscal::EmailDelivery) -> Self {
        Self { email: None, status: (&delivery.status).into() }
    }
}

impl<'a> From<&'a fiscal::EmailDelivery> for DocumentEmailResponse<'a> {
    fn from(delivery: &'a fiscal::EmailDelivery) -> Self {
        Self { email: delivery.email.as_ref().map(|it| it.as_str()), status: (&delivery.status).into() }
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
            S::Failed { at, code } => Self::Failed { failed_at: at.into(), problem: Problem { code: code.as_str() } },
            S::Canceled => Self::Canceled,
        }
    }
}
