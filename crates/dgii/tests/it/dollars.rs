//! Sales in dollars: amounts in pesos, and the charged amounts in addition.

use chrono::NaiveDate;
use dgii::Composer;
use domain::{
    Currency, FiscalDocument,
    fiscal::{
        Content, DocumentFacts,
        DocumentKind::{self, Consumer, FiscalCredit},
        EmailDelivery, ExchangeRate,
        TaxTreatment::{Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
    },
};
use ports::DocumentComposer;

use crate::support::{content, facts, inside, line, noon, numbered, text, tipped, value, values};

pub(crate) fn rate(ratio: &str) -> ExchangeRate {
    let day = NaiveDate::from_ymd_opt(2026, 1, 15).unwrap();
    ExchangeRate::new(Currency::Usd, ExchangeRate::read_ratio(ratio).unwrap(), day, text("Banco Central"), day).unwrap()
}

pub(crate) fn in_dollars(content: Content, ratio: &str) -> FiscalDocument {
    let facts = DocumentFacts { currency: Currency::Usd, rate: Some(rate(ratio)), ..facts() };
    FiscalDocument::request(facts, content, EmailDelivery::requested(None))
}

pub(crate) fn composed(content: Content, ratio: &str) -> String {
    let kind = content.kind;
    Composer.compose(&in_dollars(content, ratio), &numbered(kind), noon()).unwrap()
}

pub(crate) fn every_treatment(kind: DocumentKind) -> Content {
    let lines = vec![
        tipped(line(Itbis18, "2", 450_00)),
        tipped(line(Itbis16, "1.50", 120_11)),
        line(ZeroRated, "3", 33_33),
        tipped(line(Exempt, "5.5", 100_33)),
        line(NonBillable, "2", 25_00),
    ];
    content(kind, lines)
}

#[test]
fn a_sale_in_dollars_has_amounts_in_pesos_and_in_dollars() {
    let xml = composed(every_treatment(FiscalCredit), "58.1234");

    let totals = inside(&xml, "Totales");
    assert_eq!(value(totals, "MontoGravadoI1"), "52311.06"); // 900.00
    assert_eq!(value(totals, "TotalITBIS1"), "9415.99");
    assert_eq!(value(totals, "MontoGravadoI2"), "10472.09"); // 180.17, of 180.165
    assert_eq!(value(totals, "MontoExento"), "32073.65"); // 551.82
    assert_eq!(value(&xml, "MontoPago"), value(totals, "MontoTotal"));

    let other = inside(&xml, "OtraMoneda");
    assert_eq!((value(other, "TipoMoneda"), value(other, "TipoCambio")), ("USD".to_owned(), "58.1234".to_owned()));
    assert_eq!(value(other, "MontoGravadoTotalOtraMoneda"), "1180.16");
    assert_eq!(value(other, "MontoGravado1OtraMoneda"), "900.00");
    assert_eq!(value(other, "TotalITBIS1OtraMoneda"), "162.00");
    assert_eq!(value(other, "MontoExentoOtraMoneda"), "551.82");
    assert_eq!(value(other, "OtrosImpuestosAdicionalesOtraMoneda"), "163.20");
    assert_eq!(value(other, "MontoTotalOtraMoneda"), "2086.01");
}

#[test]
fn a_line_has_its_price_in_four_decimals_and_the_charged_amount() {
    let xml = composed(content(Consumer, vec![line(Itbis18, "1.5", 120_11)]), "58.1234");

    assert_eq!(value(&xml, "PrecioUnitarioItem"), "6981.2016"); // 6,981.201574
    assert_eq!(value(&xml, "PrecioOtraMoneda"), "120.11");
    assert_eq!(value(&xml, "MontoItemOtraMoneda"), "180.17");
    assert_eq!(value(&xml, "MontoItem"), "10472.09");
}

#[test]
fn a_sale_in_pesos_has_no_other_currency() {
    let xml = crate::support::composed(every_treatment(Consumer));

    assert!(!xml.contains("OtraMoneda"), "{xml}");
}

/// A summary has no elements for another currency.
#[test]
fn a_summary_has_amounts_in_pesos_only() {
    let document = in_dollars(content(Consumer, vec![tipped(line(Itbis18, "1", 100_00))]), "58.0000");

    let xml = Composer.summarize(&document, &numbered(Consumer), "y3n9Gz").unwrap();

    assert_eq!(values(&xml, "MontoTotal"), ["7424.00"]);
    assert!(!xml.contains("OtraMoneda"), "{xml}");
}
