//! The summary (RFCE) that stands for a small consumer document at the authority.

use domain::{
    FiscalDocument,
    fiscal::{Numbered, PesoAmounts},
};
use ports::Malformed;

use crate::{
    header,
    sheet::Sheet,
    text::LEGAL_NAME,
    totals::{self, Detail},
};

pub(crate) fn write(
    (document, stated): (&FiscalDocument, &PesoAmounts<'_>),
    numbered: &Numbered,
    security_code: &str,
) -> Result<String, Malformed> {
    let content = document.content();
    let issuer = &document.facts.issuer;

    let mut sheet = Sheet::begin();
    sheet.group("RFCE", |sheet| {
        sheet.group("Encabezado", |sheet| {
            sheet.code("Version", "1.0")?;
            sheet.group("IdDoc", |sheet| {
                header::name(sheet, content.kind, numbered)?;
                header::payment(sheet, stated)
            })?;
            sheet.group("Emisor", |sheet| {
                sheet.code("RNCEmisor", issuer.rnc.as_str())?;
                sheet.cut_text("RazonSocialEmisor", issuer.legal_name.as_str(), LEGAL_NAME)?;
                sheet.date("FechaEmision", numbered.issue_date)
            })?;
            sheet.group("Comprador", |sheet| header::buyer_name(sheet, content))?;
            totals::write(sheet, (content, stated), Detail::WithoutRates)?;
            sheet.code("CodigoSeguridadeCF", security_code)
        })
    })?;
    Ok(sheet.finish())
}
