use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{Annulment, Numbered, local_time},
};
use ports::{DocumentComposer, Malformed};

use crate::{
    annulment, header, items, note, other_currency, rules, summary,
    totals::{self, Detail},
    xml_writer::XmlWriter,
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

        let mut xml = XmlWriter::begin();
        xml.group("ECF", |xml| {
            xml.group("Encabezado", |xml| {
                xml.code("Version", "1.0")?;
                header::document(xml, (content, &stated), numbered)?;
                header::issuer(xml, document, numbered)?;
                header::buyer(xml, content)?;
                totals::write(xml, (content, &stated), Detail::WithRates)?;
                stated.rate.map_or(Ok(()), |rate| other_currency::write(xml, content, rate))
            })?;
            xml.group("DetallesItems", |xml| items::write(xml, content, &stated))?;
            if let Some(note) = &content.note {
                note::write_reference(xml, note)?;
            }
            xml.instant("FechaHoraFirma", local_time(signed_at))
        })?;
        Ok(xml.finish())
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
