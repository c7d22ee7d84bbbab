//! `POST /fiscal_documents/{fiscalDocumentId}/corrections`.

use domain::{Refusal, sale::Correction};

use super::document;
use crate::{json::Json, read};

/// The correction in `body`: it says everything anew.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<Correction, Refusal> {
    read::request(body, |it| {
        let kind = it.required("kind", document::kind);
        let merchant_invoice_number = it.required("merchantInvoiceNumber", read::line);
        let merchant_order_number = it.required("merchantOrderNumber", document::order_number);
        let lines = document::lines(it);
        let buyer_tax_id = it.optional("buyer", document::buyer);
        let government = it.optional("governmentEligibility", document::government);
        Some(Correction {
            kind: kind?,
            merchant_invoice_number: merchant_invoice_number?,
            merchant_order_number: merchant_order_number?,
            lines: lines?,
            buyer_tax_id: buyer_tax_id?,
            listed_buyer: None,
            government: government?,
        })
    })
}
