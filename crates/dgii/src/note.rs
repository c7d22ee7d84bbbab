//! Elements of credit notes.

use domain::fiscal::{NoteContent, Numbered};
use ports::Malformed;

use crate::xml_writer::{WriteResult, XmlWriter};

/// Maximum length of the reason (`RazonModificacion`).
const MAX_REASON: usize = 90;

/// Writes whether the note is more than 30 days younger than its original.
pub(crate) fn write_indicator(xml: &mut XmlWriter, note: &NoteContent, numbered: &Numbered) -> WriteResult {
    const ELEMENT: &str = "IndicadorNotaCredito";
    let is_late = note.is_late(numbered.issue_date).ok_or_else(|| not_issued(ELEMENT))?;
    xml.number(ELEMENT, u8::from(is_late))
}

/// Writes the modified document, and how and why the note modifies it.
pub(crate) fn write_reference(xml: &mut XmlWriter, note: &NoteContent) -> WriteResult {
    let modified = note.modified.as_ref().ok_or_else(|| not_issued("NCFModificado"))?;
    xml.group("InformacionReferencia", |xml| {
        xml.code("NCFModificado", modified.number.as_str())?;
        xml.date("FechaNCFModificado", modified.issue_date)?;
        xml.number("CodigoModificacion", note.modification.code())?;
        xml.text("RazonModificacion", note.reason.as_str(), MAX_REASON)
    })
}

/// Returns the error of a note whose original has no accepted number.
const fn not_issued(element: &'static str) -> Malformed {
    Malformed { element, rule: "a credit note modifies an issued document" }
}
