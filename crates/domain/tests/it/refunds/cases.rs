//! Every refund with known figures, to the centavo.

use std::fs;

use cobro_domain::{
    Currency,
    fiscal::{Breakdown, ExchangeRate, FiscalLine, Quantity, TaxTreatment},
    refund::{
        CreditNote, LineKey, LinePart, LineSelection, PartAmount, RefundDraft, RefundEnd, RefundSelection,
        RefundSettlement, ReturnedMoney,
    },
    text::BoundedText,
};
use serde_json::{Value, json};

use super::world::{World, rate, request};
use crate::breakdown::line;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/refunds.json");

#[test]
fn every_known_refund_comes_out_to_the_centavo() {
    let cases: Value = serde_json::from_str(&fs::read_to_string(CASES).unwrap()).unwrap();
    let cases = cases["cases"].as_array().unwrap();

    for case in cases {
        let id = case["id"].as_str().unwrap();
        let mut world = sale(&case["sale"]);
        assert_eq!(totals(&world), case["saleTotals"], "{id}: the sale");
        for (number, step) in (1..).zip(case["steps"].as_array().unwrap()) {
            let got = act(&mut world, step);
            let expected = json!({ "error": step["error"], "expected": step["expected"] });
            assert_eq!(got, expected, "{id}: step {number}");
        }
    }

    assert_eq!(cases.len(), 40);
}

fn sale(sale: &Value) -> World {
    let rate = sale["exchangeRate"].as_str().map(|text| rate(ExchangeRate::read_ratio(text).unwrap()));
    assert_eq!(sale["currency"], if rate.is_some() { Currency::Usd.code() } else { Currency::Dop.code() });
    let lines = sale["lines"].as_array().unwrap().iter().map(read_line).collect();
    let parts: Vec<i64> = sale["parts"].as_array().into_iter().flatten().map(|part| part.as_i64().unwrap()).collect();
    World::new(lines, rate, sale["voluntaryTip"].as_i64().unwrap_or(0), &parts)
}

fn totals(world: &World) -> Value {
    let mut totals = sums(&world.original);
    if let Some(rate) = &world.rate {
        totals["pesos"] = sums(&world.original.in_pesos(&world.lines, rate).unwrap());
    }
    totals
}

fn read_line(value: &Value) -> FiscalLine {
    let treatment = TaxTreatment::from_code(value["taxTreatment"].as_str().unwrap()).unwrap();
    let quantity = value["quantity"].as_str().unwrap();
    FiscalLine {
        source_line_id: source_line_id(value),
        is_legal_tip_applicable: value["isLegalTipApplicable"].as_bool().unwrap_or(false),
        ..line(treatment, quantity, value["unitPriceMinorUnits"].as_i64().unwrap())
    }
}

/// Executes one step, and returns its result in the words of the file.
fn act(world: &mut World, step: &Value) -> Value {
    let request = read_request(world, &step["request"]);
    let failing: Vec<u8> = step["failingOrdinals"].as_array().into_iter().flatten().map(ordinal).collect();
    let retried = step["request"]["retriedRefundId"].as_str();
    let retried = retried.map(|id| id.strip_prefix("refund_").unwrap().parse::<usize>().unwrap() - 1);
    let before = world.clone();
    match world.refund(&request, retried, &failing) {
        Ok((plan, end)) => {
            let has_other_notes = !before.notes.is_empty();
            json!({ "error": null, "expected": result(world, plan.requested.total().unwrap(), &end, has_other_notes) })
        }
        Err(refusal) => {
            let mut error = json!({ "code": refusal.refusal.code.as_str(), "param": refusal.refusal.param });
            if let Some(nearest) = refusal.nearest {
                error["nearest"] = json!([nearest.below, nearest.above]);
            }
            assert_eq!(format!("{world:?}"), format!("{before:?}"), "a refused step changes nothing");
            json!({ "error": error, "expected": null })
        }
    }
}

