//! Refunds of a voluntary tip, which no fiscal document states.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{
    documents::check_document,
    figures::Figures,
    receipt::{Entry, Note, check_receipt},
    shop::{Shop, Sold, known_case},
};
use crate::{
    refunds::{ALL, assert_message, refund},
    support::{APPROVED_CARD, on_each_store},
};

fn tip(minor_units: i64) -> String {
    let amount = json!({ "currency": "DOP", "minorUnits": minor_units });
    json!({ "scope": "tip", "reason": "requested_by_customer", "voluntaryTip": amount }).to_string()
}

/// Returns the types of the events of a refund, in sequence.
async fn event_types(shop: &Shop, sold: &Sold) -> Vec<String> {
    let events = shop.get(&format!("/events?limit=100&paymentId={}", sold.payment())).await;
    let mut events = events["data"].as_array().unwrap().clone();
    events.sort_by_key(|event| event["sequence"].as_u64());
    let types = events.iter().map(|event| event["type"].as_str().unwrap().to_owned());
    types.filter(|it| it.starts_with("refund.") || it.starts_with("credit_note.")).collect()
}

#[actix_web::test]
async fn a_refunded_tip_is_money_without_a_credit_note_in_every_medium() {
    on_each_store(async |world| {
        let shop = Shop::open(world).await;
        // A dish of 1,280.00, and 50.00 of tip.
        let case = known_case("RF004");
        let sold = shop.sell(&case, "TIP-1", APPROVED_CARD).await;

        let refunded = shop.world.done(&refund(&sold.created, &shop.admin, tip(12_34))).await.json();
        shop.pass(TimeDelta::seconds(1)).await;

        assert_eq!((&refunded["status"], &refunded["scope"]), (&json!("succeeded"), &json!("tip")));
        let money = |minor_units| json!({ "currency": "DOP", "minorUnits": minor_units });
        for amounts in [&refunded, &refunded["returned"]] {
            assert_eq!(amounts["amount"], money(0));
            assert_eq!((&amounts["voluntaryTip"], &amounts["totalAmount"]), (&money(12_34), &money(12_34)));
        }
        assert_eq!(refunded["lines"], json!([]));
        for field in ["breakdown", "creditNote", "isAfterThirtyDays", "failure"] {
            assert_eq!(refunded[field], Value::Null, "{field}");
        }
        let returned = shop.world.acquirer.transactions().remove(0);
        assert_eq!((returned.kind, returned.status), ("refund", "approved"));
        assert_eq!((returned.amount_minor_units, returned.itbis_minor_units), (12_34, 0));
        assert!(shop.notes_at_the_authority().await.is_empty());
        assert_eq!(shop.emails(&sold).len(), 1, "the e-mail of the sale");
        assert_eq!(event_types(&shop, &sold).await, ["refund.created", "refund.succeeded"]);
        let entry = |amount, note| Entry {
            day: "01/03/2026".to_owned(),
            status: "Devuelto",
            shares: vec![(None, amount, true)],
            note,
        };
        let first = entry(12_34, Note::None);
        check_receipt(&shop, &sold, true, std::slice::from_ref(&first)).await;

        let too_much = refund(&sold.created, &shop.admin, tip(37_67));
        let refusal = ("refund_amount_exceeds_refundable", "Only 37.66 of the tip is left.");
        assert_message(&shop.world, &too_much, refusal).await;
        let rest = shop.world.done(&refund(&sold.created, &shop.admin, ALL)).await.json();
        shop.pass(TimeDelta::seconds(1)).await;

        let read = shop.get(&format!("/refunds/{}", rest["id"].as_str().unwrap())).await;
        assert_eq!(read["returned"]["totalAmount"], money(1_317_66));
        // The tip changes neither the figures of the note nor its modification.
        let number = read["creditNote"]["fiscalNumber"].as_str().unwrap();
        let known = &case["steps"][1]["expected"]["creditNote"];
        let note = (read["creditNote"]["id"].as_str().unwrap(), number);
        check_document(&shop, note, &Figures::of_note(&case, known), &shop.emails(&sold)[0]).await;
        assert_eq!(known["modificationCode"], 1);
        check_receipt(&shop, &sold, true, &[first, entry(1_317_66, Note::Issued(number.to_owned()))]).await;
    })
    .await;
}
