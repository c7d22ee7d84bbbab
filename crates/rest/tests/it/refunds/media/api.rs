//! Responses of the API in the words of the file of cases.

use serde_json::{Value, json};

use super::figures::units;

/// Returns the figures of a refund.
pub(super) fn refund_figures(refund: &Value) -> Value {
    let leg = |leg: &Value| {
        json!({
            "ordinal": leg["ordinal"].as_u64().unwrap_or(1),
            "amount": minor_units(&leg["amount"]),
            "status": leg["status"],
            "itbis": minor_units(&leg["itbis"]),
        })
    };
    let returned = &refund["returned"];
    json!({
        "asked": minor_units(&refund["totalAmount"]),
        "returned": {
            "amount": minor_units(&returned["amount"]),
            "voluntaryTip": minor_units(&returned["voluntaryTip"]),
            "totalAmount": minor_units(&returned["totalAmount"]),
        },
        "legs": refund["legs"].as_array().unwrap().iter().map(leg).collect::<Vec<_>>(),
        "creditNote": if refund["creditNote"].is_null() { Value::Null } else { note_figures(refund) },
    })
}

/// Returns the expected figures that the API shows: all but those in pesos.
pub(super) fn expected_figures(expected: &Value) -> Value {
    let mut note = expected["creditNote"].clone();
    if let Some(note) = note.as_object_mut() {
        note.remove("pesos");
    }
    json!({
        "asked": expected["asked"], "returned": expected["returned"], "legs": expected["legs"], "creditNote": note,
    })
}

fn note_figures(refund: &Value) -> Value {
    let note = &refund["creditNote"];
    let modification = match note["modifies"]["modification"].as_str() {
        Some("cancels") => 1,
        Some("corrects_amounts") => 3,
        other => panic!("{other:?} is no modification"),
    };
    let (credited, stated) = (refund["lines"].as_array().unwrap(), note["lines"].as_array().unwrap());
    assert_eq!(credited.len(), stated.len(), "{refund}");
    let line = |(credit, stated): (&Value, &Value)| {
        assert_eq!(credit["sourceLineId"], stated["sourceLineId"], "{refund}");
        json!({
            "sourceLineId": stated["sourceLineId"],
            "quantity": stated["quantity"],
            "unitPriceMinorUnits": stated["unitPriceMinorUnits"],
            "netMinorUnits": credit["netMinorUnits"],
        })
    };
    json!({
        "modificationCode": modification,
        "breakdown": sums(&refund["breakdown"]),
        "lines": credited.iter().zip(stated).map(line).collect::<Vec<_>>(),
    })
}

/// Returns the remaining money and document, from the preview of a refund of everything.
pub(super) fn remaining(preview: &Value, part_count: usize) -> Value {
    let mut by_part = vec![0; part_count];
    for leg in preview["legs"].as_array().unwrap() {
        let ordinal = usize::try_from(leg["ordinal"].as_u64().unwrap_or(1)).unwrap();
        by_part[ordinal - 1] = minor_units(&leg["amount"]);
    }
    json!({
        "documentMinorUnits": preview["breakdown"]["totalMinorUnits"].as_i64().unwrap_or(0),
        "voluntaryTipMinorUnits": minor_units(&preview["voluntaryTip"]),
        "moneyMinorUnits": minor_units(&preview["totalAmount"]),
        "byPart": by_part,
    })
}

/// Returns the sums of a breakdown.
pub(super) fn sums(breakdown: &Value) -> Value {
    let charges = breakdown["serviceCharges"].as_array().unwrap().iter();
    json!({
        "taxableBases": breakdown["taxableBases"],
        "exemptMinorUnits": breakdown["exemptMinorUnits"],
        "legalTipMinorUnits": charges.map(|charge| units(&charge["minorUnits"])).sum::<i64>(),
        "taxesMinorUnits": breakdown["taxesMinorUnits"],
        "totalMinorUnits": breakdown["totalMinorUnits"],
    })
}

fn minor_units(money: &Value) -> i64 {
    units(&money["minorUnits"])
}
