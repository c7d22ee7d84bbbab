use diesel::prelude::*;
use domain::{FiscalDocument, FiscalDocumentId, fiscal::DocumentEmail, text::Email};
use ports::{Change, DocumentEmailId, Tenant};

use super::{DocumentMailingRow, Inconsistent, counter, read_tenant};
use crate::{
    records,
    schema::{document_emails, fiscal_documents},
    time::{instant, millis},
};

/// One row of `document_emails`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = document_emails, treat_none_as_default_value = false)]
pub(crate) struct DocumentEmailRow {
    merchant: String,
    mode: String,
    document: String,
    number: i64,
    email: String,
    requested_at: i64,
    #[diesel(embed)]
    mailing: DocumentMailingRow,
}

/// The columns of `fiscal_documents` that a delivery changes.
#[derive(AsChangeset)]
#[diesel(table_name = fiscal_documents)]
pub(crate) struct ShownDeliveryRow {
    delivery: String,
    updated_at: i64,
    version: i64,
}

/// Key of a row of `document_emails`: merchant, mode, document and number.
pub(crate) type DocumentEmailKey = (String, String, String, i64);

impl DocumentEmailRow {
    pub(crate) fn new(tenant: &Tenant, change: &Change<DocumentEmail>) -> Self {
        let delivery = &change.to;
        Self {
            merchant: tenant.merchant.to_string(),
            mode: tenant.mode.as_str().to_owned(),
            document: delivery.document.to_string(),
            number: delivery.number.into(),
            email: delivery.email.as_str().to_owned(),
            requested_at: millis(delivery.at),
            mailing: DocumentMailingRow::new(&delivery.mailing, change.lease_until),
        }
    }
}

impl From<&FiscalDocument> for ShownDeliveryRow {
    fn from(document: &FiscalDocument) -> Self {
        let state = document.state();
        Self {
            delivery: records::json(&state.delivery),
            updated_at: millis(state.updated_at),
            version: state.version.into(),
        }
    }
}

impl TryFrom<DocumentEmailRow> for DocumentEmail {
    type Error = Inconsistent;

    fn try_from(row: DocumentEmailRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("document_emails", &row.document);
        Ok(Self {
            document: FiscalDocumentId::parse(&row.document).ok_or_else(|| broken("document"))?,
            number: counter(row.number).ok_or_else(|| broken("number"))?,
            email: Email::parse(&row.email).ok_or_else(|| broken("email"))?,
            at: instant(row.requested_at).ok_or_else(|| broken("requested_at"))?,
            mailing: row.mailing.restore().map_err(broken)?,
        })
    }
}

pub(crate) fn restore_document_email_key(
    (merchant, mode, document, number): DocumentEmailKey,
) -> Result<DocumentEmailId, Inconsistent> {
    let broken = Inconsistent::of("document_emails", &document);
    Ok(DocumentEmailId {
        tenant: read_tenant(&merchant, &mode).ok_or_else(|| broken("merchant"))?,
        document: FiscalDocumentId::parse(&document).ok_or_else(|| broken("document"))?,
        number: counter(number).ok_or_else(|| broken("number"))?,
    })
}
