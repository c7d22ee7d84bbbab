//! `POST /fiscal_documents/{fiscalDocumentId}/corrections`.

use domain::{Refusal, sale::Correction};

use super::document;
use crate::{
    json::Json,
    read::{self, Object, read_fields},
};

/// Parses a correction, which replaces the whole content of the document.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<Correction, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<Correction> {
    read_fields!(body => Correction {
        kind: required("kind", document::KIND, document::kind),
        merchant_invoice_number: required("merchantInvoiceNumber", document::INVOICE_NUMBER, read::line),
        merchant_order_number: required("merchantOrderNumber", document::ORDER_NUMBER, document::order_number),
        lines: required_later("lines", document::LINES, document::lines),
        buyer_tax_id: optional("buyer", document::BUYER, document::buyer),
        government: optional("governmentEligibility", document::GOVERNMENT, document::government);
        listed_buyer: None,
    })
}
