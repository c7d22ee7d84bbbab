//! Content of the document of a credit note.

use super::{CreditNote, LineCredit};
use crate::{
    FiscalDocument, RefundId,
    fiscal::{
        Content, DocumentKind, DocumentStatus, FiscalLine, MeasurementUnit, Modification, NoteContent, NoteText,
        Quantity,
    },
};

/// Reason of a credit note: refund, and text for the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteReason {
    /// The refund.
    pub refund: RefundId,
    /// How the note modifies the original.
    pub modification: Modification,
    /// Text of the reason.
    pub text: NoteText,
}

impl CreditNote {
    /// Returns the content of the note's document: buyer and own numbers of the original, and the credited lines. `None`
    /// if a line is not of the original, or if a credited amount fits no price.
    pub fn content(&self, original: &FiscalDocument, reason: NoteReason) -> Option<Content> {
        let before = original.content();
        let quantities = self.stated_quantities(&before.lines, original.facts.rate.as_ref());
        let stated = self.lines.iter().zip(&quantities);
        let lines: Option<Vec<_>> = stated
            .map(|(credit, quantity)| Some(credited(before.lines.get(credit.index())?, credit, quantity.as_ref())))
            .collect();
        let is_issued = original.status() == DocumentStatus::Issued;
        let note = NoteContent {
            refund: reason.refund,
            original: original.facts.id.clone(),
            modified: original.stage().numbered().filter(|_| is_issued).cloned(),
            modification: reason.modification,
            reason: reason.text,
            by_amount: quantities.iter().map(Option::is_none).collect(),
            pesos: self.pesos.clone(),
        };
        Some(Content {
            kind: DocumentKind::CreditNote,
            merchant_invoice_number: before.merchant_invoice_number.clone(),
            merchant_order_number: before.merchant_order_number.clone(),
            buyer: before.buyer.clone(),
            government: None,
            lines: lines?,
            breakdown: self.breakdown.clone(),
            note: Some(Box::new(note)),
        })
    }
}

/// Returns the line of a note. An amount is one unit at that price.
fn credited(line: &FiscalLine, credit: &LineCredit, quantity: Option<&Quantity>) -> FiscalLine {
    let line = FiscalLine { group: None, ..line.clone() };
    match quantity {
        Some(quantity) => FiscalLine { quantity: quantity.clone(), ..line },
        None => FiscalLine {
            quantity: Quantity::one(),
            measurement_unit: MeasurementUnit::Unit,
            unit_price_minor_units: credit.net_minor_units,
            ..line
        },
    }
}
