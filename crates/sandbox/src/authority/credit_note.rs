//! Rules about credit notes and the documents that they modify.

use chrono::NaiveDate;

use super::{
    element::{MalformedXml, XmlElement},
    parsed::ParsedDocument,
    refusal::{self, DocumentRefusal, ensure},
    values,
};

/// Days after which the issuer can no longer deduct the ITBIS of a note.
pub(crate) const TERM_IN_DAYS: i64 = 30;

/// Reference of a credit note.
#[derive(Debug)]
pub(crate) struct ParsedNote {
    /// Number of the modified document.
    pub(crate) modified: String,
    /// Stated day of issue of the modified document.
    pub(crate) modified_date: NaiveDate,
    /// Code of the modification.
    pub(crate) code: String,
    /// Whether the note states that it is later than the term.
    pub(crate) is_late: bool,
    /// Whether the note states the kind of income.
    pub(crate) has_income_type: bool,
}

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

impl ParsedNote {
    /// Parses the reference of a document of type 34.
    pub(crate) fn read(root: &XmlElement, identity: &XmlElement) -> Result<Self, MalformedXml> {
        let reference = root.required("InformacionReferencia")?;
        Ok(Self {
            modified: reference.required_text("NCFModificado")?.to_owned(),
            modified_date: values::day(reference.required_text("FechaNCFModificado")?)?,
            code: reference.required_text("CodigoModificacion")?.to_owned(),
            is_late: match identity.required_text("IndicadorNotaCredito")? {
                "0" => false,
                "1" => true,
                _ => return Err(MalformedXml("whether a credit note is late is 0 or 1")),
            },
            has_income_type: identity.child("TipoIngresos").is_some(),
        })
    }
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
