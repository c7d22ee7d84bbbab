//! Summary (RFCE) of a small consumer document.

use domain::{
    FiscalDocument,
    fiscal::{Numbered, PesoAmounts},
};
use ports::Malformed;

use crate::{
    header,
    text::LEGAL_NAME,
    totals::{self, Detail},
    xml_writer::XmlWriter,
};

pub(crate) fn write(
    (document, stated): (&FiscalDocument, &PesoAmounts<'_>),
    numbered: &Numbered,
    security_code: &str,
) -> Result<String, Malformed> {
    let content = document.content();
    let issuer = &document.facts.issuer;

    let mut xml = XmlWriter::begin();
    xml.group("RFCE", |xml| {
        xml.group("Encabezado", |xml| {
            xml.code("Version", "1.0")?;
            xml.group("IdDoc", |xml| {
                header::name(xml, content.kind, numbered)?;
                header::payment(xml, stated)
            })?;
            xml.group("Emisor", |xml| {
                xml.code("RNCEmisor", issuer.rnc.as_str())?;
                xml.cut_text("RazonSocialEmisor", issuer.legal_name.as_str(), LEGAL_NAME)?;
                xml.date("FechaEmision", numbered.issue_date)
            })?;
            xml.group("Comprador", |xml| header::buyer_name(xml, content))?;
            totals::write(xml, (content, stated), Detail::WithoutRates)?;
            xml.code("CodigoSeguridadeCF", security_code)
        })
    })?;
    Ok(xml.finish())
}
