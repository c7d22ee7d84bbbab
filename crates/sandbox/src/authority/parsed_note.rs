//! The reference of a parsed credit note to the document that it modifies.

use chrono::NaiveDate;

use super::{
    element::{MalformedXml, XmlElement},
    values,
};

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