fn read_request(world: &World, value: &Value) -> RefundDraft {
    let money = |key: &str| world.money(value[key].as_i64().unwrap_or(0));
    let tip = money("voluntaryTip");
    let selection = match value["scope"].as_str().unwrap() {
        "all" => RefundSelection::All,
        "lines" => RefundSelection::Lines(value["lines"].as_array().unwrap().iter().map(selected).collect(), Some(tip)),
        "amount" => RefundSelection::Amount(money("amount"), Some(tip)),
        "tip" => RefundSelection::Tip(tip),
        "retry" => RefundSelection::Retry,
        scope => panic!("{scope}"),
    };
    let part = |part: &Value| PartAmount {
        ordinal: ordinal(&part["ordinal"]),
        amount: world.money(part["amount"].as_i64().unwrap()),
    };
    let parts = value["parts"].as_array().map(|parts| parts.iter().map(part).collect());
    assert_eq!(value["settlement"], Value::Null);
    RefundDraft { parts, settlement: RefundSettlement::Acquirer, ..request(selection) }
}

fn selected(value: &Value) -> LineSelection {
    let part = match value["quantity"].as_str() {
        Some(quantity) => LinePart::Quantity(Quantity::parse(quantity).unwrap()),
        None => LinePart::Net(value["netMinorUnits"].as_i64().unwrap()),
    };
    LineSelection { line: LineKey::SourceLineId(source_line_id(value)), part }
}

fn result(world: &World, requested: i64, end: &RefundEnd, has_other_notes: bool) -> Value {
    let refund = world.refunds.last().unwrap();
    let ReturnedMoney { amounts: returned, total } = refund.returned();
    assert_eq!(returned, end.returned);
    let legs = refund.legs().iter().map(|leg| {
        json!({
            "ordinal": leg.ordinal.unwrap_or(1),
            "amount": leg.amount,
            "status": leg.status().as_str(),
            "itbis": leg.state().itbis,
        })
    });
    let remaining = world.remaining();
    let by_part: Vec<i64> = remaining.charges.iter().map(|charge| charge.remaining()).collect();
    json!({
        "asked": requested,
        "returned": {
            "amount": returned.amount,
            "voluntaryTip": returned.voluntary_tip,
            "totalAmount": total,
        },
        "legs": legs.collect::<Vec<_>>(),
        "creditNote": end.note.as_ref().map(|note| credit_note(world, note, has_other_notes)),
        "undocumentedMinorUnits": end.undocumented,
        "left": {
            "documentMinorUnits": remaining.document.as_ref().unwrap().total(),
            "voluntaryTipMinorUnits": remaining.voluntary_tip,
            "moneyMinorUnits": remaining.money(),
            "byPart": by_part,
        },
    })
}

fn credit_note(world: &World, note: &CreditNote, has_other_notes: bool) -> Value {
    let original = world.context(None).original.unwrap();
    let original = cobro_domain::refund::OriginalDocument { has_notes: has_other_notes, ..original };
    let lines = note.lines.iter().map(|credit| {
        let line = &world.lines[credit.index()];
        let quantity = credit.quantity();
        let price = if quantity.is_some() { line.unit_price_minor_units } else { credit.net_minor_units };
        json!({
            "sourceLineId": line.source_line_id.as_str(),
            "quantity": quantity.as_ref().map_or("1", Quantity::as_str),
            "unitPriceMinorUnits": price,
            "netMinorUnits": credit.net_minor_units,
        })
    });
    let mut value = json!({
        "modificationCode": original.modification(note.total()).code(),
        "breakdown": sums(&note.breakdown),
        "lines": lines.collect::<Vec<_>>(),
    });
    if let Some(pesos) = &note.pesos {
        value["pesos"] = sums(pesos);
    }
    value
}

fn sums(breakdown: &Breakdown) -> Value {
    let bases = breakdown.taxable_bases.iter().map(|base| {
        json!({
            "taxTreatment": base.tax_treatment.as_str(),
            "baseMinorUnits": base.base_minor_units,
            "taxMinorUnits": base.tax_minor_units,
        })
    });
    json!({
        "taxableBases": bases.collect::<Vec<_>>(),
        "exemptMinorUnits": breakdown.exempt_minor_units,
        "legalTipMinorUnits": breakdown.service_charges.iter().map(|charge| charge.minor_units).sum::<i64>(),
        "taxesMinorUnits": breakdown.taxes_minor_units,
        "totalMinorUnits": breakdown.total_minor_units,
    })
}

fn source_line_id(value: &Value) -> BoundedText<1, 128> {
    BoundedText::parse(value["sourceLineId"].as_str().unwrap()).unwrap()
}

fn ordinal(value: &Value) -> u8 {
    u8::try_from(value.as_u64().unwrap()).unwrap()
}
