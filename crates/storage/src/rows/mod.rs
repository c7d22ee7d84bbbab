//! Rows of tables. A row that is not a legal value of the domain is an error that names the column.

mod account;
mod account_event;
mod annulment;
mod artifact;
mod attempt;
mod certificate;
mod document;
mod document_email;
mod endpoint;
mod endpoint_disabled_email;
mod event;
mod exchange;
mod given;
mod key;
mod mailing;
mod merchant_key;
mod number;
mod payment;
mod payment_stage;
mod profile;
mod queued;
mod rate;
mod revision;
mod sale;
mod secret;
mod snapshot;
mod stored_card;
mod token;
mod webhook_delivery;
mod work;

pub(crate) use account::AccountRow;
pub(crate) use account_event::{About, AccountEventRow};
pub(crate) use annulment::{AnnulmentRow, AnnulmentStateRow};
pub(crate) use artifact::ArtifactRow;
pub(crate) use attempt::AttemptRow;
pub(crate) use certificate::{CertificateRow, FactsRow};
pub(crate) use document::{DocumentRow, DocumentStateRow, queue_of};
pub(crate) use document_email::{DocumentEmailKey, DocumentEmailRow, ShownDeliveryRow, restore_document_email_key};
pub(crate) use endpoint::{EndpointRow, Sending, restore_recipient};
pub(crate) use endpoint_disabled_email::{
    EndpointDisabledEmailKey, EndpointDisabledEmailRow, restore_endpoint_disabled_email_key,
};
pub(crate) use event::{EventRow, restore_event};
pub(crate) use exchange::{ApprovalRow, ReceivedRow};
pub(crate) use given::GivenRow;
pub(crate) use key::{KeyRow, scope_column};
pub(crate) use mailing::{DocumentMailingRow, EndpointDisabledMailingRow};
pub(crate) use merchant_key::MerchantKeyRow;
pub(crate) use number::{NumberRow, NumberedRow, RangeRow, restore_number};
pub(crate) use payment::{PaymentRow, PaymentStateRow};
pub(crate) use profile::ProfileRow;
pub(crate) use queued::QueuedRow;
pub(crate) use rate::RateRow;
pub(crate) use revision::{RevisionRow, restore_revision};
pub(crate) use sale::restore_sale;
pub(crate) use secret::{SecretRow, restore_secret};
pub(crate) use snapshot::snapshot_text;
pub(crate) use stored_card::StoredCardRow;
pub(crate) use token::{IDLE, SessionRow, TokenRow};
pub(crate) use webhook_delivery::{DueRow, FinishedColumns, LoggedRow, event_columns, restore_due, restore_logged};
pub(crate) use work::{WorkRow, restore_document_name, restore_work};

use domain::{MerchantId, Mode};
use ports::Tenant;

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
    fn of(table: &'static str, key: &str) -> impl Fn(&'static str) -> Self + use<> {
        let key = key.to_owned();
        move |column| Self { table, column, key: key.clone() }
    }
}

pub(crate) fn read_tenant(merchant: &str, mode: &str) -> Option<Tenant> {
    Some(Tenant { merchant: MerchantId::parse(merchant)?, mode: Mode::from_code(mode)? })
}

/// Reads a counter of the domain.
fn counter(stored: i64) -> Option<u32> {
    u32::try_from(stored).ok()
}
