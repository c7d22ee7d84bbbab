//! Known receipts, computed by `POST /payments`.

use serde_json::{Value, json};

use crate::support::{Request, World, on_each_store};

fn cases() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../../../fixtures/receipts.json")).unwrap();
    file["cases"].as_array().unwrap().clone()
}

/// Body for the receipt, with `amount`.
fn body(case: &Value, amount: i64) -> String {
    let mut lines = case["lines"].as_array().unwrap().clone();
    for (number, line) in lines.iter_mut().enumerate() {
        line["sourceLineId"] = json!(format!("line-{number}"));
        line["description"] = json!("Artículo");
        line["measurementUnit"] = json!("unit");
        line["itemKind"] = json!("good");
    }
    let document = json!({
        "issuanceMode": "deferred", "kind": "consumer", "merchantInvoiceNumber": case["id"],
        "merchantOrderNumber": "1", "lines": lines,
    });
    let amount = json!({"currency": "DOP", "minorUnits": amount});
    json!({"saleReference": case["id"], "amount": amount, "fiscalDocument": document}).to_string()
}

async fn check(world: &World, case: &Value) {
    let (id, expected) = (&case["id"], &case["expected"]);
    let total = expected["totalMinorUnits"].as_i64().unwrap();
    let post = |amount| Request::post("/v1/payments", &world.one.key, body(case, amount));
    if total == 0 {
        // The receipt has no billable line.
        assert_eq!(world.send(&post(100)).await.error().1, "fiscal_lines_required", "{id}");
        return;
    }

    let created = world.send(&post(total)).await;
    let off_by_one = world.send(&post(total + 1)).await;

    assert_eq!(created.status, 201, "{id}: {}", created.text());
    let breakdown = &created.json()["breakdown"];
    for field in ["taxableBases", "exemptMinorUnits", "serviceCharges", "taxesMinorUnits", "totalMinorUnits"] {
        assert_eq!(breakdown[field], expected[field], "{id}: {field}");
    }
    let (status, code, param) = off_by_one.error();
    assert_eq!((status, code.as_str(), param.as_deref()), (422, "fiscal_total_mismatch", Some("amount.minorUnits")));
    let message = off_by_one.field("/error/message");
    let numbers = [total.to_string(), (total + 1).to_string()];
    assert!(numbers.iter().all(|it| message.contains(it)), "{id}: {message}");
}

#[actix_web::test]
async fn known_receipts_are_computed_to_the_centavo() {
    on_each_store(async |world| {
        for case in cases() {
            check(&world, &case).await;
        }
    })
    .await;
}
