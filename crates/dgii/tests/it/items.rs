//! Lines of a document.

use domain::fiscal::{
    DocumentKind::Consumer,
    FiscalLine, ItemKind, MeasurementUnit,
    TaxTreatment::{self, Exempt, Itbis18},
};

use crate::support::{composed, content, inside, line, tipped, values};

fn values_of(lines: Vec<FiscalLine>, element: &str) -> Vec<String> {
    values(&composed(content(Consumer, lines)), element)
}

#[test]
fn a_line_is_written_in_the_order_of_the_schema() {
    let xml = composed(content(Consumer, vec![tipped(line(Itbis18, "1.50", 120_10))]));

    let expected = "<NumeroLinea>1</NumeroLinea><IndicadorFacturacion>1</IndicadorFacturacion>\
                    <NombreItem>Mofongo</NombreItem><IndicadorBienoServicio>1</IndicadorBienoServicio>\
                    <CantidadItem>1.50</CantidadItem><UnidadMedida>43</UnidadMedida>\
                    <PrecioUnitarioItem>120.10</PrecioUnitarioItem><TablaImpuestoAdicional><ImpuestoAdicional>\
                    <TipoImpuesto>001</TipoImpuesto></ImpuestoAdicional></TablaImpuestoAdicional>\
                    <MontoItem>180.15</MontoItem>";
    assert_eq!(inside(&xml, "Item"), expected);
}

#[test]
fn lines_are_numbered_from_one() {
    let numbers = values_of(vec![line(Exempt, "1", 1); 1000], "NumeroLinea");

    assert_eq!(numbers, (1..=1000).map(|it| it.to_string()).collect::<Vec<_>>());
}

#[test]
fn each_treatment_has_its_indicator() {
    let lines = TaxTreatment::ALL.iter().map(|&it| line(it, "1", 1)).collect();

    assert_eq!(values_of(lines, "IndicadorFacturacion"), ["1", "2", "3", "4", "0"]);
}

#[test]
fn units_and_kinds_have_the_codes_of_the_authority() {
    let unit = |&measurement_unit| FiscalLine { measurement_unit, ..line(Exempt, "1", 1) };
    let kind = |&item_kind| FiscalLine { item_kind, ..line(Exempt, "1", 1) };

    let units = values_of(MeasurementUnit::ALL.iter().map(unit).collect(), "UnidadMedida");
    let kinds = values_of(ItemKind::ALL.iter().map(kind).collect(), "IndicadorBienoServicio");

    assert_eq!(units, ["43", "21", "24", "26", "34"]);
    assert_eq!(kinds, ["1", "2"]);
}

#[test]
fn a_quantity_is_written_without_leading_zeros_and_with_its_own_decimals() {
    let spellings = ["2", "2.5", "2.50", "002", "0000000000000002.05", "0.01"];

    let quantities = values_of(spellings.iter().map(|it| line(Exempt, it, 100_00)).collect(), "CantidadItem");

    assert_eq!(quantities, ["2", "2.5", "2.50", "2", "2.05", "0.01"]);
}

#[test]
fn prices_and_line_amounts_have_two_decimals() {
    let lines = vec![line(Exempt, "5.50", 100_33), line(Exempt, "1", 5), line(Exempt, "3", 7_00)];
    let xml = composed(content(Consumer, lines));

    assert_eq!(values(&xml, "PrecioUnitarioItem"), ["100.33", "0.05", "7.00"]);
    assert_eq!(values(&xml, "MontoItem"), ["551.82", "0.05", "21.00"]);
}
