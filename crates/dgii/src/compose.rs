use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{Annulment, Numbered, local_time},
};
use ports::{DocumentComposer, Malformed};

use crate::{
    annulment, foreign, header, items, rules,
    sheet::Sheet,
    summary,
    totals::{self, Detail},
};

/// Writes documents in the formats of DGII.
#[derive(Clone, Copy, Debug, Default)]
pub struct Composer;

impl DocumentComposer for Composer {
    fn compose(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        signed_at: DateTime<Utc>,
    ) -> Result<String, Malformed> {
        let stated = rules::check(document, numbered)?;
        let content = document.content();

        let mut sheet = Sheet::begin();
        sheet.group("ECF", |sheet| {
            sheet.group("Encabezado", |sheet| {
                sheet.code("Version", "1.0")?;
                header::document(sheet, (content, &stated), numbered)?;
                header::issuer(sheet, document, numbered)?;
                header::buyer(sheet, content)?;
                totals::write(sheet, (content, &stated), Detail::WithRates)?;
                stated.rate.map_or(Ok(()), |rate| foreign::write(sheet, content, rate))
            })?;
            sheet.group("DetallesItems", |sheet| items::write(sheet, content, &stated))?;
            sheet.instant("FechaHoraFirma", local_time(signed_at))
        })?;
        Ok(sheet.finish())
    }

    fn summarize(
        &self,
        document: &FiscalDocument,
        numbered: &Numbered,
        security_code: &str,
    ) -> Result<String, Malformed> {
        let stated = rules::check(document, numbered)?;
        rules::check_summary(document, security_code)?;
        summary::write((document, &stated), numbered, security_code)
    }

    fn annul(&self, annulment: &Annulment) -> Result<String, Malformed> {
        annulment::write(annulment)
    }
}
