use domain::{fiscal, text::Email};
use serde::Serialize;

use super::Timestamp;

/// A document's delivery by e-mail.
#[derive(Serialize)]
pub struct Delivery<'a> {
    /// `null` while nobody asked.
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

impl<'a> Delivery<'a> {
    /// The answer to a request for delivery to `recipient`, however far the document has come.
    ///
    /// It shows the address that was sent, never the one that is stored: they may differ, and the holder of a receipt
    /// is not told the other.
    pub fn queued_for(recipient: &'a Email) -> Self {
        Self { email: Some(recipient.as_str()), status: Status::WaitingForDocument }
    }
}

impl<'a> From<&'a fiscal::Delivery> for Delivery<'a> {
    fn from(delivery: &'a fiscal::Delivery) -> Self {
        use fiscal::DeliveryStatus as S;

        let status = match delivery.status {
            S::NotRequested => Status::NotRequested,
            S::WaitingForDocument => Status::WaitingForDocument,
            S::Queued { at } => Status::Queued { queued_at: at.into() },
            S::Sent { at } => Status::Sent { sent_at: at.into() },
            S::Failed { at, code } => Status::Failed { failed_at: at.into(), problem: Problem { code: code.as_str() } },
            S::Canceled => Status::Canceled,
        };
        Self { email: delivery.email.as_ref().map(|it| it.as_str()), status }
    }
}
