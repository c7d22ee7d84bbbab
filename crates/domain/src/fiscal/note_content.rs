//! Facts of a credit note beside the content of any document.

use chrono::NaiveDate;

use super::{Breakdown, Numbered};
use crate::{FiscalDocumentId, RefundId, text::BoundedText};

/// A note can be deducted in full up to this number of days after its original.
///
/// Source: Reglamento 293-11, arts. 8 and 28.
const DEDUCTIBLE_DAYS: i64 = 30;

/// Text of the reason on a credit note (`RazonModificacion`).
pub type NoteText = BoundedText<1, 90>;

spelled! {
    /// How a credit note modifies its document.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Modification {
        /// The note cancels the document.
        Cancels = "cancels",
        /// The note corrects amounts.
        CorrectsAmounts = "corrects_amounts",
    }
}

impl Modification {
    /// Returns the authority's code (`CodigoModificacion`).
    ///
    /// Source: DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, `InformacionReferencia`.
    pub const fn code(self) -> u8 {
        match self {
            Self::Cancels => 1,
            Self::CorrectsAmounts => 3,
        }
    }
}

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
    /// Text of the reason.
    pub reason: NoteText,
    /// For each line, whether the note credits an amount and not a quantity.
    pub by_amount: Vec<bool>,
    /// Sums in pesos; `None` for a sale in pesos.
    pub pesos: Option<Breakdown>,
}

impl NoteContent {
    /// Whether a note of this day is late; `None` until the original is issued.
    pub fn is_late(&self, note: NaiveDate) -> Option<bool> {
        self.modified.as_ref().map(|original| is_late(original.issue_date, note))
    }
}

/// Whether a note of the day `note` is late: more than 30 calendar days younger than its original
/// (`IndicadorNotaCredito`).
pub fn is_late(original: NaiveDate, note: NaiveDate) -> bool {
    note.signed_duration_since(original).num_days() > DEDUCTIBLE_DAYS
}
