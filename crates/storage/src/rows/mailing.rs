use domain::mailing::Mailing;

use super::row;
use crate::{
    column::Column,
    schema::{document_emails, endpoint_disabled_emails},
};

/// Declares the columns of a table that hold the progress of an e-mail, without the lease.
macro_rules! mailing_row {
    ($name:ident in $table:ident) => {
        row! {
            /// The progress of an e-mail.
            #[derive(diesel::AsChangeset)]
            #[diesel(treat_none_as_null = true)]
            $name in $table by {
                attempts: i64,
                unknown_outcomes: i64,
                is_sending: bool,
                due_at: Option<i64>,
                version: i64,
                (status: String, status_at: Option<i64>, problem: Option<String>) as status,
            }
            Mailing { status, attempts, unknown_outcomes, is_sending, due_at, version }
        }

        impl Column<$name> for Mailing {
            fn store(&self) -> $name {
                self.into()
            }

            fn load(stored: $name, _: &'static str) -> Result<Self, &'static str> {
                stored.read()
            }
        }
    };
}

mailing_row!(DocumentMailingRow in document_emails);
mailing_row!(EndpointDisabledMailingRow in endpoint_disabled_emails);
