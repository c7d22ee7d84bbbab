//! Reference of a document to the one that it modifies, as far as the document alone shows.

use super::{
    balance_rules::is_late,
    element::{MalformedXml, XmlElement},
    values,
};

/// Type of credit notes.
const CREDIT_NOTE: &str = "34";
/// Code of a correction of text, which changes no amount.
const CORRECTS_TEXT: &str = "2";

/// Checks the reference of a document, and returns whether the document has one.
///
/// # Errors
///
/// The first fault, a sentence.
pub(super) fn check(root: &XmlElement, ecf_type: &str, total: &str) -> Result<bool, String> {
    let Some(reference) = root.child("InformacionReferencia") else { return Ok(false) };
    let is_note = ecf_type == CREDIT_NOTE;
    let number = reference.text_of("NCFModificado").unwrap_or_default();
    ensure(matches!(number.chars().count(), 11 | 13 | 19), "NCFModificado has neither 11, 13 nor 19 characters.")?;

    let code = reference.text_of("CodigoModificacion").unwrap_or_default();
    let codes: &[&str] = if is_note { &["1", "2", "3"] } else { &["1", "2", "3", "4", "5"] };
    let allowed =
        if is_note { "A credit note has a CodigoModificacion of 1 to 3." } else { "CodigoModificacion is 1 to 5." };
    ensure(codes.contains(&code), allowed)?;

    let identity = root.at(&["Encabezado", "IdDoc"]);
    let own = root.at(&["Encabezado", "Emisor"]).and_then(|issuer| issuer.text_of("FechaEmision"));
    let original = reference.text_of("FechaNCFModificado");
    if let Some((original, own)) = original.zip(own) {
        let day = |text| values::day(text).map_err(|MalformedXml(reason)| format!("A date cannot be read: {reason}."));
        let (original, own) = (day(original)?, day(own)?);
        ensure(original <= own, "FechaNCFModificado is after FechaEmision.")?;
        let indicator = identity.and_then(|identity| identity.text_of("IndicadorNotaCredito"));
        let expected = if is_late(original, own) { "1" } else { "0" };
        let rule = "IndicadorNotaCredito is not that of the number of days between the two documents.";
        ensure(!is_note || indicator == Some(expected), rule)?;
    }
    let is_zero = total.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    ensure(
        !is_note || !is_zero || code == CORRECTS_TEXT,
        "A credit note that changes amounts has a MontoTotal above zero.",
    )?;
    Ok(true)
}

fn ensure(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
