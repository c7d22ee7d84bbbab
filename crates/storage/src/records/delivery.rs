use chrono::{DateTime, Utc};
use domain::{
    fiscal::{EmailDelivery, EmailProblem, EmailStatus},
    text::Email,
};
use serde::{Deserialize, Serialize};

use super::optional;

#[derive(Serialize, Deserialize)]
pub(crate) struct DeliveryRecord {
    email: Option<String>,
    status: String,
    #[serde(with = "chrono::serde::ts_milliseconds_option")]
    at: Option<DateTime<Utc>>,
    problem: Option<String>,
}

impl From<&EmailDelivery> for DeliveryRecord {
    fn from(delivery: &EmailDelivery) -> Self {
        let (at, problem) = match &delivery.status {
            EmailStatus::NotRequested | EmailStatus::WaitingForDocument | EmailStatus::Canceled => (None, None),
            EmailStatus::Queued { at } | EmailStatus::Sent { at } => (Some(*at), None),
            EmailStatus::Failed { at, code } => (Some(*at), Some(*code)),
        };
        Self {
            email: delivery.email.as_ref().map(|it| it.as_str().to_owned()),
            status: delivery.status.as_str().to_owned(),
            at,
            problem: problem.map(|it| it.as_str().to_owned()),
        }
    }
}

impl DeliveryRecord {
    pub(crate) fn restore(self) -> Option<EmailDelivery> {
        let problem = optional(self.problem.as_deref(), EmailProblem::from_code)?;
        let status = match (self.status.as_str(), self.at, problem) {
            ("not_requested", None, None) => EmailStatus::NotRequested,
            ("waiting_for_document", None, None) => EmailStatus::WaitingForDocument,
            ("queued", Some(at), None) => EmailStatus::Queued { at },
            ("sent", Some(at), None) => EmailStatus::Sent { at },
            ("failed", Some(at), Some(code)) => EmailStatus::Failed { at, code },
            ("canceled", None, None) => EmailStatus::Canceled,
            _ => return None,
        };
        Some(EmailDelivery { email: optional(self.email.as_deref(), Email::parse)?, status })
    }
}
