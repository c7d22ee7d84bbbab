use diesel::prelude::*;
use domain::{FiscalDocument, fiscal::DocumentEmail};
use ports::{DocumentEmailId, Tenant};

use super::{DocumentMailingRow, row};
use crate::{
    column::Column,
    schema::{document_emails, fiscal_documents},
};

row! {
    /// One row of `document_emails`, without the lease.
    DocumentEmailRow in document_emails by document {
        merchant: String,
        mode: String,
        document: String,
        number: i64,
        email: String,
        requested_at: i64,
        #[diesel(embed)]
        mailing: DocumentMailingRow,
    }
    DocumentEmail { document, number, email, at: requested_at, mailing } of Tenant { merchant, mode }
}

row! {
    /// Key of a row of `document_emails`.
    DocumentEmailKey in document_emails by document {
        merchant: String,
        mode: String,
        document: String,
        number: i64,
    }
    DocumentEmailId { tenant: Tenant { merchant, mode }, document, number }
}

/// The columns of `fiscal_documents` that a delivery changes.
#[derive(AsChangeset)]
#[diesel(table_name = fiscal_documents)]
pub(crate) struct ShownDeliveryRow {
    delivery: String,
    updated_at: i64,
    version: i64,
}

impl From<&FiscalDocument> for ShownDeliveryRow {
    fn from(document: &FiscalDocument) -> Self {
        let state = document.state();
        Self { delivery: state.delivery.store(), updated_at: state.updated_at.store(), version: state.version.store() }
    }
}
