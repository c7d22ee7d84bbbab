//! Totals of a document.

use domain::fiscal::{
    DocumentKind::Consumer,
    FiscalLine,
    TaxTreatment::{Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
};

use crate::support::{composed, content, inside, line, summarized, tipped, value, values};

fn totals_of(lines: Vec<FiscalLine>) -> String {
    inside(&composed(content(Consumer, lines)), "Totales").to_owned()
}

#[test]
fn a_rate_is_present_only_if_a_line_has_it() {
    let expected = "<MontoGravadoTotal>100.00</MontoGravadoTotal><MontoGravadoI2>100.00</MontoGravadoI2>\
                    <ITBIS2>16</ITBIS2><TotalITBIS>16.00</TotalITBIS><TotalITBIS2>16.00</TotalITBIS2>\
                    <MontoTotal>116.00</MontoTotal>";

    assert_eq!(totals_of(vec![line(Itbis16, "1", 100_00)]), expected);
}

#[test]
fn a_rate_of_zero_is_a_rate() {
    let expected = "<MontoGravadoTotal>99.99</MontoGravadoTotal><MontoGravadoI3>99.99</MontoGravadoI3>\
                    <ITBIS3>0</ITBIS3><TotalITBIS>0.00</TotalITBIS><TotalITBIS3>0.00</TotalITBIS3>\
                    <MontoTotal>99.99</MontoTotal>";

    assert_eq!(totals_of(vec![line(ZeroRated, "3", 33_33)]), expected);
}

#[test]
fn exempt_lines_have_no_base_and_no_tax() {
    let expected = "<MontoExento>50.00</MontoExento><MontoTotal>50.00</MontoTotal>";

    assert_eq!(totals_of(vec![line(Exempt, "1", 50_00)]), expected);
}

#[test]
fn non_billable_lines_are_stated_and_not_charged() {
    let lines = vec![line(Exempt, "1", 50_00), line(NonBillable, "2", 25_00)];
    let expected = "<MontoExento>50.00</MontoExento><MontoTotal>50.00</MontoTotal>\
                    <MontoNoFacturable>50.00</MontoNoFacturable>";

    assert_eq!(totals_of(lines.clone()), expected);
    assert_eq!(value(&composed(content(Consumer, lines)), "MontoPago"), "50.00");
}

#[test]
fn a_gift_is_a_non_billable_line() {
    let totals = totals_of(vec![line(Exempt, "1", 50_00), line(NonBillable, "1", 0)]);

    assert_eq!(value(&totals, "MontoNoFacturable"), "0.00");
}

#[test]
fn the_legal_tip_is_an_additional_tax_on_the_lines_that_carry_it() {
    let lines = vec![tipped(line(Itbis18, "1", 1000_00)), line(Exempt, "1", 200_00)];
    let expected = "<MontoGravadoTotal>1000.00</MontoGravadoTotal><MontoGravadoI1>1000.00</MontoGravadoI1>\
                    <MontoExento>200.00</MontoExento><ITBIS1>18</ITBIS1><TotalITBIS>180.00</TotalITBIS>\
                    <TotalITBIS1>180.00</TotalITBIS1><MontoImpuestoAdicional>100.00</MontoImpuestoAdicional>\
                    <ImpuestosAdicionales><ImpuestoAdicional><TipoImpuesto>001</TipoImpuesto>\
                    <TasaImpuestoAdicional>10</TasaImpuestoAdicional>\
                    <OtrosImpuestosAdicionales>100.00</OtrosImpuestosAdicionales></ImpuestoAdicional>\
                    </ImpuestosAdicionales><MontoTotal>1480.00</MontoTotal>";

    let xml = composed(content(Consumer, lines));

    assert_eq!(inside(&xml, "Totales"), expected);
    assert_eq!(values(inside(&xml, "DetallesItems"), "TipoImpuesto"), ["001"]);
}

#[test]
fn a_tip_that_rounds_to_zero_is_omitted() {
    let xml = composed(content(Consumer, vec![tipped(line(Exempt, "1", 4))]));

    assert_eq!(value(&xml, "MontoTotal"), "0.04");
    assert_eq!(values(&xml, "TipoImpuesto"), Vec::<String>::new());
    assert_eq!(values(&xml, "MontoImpuestoAdicional"), Vec::<String>::new());
}

#[test]
fn a_summary_states_the_same_amounts_without_rates() {
    let lines = || vec![tipped(line(Itbis18, "1", 1694_91)), line(ZeroRated, "1", 50), line(NonBillable, "2", 25_00)];
    let full = totals_of(lines());

    let summary = summarized(content(Consumer, lines()));

    let without_rates = full
        .replace("<ITBIS1>18</ITBIS1><ITBIS3>0</ITBIS3>", "")
        .replace("<TasaImpuestoAdicional>10</TasaImpuestoAdicional>", "");
    assert_eq!(inside(&summary, "Totales"), without_rates);
}

#[test]
fn an_amount_of_a_summary_is_never_short_of_a_decimal() {
    let summary = summarized(content(Consumer, vec![line(Exempt, "1", 1770_50)]));

    assert_eq!(value(&summary, "MontoTotal"), "1770.50");
    assert_eq!(value(&summary, "MontoPago"), "1770.50");
}
