use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    fiscal::{EmailProblem, EmailStatus},
    mailing::Mailing,
};

use super::counter;
use crate::{
    schema::{document_emails, endpoint_disabled_emails},
    time::{instant, millis},
};

/// Declares the columns of a table that hold the progress of an e-mail.
macro_rules! mailing_row {
    ($name:ident of $table:ident) => {
        /// The progress of an e-mail.
        #[derive(Queryable, Selectable, Insertable, AsChangeset)]
        #[diesel(table_name = $table, treat_none_as_null = true, treat_none_as_default_value = false)]
        pub(crate) struct $name {
            status: String,
            status_at: Option<i64>,
            problem: Option<String>,
            attempts: i64,
            unknown_outcomes: i64,
            is_sending: bool,
            due_at: Option<i64>,
            lease_until: Option<i64>,
            version: i64,
        }

        impl $name {
            pub(crate) fn new(mailing: &Mailing, lease_until: Option<DateTime<Utc>>) -> Self {
                let (at, problem) = match &mailing.status {
                    EmailStatus::NotRequested | EmailStatus::WaitingForDocument | EmailStatus::Canceled => (None, None),
                    EmailStatus::Queued { at } | EmailStatus::Sent { at } => (Some(*at), None),
                    EmailStatus::Failed { at, code } => (Some(*at), Some(*code)),
                };
                Self {
                    status: mailing.status.as_str().to_owned(),
                    status_at: at.map(millis),
                    problem: problem.map(|it| it.as_str().to_owned()),
                    attempts: mailing.attempts.into(),
                    unknown_outcomes: mailing.unknown_outcomes.into(),
                    is_sending: mailing.is_sending,
                    due_at: mailing.due_at.map(millis),
                    lease_until: lease_until.map(millis),
                    version: mailing.version.into(),
                }
            }

            pub(crate) fn restore(self) -> Result<Mailing, &'static str> {
                let at = self.status_at.and_then(instant);
                let status = match (self.status.as_str(), at, self.problem.as_deref()) {
                    ("waiting_for_document", None, None) => EmailStatus::WaitingForDocument,
                    ("queued", Some(at), None) => EmailStatus::Queued { at },
                    ("sent", Some(at), None) => EmailStatus::Sent { at },
                    ("failed", Some(at), Some(code)) => {
                        EmailStatus::Failed { at, code: EmailProblem::from_code(code).ok_or("problem")? }
                    }
                    ("canceled", None, None) => EmailStatus::Canceled,
                    _ => return Err("status"),
                };
                Ok(Mailing {
                    status,
                    attempts: counter(self.attempts).ok_or("attempts")?,
                    unknown_outcomes: counter(self.unknown_outcomes).ok_or("unknown_outcomes")?,
                    is_sending: self.is_sending,
                    due_at: self.due_at.map(|it| instant(it).ok_or("due_at")).transpose()?,
                    version: counter(self.version).ok_or("version")?,
                })
            }
        }
    };
}

mailing_row!(DocumentMailingRow of document_emails);
mailing_row!(EndpointDisabledMailingRow of endpoint_disabled_emails);
