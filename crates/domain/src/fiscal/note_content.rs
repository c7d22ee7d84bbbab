//! Facts of a credit note beside the content of any document.

use chrono::NaiveDate;

use super::{Breakdown, Numbered};
use crate::{
    FiscalDocumentId, RefundId,
    refund::{Modification, is_after_thirty_days},
    text::BoundedText,
};

/// Facts of a credit note beside the content of any document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteContent {
    /// The refund.
    pub refund: RefundId,
    /// The modified document.
    pub original: FiscalDocumentId,
    /// Number and day of issue of the accepted original (`NCFModificado`, `FechaNCFModificado`); `None` until the
    /// original is issued.
    pub modified: Option<Numbered>,
    /// How the note modifies the original (`CodigoModificacion`).
    pub modification: Modification,
    /// Text of the reason (`RazonModificacion`).
    pub reason: BoundedText<1, 90>,
    /// For each line, whether the note credits an amount and not a quantity.
    pub by_amount: Vec<bool>,
    /// Sums in pesos; `None` for a sale in pesos.
    pub pesos: Option<Breakdown>,
}

impl NoteContent {
    /// Whether a note of this day is more than 30 calendar days younger than its original (`IndicadorNotaCredito`);
    /// `None` until the original is issued.
    pub fn is_after_thirty_days(&self, note: NaiveDate) -> Option<bool> {
        self.modified.as_ref().map(|original| is_after_thirty_days(original.issue_date, note))
    }
}
