//! Compares documents byte for byte with examples whose signatures verify.
//!
//! The examples state a municipality and a province, which our issuers do not have; each test names the other
//! differences.

use std::{fs, path::Path};

use chrono::{DateTime, Utc};
use dgii::Composer;
use domain::fiscal::{
    Content,
    DocumentKind::{Consumer, FiscalCredit, Government},
    FiscalLine, ItemKind, MeasurementUnit,
    TaxTreatment::{Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
};
use ports::DocumentComposer;

use crate::support::{at, buyer, content, described, document, line, numbered, tipped};

const MUNICIPALITY: &str = "<Municipio>010101</Municipio><Provincia>010000</Provincia>";

/// Returns the example `name` with replacements; each replaced text must occur.
fn vector(name: &str, differences: &[(&str, &str)]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vectors").join(name);
    let xml = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    differences.iter().fold(xml, |xml, (this, that)| {
        assert!(xml.contains(this), "{name} has no {this}");
        xml.replace(this, that)
    })
}

fn compose(content: Content, signed_at: DateTime<Utc>) -> String {
    let numbered = numbered(content.kind);
    Composer.compose(&document(content), &numbered, signed_at).unwrap()
}

fn service(line: FiscalLine) -> FiscalLine {
    FiscalLine { item_kind: ItemKind::Service, ..line }
}

fn measured(measurement_unit: MeasurementUnit, line: FiscalLine) -> FiscalLine {
    FiscalLine { measurement_unit, ..line }
}

/// A dinner with legal tip, and a deposit that is not billable.
fn dinner() -> Content {
    content(
        Consumer,
        vec![
            service(tipped(described("CENA PARA DOS", line(Itbis18, "1", 1694_91)))),
            described("DEPÓSITO DE ENVASE", line(NonBillable, "2", 25_00)),
        ],
    )
}

#[test]
fn a_fiscal_credit_with_tip_is_that_of_the_vectors() {
    let lines = vec![
        service(tipped(described("ALMUERZO DEL DÍA", line(Itbis18, "2", 450_00)))),
        measured(MeasurementUnit::Kilogram, tipped(described("YOGURT NATURAL", line(Itbis16, "1.50", 120_10)))),
        measured(MeasurementUnit::Litre, tipped(described("AGUA EN BOTELLÓN", line(Exempt, "1", 75_00)))),
        described(r#"CAMISETA "VECTOR" <M>"#, line(Itbis18, "1", 399_99)),
    ];

    let xml = compose(content(FiscalCredit, lines), at(2026, 1, 15, 17, 45, 9));

    assert_eq!(xml, vector("E31_excl_tip.unsigned.xml", &[(MUNICIPALITY, "")]));
}

#[test]
fn a_government_document_is_that_of_the_vectors() {
    let lines = vec![
        service(described("SERVICIO DE ALIMENTACIÓN", line(Itbis18, "10", 350_00))),
        measured(MeasurementUnit::Piece, described("PRODUCTO TASA CERO", line(ZeroRated, "3", 33_33))),
    ];
    let buyer = Some(buyer("401000008", "INSTITUCIÓN PÚBLICA VECTOR"));

    let xml = compose(Content { buyer, ..content(Government, lines) }, at(2026, 1, 15, 19, 0, 0));

    assert_eq!(xml, vector("E45_excl.unsigned.xml", &[(MUNICIPALITY, "")]));
}

/// The example has prices with ITBIS and a paid deposit; our prices exclude ITBIS and the deposit is not charged. The
/// totals are equal.
#[test]
fn a_consumer_document_matches_the_vectors_except_for_known_differences() {
    let differences = [
        (MUNICIPALITY, ""),
        ("<IndicadorMontoGravado>1<", "<IndicadorMontoGravado>0<"),
        ("<MontoPago>2219.48<", "<MontoPago>2169.48<"),
        ("<MontoPeriodo>2219.48</MontoPeriodo>", ""),
        ("<PrecioUnitarioItem>1999.99<", "<PrecioUnitarioItem>1694.91<"),
        ("<MontoItem>1999.99<", "<MontoItem>1694.91<"),
    ];

    let xml = compose(dinner(), at(2026, 1, 15, 18, 0, 0));

    assert_eq!(xml, vector("E32_incl_tip_nonbillable.unsigned.xml", &differences));
}

#[test]
fn a_summary_differs_from_the_vectors_only_in_what_is_charged() {
    let differences = [("<MontoPago>2219.48<", "<MontoPago>2169.48<"), ("<MontoPeriodo>2219.48</MontoPeriodo>", "")];

    let xml = Composer.summarize(&document(dinner()), &numbered(Consumer), "y3n9Gz").unwrap();

    assert_eq!(xml, vector("RFCE32.unsigned.xml", &differences));
}
