//! `POST /fiscal_documents/{fiscalDocumentId}/corrections`.

use domain::{
    Refusal,
    fiscal::{DocumentKind, FiscalLine, GovernmentEligibility},
    text::{Digits, Line},
};

use super::document;
use crate::{json::Json, read};

/// What a rejected document is to say instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct FiscalDocumentCorrection {
    pub kind: DocumentKind,
    pub merchant_invoice_number: Line<1, 20>,
    pub merchant_order_number: Digits<1, 20>,
    pub lines: Vec<FiscalLine>,
    /// As sent; its digits are checked when the correction is made.
    pub buyer_tax_id: Option<Line<1, 64>>,
    pub government: Option<GovernmentEligibility>,
}

/// The correction in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<FiscalDocumentCorrection, Refusal> {
    read::request(body, |it| {
        let kind = it.required("kind", document::kind);
        let merchant_invoice_number = it.required("merchantInvoiceNumber", read::line);
        let merchant_order_number = it.required("merchantOrderNumber", document::order_number);
        let lines = document::lines(it);
        let buyer_tax_id = it.optional("buyer", document::buyer);
        let government = it.optional("governmentEligibility", document::government);
        Some(FiscalDocumentCorrection {
            kind: kind?,
            merchant_invoice_number: merchant_invoice_number?,
            merchant_order_number: merchant_order_number?,
            lines: lines?,
            buyer_tax_id: buyer_tax_id?,
            government: government?,
        })
    })
}
