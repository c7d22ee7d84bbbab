//! Rows of tables. A row that is not a legal value of the domain is an error that names the column.

#![expect(unused_parens, reason = "the parentheses in the macro `row` hold one value, or a tenant and a value")]

mod account;
mod account_event;
mod annulment;
mod artifact;
mod assigned_number;
mod attempt;
mod certificate;
mod document;
mod document_email;
mod endpoint;
mod endpoint_disabled_email;
mod event;
mod exchange;
mod key;
mod mailing;
mod merchant_key;
mod number;
mod payment;
mod payment_stage;
mod profile;
mod queued;
mod rate;
mod refund;
mod revision;
mod row;
mod sale;
mod secret;
mod snapshot;
mod stored_card;
mod token;
mod webhook_delivery;
mod work;

pub(crate) use account::AccountRow;
pub(crate) use account_event::{About, AccountEventRow};
pub(crate) use annulment::AnnulmentRow;
pub(crate) use artifact::ArtifactRow;
pub(crate) use assigned_number::AssignedNumberRow;
pub(crate) use attempt::AttemptRow;
pub(crate) use certificate::{CertificateRow, FactsRow};
pub(crate) use document::{DocumentRow, DocumentStateRow, queue_of};
pub(crate) use document_email::{DocumentEmailKey, DocumentEmailRow, ShownDeliveryRow};
pub(crate) use endpoint::{EndpointRow, Sending};
pub(crate) use endpoint_disabled_email::{EndpointDisabledEmailKey, EndpointDisabledEmailRow};
pub(crate) use event::EventRow;
pub(crate) use exchange::{ApprovalRow, ReceivedRow};
pub(crate) use key::KeyRow;
pub(crate) use mailing::{DocumentMailingRow, EndpointDisabledMailingRow};
pub(crate) use merchant_key::{KeyUseRow, MerchantKeyRow};
pub(crate) use number::{NumberRow, NumberedRow, RangeRow, restore_number};
pub(crate) use payment::{PaymentRow, PaymentStateRow};
pub(crate) use profile::ProfileRow;
pub(crate) use queued::QueuedRow;
pub(crate) use rate::RateRow;
pub(crate) use refund::{RefundRow, RefundStateRow, RefundTotalsRow};
pub(crate) use revision::RevisionRow;
pub(crate) use row::{StoredRow, row};
pub(crate) use sale::SaleRow;
pub(crate) use secret::{SecretRow, restore_secret};
pub(crate) use snapshot::{EventSubject, snapshot_text};
pub(crate) use stored_card::StoredCardRow;
pub(crate) use token::TokenRow;
pub(crate) use webhook_delivery::{DueRow, FinishedColumns, LoggedRow};
pub(crate) use work::{Key, WorkRow, restore_key, restore_tenant};

/// Error of a row that is not a legal value of the domain.
#[derive(Debug, thiserror::Error)]
#[error("{table}.{column} of {key} is inconsistent")]
pub(crate) struct Inconsistent {
    table: &'static str,
    column: &'static str,
    key: String,
}

impl Inconsistent {
    /// Returns a function from the name of a column to the error.
    pub(crate) fn of(table: &'static str, key: &str) -> impl Fn(&'static str) -> Self + use<> {
        let key = key.to_owned();
        move |column| Self { table, column, key: key.clone() }
    }
}
