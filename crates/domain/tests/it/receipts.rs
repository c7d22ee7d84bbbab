//! Every receipt with known sums, to the centavo.

use std::{collections::BTreeSet, fs};

use cobro_domain::fiscal::{Breakdown, FiscalLine, ServiceCharge, TaxTreatment, TaxableBase};
use serde_json::Value;

use crate::breakdown::line;

const RECEIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/receipts.json");

#[test]
fn every_known_receipt_comes_out_to_the_centavo() {
    let receipts = receipts();

    for receipt in &receipts {
        let id = text(receipt, "id");
        let lines: Vec<FiscalLine> = list(receipt, "lines").iter().map(read_line).collect();

        let breakdown = Breakdown::of(&lines, true).unwrap();

        assert_eq!(breakdown, read_breakdown(receipt, &lines), "{id}");
    }

    let ids: BTreeSet<&str> = receipts.iter().map(|it| text(it, "id")).collect();
    assert_eq!((ids.len(), receipts.len()), (23, 23));
}

fn receipts() -> Vec<Value> {
    let fixture = fs::read_to_string(RECEIPTS).unwrap();
    let fixture: Value = serde_json::from_str(&fixture).unwrap();
    list(&fixture, "cases").clone()
}

fn read_line(value: &Value) -> FiscalLine {
    FiscalLine {
        is_legal_tip_applicable: value["isLegalTipApplicable"].as_bool().unwrap(),
        ..line(treatment(value), text(value, "quantity"), units(value, "unitPriceMinorUnits"))
    }
}

fn read_breakdown(receipt: &Value, lines: &[FiscalLine]) -> Breakdown {
    let expected = &receipt["expected"];
    let line_totals: Vec<i64> = list(expected, "lineTotalsMinorUnits").iter().map(|it| it.as_i64().unwrap()).collect();
    let tipped = lines.iter().zip(&line_totals).filter(|(line, _)| line.is_legal_tip_applicable);
    Breakdown {
        taxable_bases: list(expected, "taxableBases").iter().map(read_base).collect(),
        exempt_minor_units: units(expected, "exemptMinorUnits"),
        service_charges: list(expected, "serviceCharges").iter().map(read_charge).collect(),
        taxes_minor_units: units(expected, "taxesMinorUnits"),
        total_minor_units: units(expected, "totalMinorUnits"),
        non_billable_minor_units: units(receipt, "nonBillableMinorUnits"),
        tip_base_minor_units: tipped.map(|(_, total)| total).sum(),
        groups: None,
        line_totals,
    }
}

fn read_base(value: &Value) -> TaxableBase {
    TaxableBase {
        tax_treatment: treatment(value),
        base_minor_units: units(value, "baseMinorUnits"),
        tax_minor_units: units(value, "taxMinorUnits"),
    }
}

fn read_charge(value: &Value) -> ServiceCharge {
    assert_eq!(text(value, "kind"), "propina_legal");
    ServiceCharge { minor_units: units(value, "minorUnits") }
}

fn treatment(value: &Value) -> TaxTreatment {
    TaxTreatment::from_code(text(value, "taxTreatment")).unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn units(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap()
}
