//! Documents that taxpayers exchange: seeds, e-CF, acknowledgements (ARECF) and approvals (ACECF).

use std::ops::Range;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, SecondsFormat, Utc};
use domain::{
    fiscal::{Acknowledgement, CommercialApproval, IncomingDocument, local_time},
    text::{BoundedText, Digits, decode_xml},
};
use ports::{InterchangeFormat, Malformed};
use serde_json::Value;

use crate::{Composer, tree, xml_writer::XmlWriter};

/// Maximum size of a document, which may have a thousand lines.
const LONGEST: usize = 2 * 1024 * 1024;
/// Maximum number of tags of a signed seed, which has about forty. The sender is not authenticated yet.
const SEED_TAGS: usize = 128;
/// Offset of the country in seconds: UTC-4.
const DOMINICAN: i32 = -4 * 3600;

impl InterchangeFormat for Composer {
    fn seed(&self, value: &str, at: DateTime<Utc>) -> Result<String, Malformed> {
        let rule = "a time has a zone";
        let zone = FixedOffset::east_opt(DOMINICAN).ok_or(Malformed { element: "fecha", rule })?;
        let mut xml = XmlWriter::begin();
        xml.group("SemillaModel", |xml| {
            xml.code("valor", value)?;
            xml.code("fecha", &at.with_timezone(&zone).to_rfc3339_opts(SecondsFormat::Millis, false))
        })?;
        Ok(xml.finish())
    }

    fn read_seed(&self, xml: &[u8]) -> Option<String> {
        if xml.iter().filter(|&&byte| byte == b'<').count() > SEED_TAGS {
            return None;
        }
        Some(text(&root(xml, "SemillaModel")?, "valor")?.to_owned())
    }

    fn read_document(&self, xml: &[u8]) -> Option<IncomingDocument> {
        let root = root(xml, "ECF")?;
        let header = root.get("Encabezado")?;
        let (identity, issuer) = (header.get("IdDoc")?, header.get("Emisor")?);
        // Every e-CF has lines and a time of signature.
        root.get("DetallesItems")?.get("Item")?;
        moment(text(&root, "FechaHoraFirma")?)?;
        Some(IncomingDocument {
            ecf_type: text(identity, "TipoeCF")?.parse().ok()?,
            number: number(text(identity, "eNCF")?)?,
            sender: taxpayer(text(issuer, "RNCEmisor")?)?,
            recipient: taxpayer(text(header.get("Comprador")?, "RNCComprador")?)?,
            issue_date: day(text(issuer, "FechaEmision")?)?,
            total_minor_units: amount(text(header.get("Totales")?, "MontoTotal")?)?,
        })
    }

    fn read_approval(&self, xml: &[u8]) -> Option<CommercialApproval> {
        let root = root(xml, "ACECF")?;
        let detail = root.get("DetalleAprobacionComercial")?;
        let reason = match detail.get("DetalleMotivoRechazo") {
            None => None,
            Some(reason) => Some(BoundedText::parse(reason.as_str()?)?),
        };
        (text(detail, "Version")? == "1.0").then_some(())?;
        Some(CommercialApproval {
            issuer: taxpayer(text(detail, "RNCEmisor")?)?,
            number: number(text(detail, "eNCF")?)?,
            issue_date: day(text(detail, "FechaEmision")?)?,
            total_minor_units: amount(text(detail, "MontoTotal")?)?,
            buyer: taxpayer(text(detail, "RNCComprador")?)?,
            is_accepted: match text(detail, "Estado")? {
                "1" => true,
                "2" => false,
                _ => return None,
            },
            reason,
            decided_at: moment(text(detail, "FechaHoraAprobacionComercial")?)?,
        })
    }

    fn acknowledge(&self, acknowledgement: &Acknowledgement) -> Result<String, Malformed> {
        let Acknowledgement { sender, number, recipient, verdict, at } = acknowledgement;
        let mut xml = XmlWriter::begin();
        xml.group("ARECF", |xml| {
            xml.group("DetalleAcusedeRecibo", |xml| {
                xml.code("Version", "1.0")?;
                xml.code("RNCEmisor", sender.as_str())?;
                xml.code("RNCComprador", recipient.as_str())?;
                xml.code("eNCF", number.as_str())?;
                xml.code("Estado", if verdict.is_ok() { "0" } else { "1" })?;
                if let Err(why) = verdict {
                    xml.code("CodigoMotivoNoRecibido", &why.code().to_string())?;
                }
                xml.instant("FechaHoraAcuseRecibo", local_time(*at))
            })
        })?;
        Ok(xml.finish())
    }
}

/// Format of a time.
const TIME: &str = "%d-%m-%Y %H:%M:%S";
/// Years that the schemas allow.
const YEARS: Range<i32> = 1900..2100;

/// Returns the content of the root element, if the root has this name.
fn root(xml: &[u8], name: &str) -> Option<Value> {
    if xml.len() > LONGEST {
        return None;
    }
    let text = decode_xml(xml).ok()?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let rest = after_prolog(text)?.strip_prefix('<')?.strip_prefix(name)?;
    rest.starts_with(|it: char| it == '>' || it.is_ascii_whitespace()).then_some(())?;
    // An element in another namespace is not an e-CF.
    let (attributes, _) = rest.split_once('>')?;
    let has_namespace = attributes.split_ascii_whitespace().any(|it| it.starts_with("xmlns="));
    if has_namespace { None } else { tree::parse(text) }
}

/// Skips declaration, comments and processing instructions before the root element.
fn after_prolog(mut text: &str) -> Option<&str> {
    loop {
        let end = match text {
            _ if text.starts_with("<?") => "?>",
            _ if text.starts_with("<!--") => "-->",
            _ => return Some(text),
        };
        text = text.split_once(end)?.1.trim_start();
    }
}

/// Parses an e-NCF. Our acknowledgement quotes the number and must be valid, too.
fn number(text: &str) -> Option<BoundedText<13, 13>> {
    let digits = text.strip_prefix('E')?;
    digits.bytes().all(|it| it.is_ascii_digit()).then(|| BoundedText::parse(text))?
}

/// Parses an RNC or a cédula.
fn taxpayer(text: &str) -> Option<Digits<9, 11>> {
    matches!(text.len(), 9 | 11).then(|| Digits::parse(text))?
}

fn moment(text: &str) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(text, TIME).ok().filter(|it| YEARS.contains(&it.year()))
}

/// Returns the text of the only child with this name.
fn text<'a>(of: &'a Value, name: &str) -> Option<&'a str> {
    of.get(name)?.as_str().filter(|it| !it.is_empty())
}

/// Parses a date in the format of the schemas.
fn day(text: &str) -> Option<NaiveDate> {
    let date = NaiveDate::parse_from_str(text, "%d-%m-%Y").ok()?;
    let has_year = text.rsplit('-').next().is_some_and(|it| it.len() == 4);
    (has_year && YEARS.contains(&date.year())).then_some(date)
}

/// Parses an amount in pesos, and returns centavos. DGII's own simulator omits the decimals in an approval.
fn amount(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let is_amount = (1..=16).contains(&whole.len()) && (1..=2).contains(&decimals.len());
    (is_amount && are_digits(whole) && are_digits(decimals)).then_some(())?;
    format!("{whole}{decimals:0<2}").parse().ok()
}
