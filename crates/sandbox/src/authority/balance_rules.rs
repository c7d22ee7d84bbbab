//! Rules about credit notes and the documents that they modify.

use chrono::NaiveDate;

use super::{
    parsed::ParsedDocument,
    refusal::{self, DocumentRefusal, ensure},
};

/// Days after which the issuer can no longer deduct the ITBIS of a note.
pub(crate) const TERM_IN_DAYS: i64 = 30;

/// Facts of the registry about a modified document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OriginalFacts {
    pub(crate) issue_date: NaiveDate,
    /// Tax id of the buyer.
    pub(crate) buyer: Option<String>,
    pub(crate) total: i64,
    /// Sum of the accepted notes.
    pub(crate) credited: i64,
    pub(crate) has_notes: bool,
}

/// Whether a note of the day `note` is later than the term.
pub(crate) fn is_late(original: NaiveDate, note: NaiveDate) -> bool {
    note.signed_duration_since(original).num_days() > TERM_IN_DAYS
}

/// Checks a credit note against the document that it modifies; every other document passes.
pub(crate) fn check(document: &ParsedDocument, original: Option<&OriginalFacts>) -> Result<(), DocumentRefusal> {
    let Some(note) = &document.note else { return Ok(()) };
    let original = original.ok_or(refusal::MODIFIED_UNKNOWN)?;
    ensure(note.modified_date == original.issue_date, refusal::MODIFIED_DATE_DIFFERS)?;

    let total = document.total_minor_units().ok_or(refusal::BEYOND_MEASURE)?;
    let sum = original.credited.checked_add(total).ok_or(refusal::BEYOND_MEASURE)?;
    ensure(sum <= original.total, refusal::BALANCE_EXCEEDED)?;
    ensure(document.buyer.tax_id == original.buyer, refusal::OTHER_BUYER)?;

    let is_right = note.is_late == is_late(original.issue_date, document.issue_date);
    ensure(is_right, refusal::NOTE_INDICATOR)?;
    ensure(note.has_income_type, refusal::INCOME_TYPE_MISSING)?;
    ensure(["1", "2", "3"].contains(&note.code.as_str()), refusal::MODIFICATION_CODE)?;
    let cancels_in_full = total == original.total && !original.has_notes;
    ensure(note.code != "1" || cancels_in_full, refusal::CANCELS_IN_PART)
}
