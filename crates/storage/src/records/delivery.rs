use chrono::{DateTime, Utc};
use domain::{
    fiscal::{Delivery, DeliveryProblem, DeliveryStatus},
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

impl From<&Delivery> for DeliveryRecord {
    fn from(delivery: &Delivery) -> Self {
        let (at, problem) = match &delivery.status {
            DeliveryStatus::NotRequested | DeliveryStatus::WaitingForDocument | DeliveryStatus::Canceled => {
                (None, None)
            }
            DeliveryStatus::Queued { at } | DeliveryStatus::Sent { at } => (Some(*at), None),
            DeliveryStatus::Failed { at, code } => (Some(*at), Some(*code)),
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
    pub(crate) fn restore(self) -> Option<Delivery> {
        let problem = optional(self.problem.as_deref(), DeliveryProblem::from_code)?;
        let status = match (self.status.as_str(), self.at, problem) {
            ("not_requested", None, None) => DeliveryStatus::NotRequested,
            ("waiting_for_document", None, None) => DeliveryStatus::WaitingForDocument,
            ("queued", Some(at), None) => DeliveryStatus::Queued { at },
            ("sent", Some(at), None) => DeliveryStatus::Sent { at },
            ("failed", Some(at), Some(code)) => DeliveryStatus::Failed { at, code },
            ("canceled", None, None) => DeliveryStatus::Canceled,
            _ => return None,
        };
        Some(Delivery { email: optional(self.email.as_deref(), Email::parse)?, status })
    }
}
