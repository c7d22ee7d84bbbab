//! Lines that are refused, and how.

use cobro_domain::{
    InvalidRequest, Refusal, Unprocessable,
    fiscal::{
        Breakdown, MAX_AMOUNT, MAX_LINES, MAX_UNIT_PRICE,
        TaxTreatment::{Exempt, Itbis18, NonBillable},
        check_lines,
    },
};

use crate::breakdown::{line, sold, tipped, total_of_line};

fn line_refused_at(param: &str) -> Refusal {
    Refusal::at(Unprocessable::FiscalLineTotalInvalid, param)
}

#[test]
fn a_document_requires_a_billable_line() {
    let refusal = Refusal::at(InvalidRequest::FiscalLinesRequired, "lines");

    assert_eq!(check_lines(&[]), Err(refusal.clone()));
    assert_eq!(check_lines(&[line(NonBillable, "1", 100)]), Err(refusal));
    assert_eq!(check_lines(&[line(NonBillable, "1", 100), line(Exempt, "1", 100)]), Ok(()));
}

#[test]
fn a_document_has_a_thousand_lines_at_most() {
    let lines = vec![line(Exempt, "1", 100); MAX_LINES + 1];

    assert_eq!(check_lines(&lines[1..]), Ok(()));
    assert_eq!(check_lines(&lines), Err(Refusal::at(InvalidRequest::ParameterInvalid, "lines")));
}

#[test]
fn a_discount_is_not_a_line_of_its_own() {
    let lines = [line(Itbis18, "1", 100_00), line(Itbis18, "1", -10_00)];

    let refusal = check_lines(&lines).unwrap_err();

    assert_eq!(refusal, Refusal::at(InvalidRequest::FiscalLineTotalInvalid, "lines.1.unitPriceMinorUnits"));
    assert_eq!(Breakdown::of(&lines, true), Err(line_refused_at("lines.1")));
}

#[test]
fn a_unit_price_has_a_bound_of_its_own() {
    let check = |price| check_lines(&[line(Exempt, "0.01", price)]);
    let refusal = Refusal::at(InvalidRequest::FiscalLineTotalInvalid, "lines.0.unitPriceMinorUnits");

    assert_eq!(check(MAX_UNIT_PRICE), Ok(()));
    assert_eq!(check(0), Ok(()));
    for price in [MAX_UNIT_PRICE + 1, i64::MAX, -1, i64::MIN] {
        assert_eq!(check(price), Err(refusal.clone()));
    }
}

#[test]
fn a_billable_line_has_a_positive_total() {
    assert_eq!(Breakdown::of(&[line(Itbis18, "1", 0)], true), Err(line_refused_at("lines.0")));
    assert_eq!(Breakdown::of(&[line(Exempt, "0.49", 1)], true), Err(line_refused_at("lines.0")));
    assert_eq!(Breakdown::of(&[line(Exempt, "0.50", 1)], true).unwrap().total_minor_units, 1);
}

#[test]
fn a_line_that_no_field_can_hold_is_refused() {
    let huge = |treatment| line(treatment, "9999999999999999.99", 9_007_199_254_740_991);

    assert_eq!(Breakdown::of(&[huge(Itbis18)], true), Err(line_refused_at("lines.0")));
    assert_eq!(Breakdown::of(&[line(Itbis18, "1", 1), huge(NonBillable)], true), Err(line_refused_at("lines.1")));
    assert_eq!(total_of_line("9999999999999999.99", i64::MAX), None);
    assert_eq!(total_of_line("9999999999999999.99", i64::MIN), None);
}

#[test]
fn the_largest_amount_is_still_held() {
    let largest = || line(Exempt, "9999999999999999.99", 1_00);

    assert_eq!(sold(&[largest()]).total_minor_units, MAX_AMOUNT);
    assert_eq!(Breakdown::of(&[largest(), line(Exempt, "1", 1)], true), Err(line_refused_at("lines")));
    assert_eq!(Breakdown::of(&[line(Itbis18, "9999999999999999.99", 1_00)], true), Err(line_refused_at("lines")));
    assert_eq!(Breakdown::of(&vec![largest(); MAX_LINES], true), Err(line_refused_at("lines")));
}

#[test]
fn amounts_beyond_the_fields_are_refused_before_the_tip() {
    let lines = [tipped(line(NonBillable, "1", 100)), line(Itbis18, "1", 0)];

    assert_eq!(Breakdown::of(&lines, false), Err(line_refused_at("lines.1")));
}
