use domain::{FiscalDocument, FiscalDocumentId, RefundId, refund::Modification};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Coded, Date, Id};

/// Document that a credit note modifies.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Modifies<'a> {
    /// Identifier of the modified document.
    fiscal_document_id: Id<'a, FiscalDocumentId>,
    /// Refund that the credit note belongs to.
    refund_id: Id<'a, RefundId>,
    /// e-NCF of the modified document. `null` until the authority has accepted that document.
    #[schemars(regex(pattern = "^E[0-9]{12}$"))]
    fiscal_number: Option<&'a str>,
    /// Day of issue of the modified document. `null` until the authority has accepted that document.
    issue_date: Option<Date>,
    /// `cancels`: the whole document, by its only credit note. `corrects_amounts`: any other.
    modification: Coded<Modification>,
    /// Whether the credit note is more than 30 days younger than the modified document, so that the issuer cannot deduct the
    /// ITBIS: as of the last change, and final once the credit note has a number.
    is_after_thirty_days: bool,
}

impl<'a> Modifies<'a> {
    /// Returns the modified document of a credit note; `None` for every other kind.
    pub(super) fn of(document: &'a FiscalDocument) -> Option<Self> {
        let note = document.content().note.as_deref()?;
        Some(Self {
            fiscal_document_id: (&note.original).into(),
            refund_id: (&note.refund).into(),
            fiscal_number: note.modified.as_ref().map(|original| original.number.as_str()),
            issue_date: note.modified.as_ref().map(|original| original.issue_date.into()),
            modification: note.modification.into(),
            is_after_thirty_days: document.is_late(),
        })
    }
}
