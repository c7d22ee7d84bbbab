//! `POST /fiscal_documents/{fiscalDocumentId}/corrections`.

use domain::{Refusal, sale::Correction};

use super::document;
use crate::{
    json::Json,
    read::{self, Object},
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
    let kind = body.required("kind", document::KIND, document::kind);
    let merchant_invoice_number = body.required("merchantInvoiceNumber", document::INVOICE_NUMBER, read::line);
    let merchant_order_number = body.required("merchantOrderNumber", document::ORDER_NUMBER, document::order_number);
    let lines = document::lines(body);
    let buyer_tax_id = body.optional("buyer", document::BUYER, document::buyer);
    let government = body.optional("governmentEligibility", document::GOVERNMENT, document::government);
    Some(Correction {
        kind: kind?,
        merchant_invoice_number: merchant_invoice_number?,
        merchant_order_number: merchant_order_number?,
        lines: lines?,
        buyer_tax_id: buyer_tax_id?,
        listed_buyer: None,
        government: government?,
    })
}
