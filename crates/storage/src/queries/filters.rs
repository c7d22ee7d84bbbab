//! Filters on single rows.

use diesel::{dsl::auto_type, prelude::*};
use domain::{FiscalDocumentId, PaymentId};
use ports::Tenant;

use crate::schema::{fiscal_documents, payments};

/// Filter on a document.
#[auto_type(no_type_alias)]
pub(super) fn is_document(tenant: &Tenant, id: &FiscalDocumentId) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let id: String = id.to_string();
    fiscal_documents::merchant.eq(merchant).and(fiscal_documents::mode.eq(mode)).and(fiscal_documents::id.eq(id))
}

/// Filter on a payment.
#[auto_type(no_type_alias)]
pub(super) fn is_payment(tenant: &Tenant, id: &PaymentId) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let id: String = id.to_string();
    payments::merchant.eq(merchant).and(payments::mode.eq(mode)).and(payments::id.eq(id))
}
