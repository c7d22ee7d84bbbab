//! Sample documents, and a parser for written ones.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chrono::{DateTime, NaiveDate, TimeZone, Utc};
use dgii::Composer;
use domain::{
    Currency, FiscalDocument, FiscalDocumentId, MerchantId, Mode, PaymentId, Symbols,
    fiscal::{
        Breakdown, Buyer, Content, DocumentFacts, DocumentKind, EmailDelivery, Environment, FiscalLine, FiscalNumber,
        IssuanceMode, Issuer, ItemKind, MeasurementUnit, Numbered, Quantity, TaxId, TaxTreatment,
    },
    text::{BoundedText, Digits},
};
use ports::DocumentComposer;
use quick_xml::escape::unescape;

pub(crate) const COMPANY: &str = "101000007";

pub(crate) fn text<const MIN: usize, const MAX: usize>(text: &str) -> BoundedText<MIN, MAX> {
    BoundedText::parse(text).unwrap()
}

/// A line without tip.
pub(crate) fn line(tax_treatment: TaxTreatment, quantity: &str, unit_price_minor_units: i64) -> FiscalLine {
    FiscalLine {
        source_line_id: text("1"),
        description: text("Mofongo"),
        quantity: Quantity::parse(quantity).unwrap(),
        measurement_unit: MeasurementUnit::Unit,
        unit_price_minor_units,
        item_kind: ItemKind::Good,
        tax_treatment,
        is_legal_tip_applicable: false,
        group: None,
    }
}

pub(crate) fn tipped(line: FiscalLine) -> FiscalLine {
    FiscalLine { is_legal_tip_applicable: true, ..line }
}

pub(crate) fn described(description: &str, line: FiscalLine) -> FiscalLine {
    FiscalLine { description: text(description), ..line }
}

pub(crate) fn buyer(tax_id: &str, legal_name: &str) -> Buyer {
    Buyer { legal_name: Some(legal_name.to_owned()), ..Buyer::new(TaxId::parse(tax_id).unwrap()) }
}

/// Returns the content of a document with these lines; for a company, unless the document is a consumer's.
pub(crate) fn content(kind: DocumentKind, lines: Vec<FiscalLine>) -> Content {
    Content {
        kind,
        merchant_invoice_number: text("INV-0001"),
        merchant_order_number: Digits::parse("1001").unwrap(),
        buyer: (kind != DocumentKind::Consumer).then(|| buyer(COMPANY, "COMPRADOR VECTOR, SRL")),
        government: None,
        breakdown: Breakdown::of(&lines, true).unwrap(),
        lines,
        note: None,
    }
}

pub(crate) fn facts() -> DocumentFacts {
    let symbols = Symbols::spell(&[7; 16]).unwrap();
    DocumentFacts {
        id: FiscalDocumentId::new(&symbols),
        payment: PaymentId::new(&symbols),
        merchant: MerchantId::new(&symbols),
        mode: Mode::Test,
        environment: Environment::PreCertification,
        issuer: Issuer {
            rnc: TaxId::parse("130000001").unwrap(),
            legal_name: text("RESTAURANTE VECTOR, SRL"),
            trade_name: text("VECTOR & CÍA"),
            address: "CALLE DE PRUEBA #1".to_owned(),
        },
        issuance_mode: IssuanceMode::Deferred,
        currency: Currency::Dop,
        rate: None,
        allowed_kinds: None,
        is_kind_locked: false,
        is_buyer_locked: false,
        created_at: noon(),
    }
}

pub(crate) fn document(content: Content) -> FiscalDocument {
    FiscalDocument::request(facts(), content, EmailDelivery::requested(None))
}

/// The first number of a range that expires at the end of 2027, assigned on 15 January 2026.
pub(crate) fn numbered(kind: DocumentKind) -> Numbered {
    Numbered {
        number: FiscalNumber::new(kind, 1).unwrap(),
        valid_until: NaiveDate::from_ymd_opt(2027, 12, 31),
        issue_date: NaiveDate::from_ymd_opt(2026, 1, 15).unwrap(),
    }
}

/// Noon of 15 January 2026 in Santo Domingo.
pub(crate) fn noon() -> DateTime<Utc> {
    at(2026, 1, 15, 16, 0, 0)
}

pub(crate) fn at(year: i32, month: u32, day: u32, hour: u32, minute: u32, second: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(year, month, day, hour, minute, second).unwrap()
}

pub(crate) fn composed(content: Content) -> String {
    let kind = content.kind;
    Composer.compose(&document(content), &numbered(kind), noon()).unwrap()
}

pub(crate) fn summarized(content: Content) -> String {
    let kind = content.kind;
    Composer.summarize(&document(content), &numbered(kind), "y3n9Gz").unwrap()
}

/// Returns the unescaped text of each element with this name.
pub(crate) fn values(xml: &str, element: &str) -> Vec<String> {
    let (start, end) = (format!("<{element}>"), format!("</{element}>"));
    let inner = xml.split(&start).skip(1).map(|it| it.split_once(&end).unwrap().0);
    inner.map(|it| unescape(it).unwrap().into_owned()).collect()
}

/// Returns the text of the only element with this name.
pub(crate) fn value(xml: &str, element: &str) -> String {
    let mut values = values(xml, element);
    assert_eq!(values.len(), 1, "{element} in {xml}");
    values.remove(0)
}

/// Returns the content of the only element with this name.
pub(crate) fn inside<'a>(xml: &'a str, element: &str) -> &'a str {
    let (_, rest) = xml.split_once(&format!("<{element}>")).unwrap();
    rest.split_once(&format!("</{element}>")).unwrap().0
}

/// Writes a schema into a folder.
pub(crate) fn schema_in(folder: &Path, file: &str) -> PathBuf {
    let path = folder.join("schema.xsd");
    fs::write(&path, ecf_schemas::xsd(file).unwrap()).unwrap();
    path
}
