//! Previews of refunds.

use serde_json::{Value, json};

use super::{ALL, amount, lines, preview, refund, summary, tipped};
use crate::support::{APPROVED_CARD, check, on_each_store, without};

#[actix_web::test]
async fn a_preview_shows_the_refund_and_changes_nothing() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, tipped(&world, APPROVED_CARD).await);
        let (before, commits) = (summary(&world, &paid).await, world.sale_store.commits());

        let previewed = world.done(&preview(&paid, &world.one.key, without(ALL, "reason"))).await;

        assert_eq!((summary(&world, &paid).await, world.sale_store.commits()), (before, commits));
        let shown = previewed.json();
        assert_eq!(
            (previewed.status, &shown["object"], &shown["isExact"]),
            (200, &json!("refund_preview"), &json!(true))
        );
        assert_eq!((&shown["modification"], &shown["legs"][0]["method"]), (&json!("cancels"), &json!("void")));
        let refunded = world.done(&refund(&paid, &admin, ALL)).await.json();
        for field in ["amount", "voluntaryTip", "totalAmount", "lines", "breakdown", "isAfterThirtyDays"] {
            assert_eq!(refunded[field], shown[field], "{field}");
        }
    })
    .await;
}

#[actix_web::test]
async fn an_amount_without_a_note_has_neighbours_and_a_refund_of_it_is_refused() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, tipped(&world, APPROVED_CARD).await);
        let mut inexact = None;
        for minor_units in 118_00..118_10 {
            let shown = world.done(&preview(&paid, &world.one.key, amount(minor_units))).await.json();
            if shown["isExact"] == json!(false) {
                inexact = Some((minor_units, shown));
                break;
            }
        }
        let (minor_units, shown) = inexact.expect("one amount of ten has no note");

        let units = |value: &Value| value["minorUnits"].as_i64().unwrap();
        assert_eq!(units(&shown["nearestAmounts"]["below"]), minor_units - 1);
        assert_eq!(units(&shown["nearestAmounts"]["above"]), minor_units + 1);
        assert_eq!((&shown["lines"], &shown["legs"], &shown["breakdown"]), (&json!([]), &json!([]), &json!(null)));
        let refused = (422, "fiscal_total_mismatch", Some("amount.minorUnits"));
        check(&world, vec![(refund(&paid, &admin, amount(minor_units)), refused)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_preview_needs_a_body_and_no_key() {
    on_each_store(async |world| {
        let paid = tipped(&world, APPROVED_CARD).await;
        let keyed = preview(&paid, &world.one.key, ALL).and("idempotency-key", "k");
        let queried = preview(&paid, &world.one.key, ALL);
        let queried = crate::support::Request { target: format!("{}?x=1", queried.target), ..queried };

        assert_eq!(world.done(&keyed).await.status, 200);
        check(
            &world,
            vec![
                (preview(&paid, &world.one.key, "{}"), (400, "parameter_missing", Some("scope"))),
                (preview(&paid, &world.one.key, "{"), (400, "parameter_invalid", None)),
                (queried.clone(), (400, "parameter_invalid", Some("x"))),
                (queried.sending("{}"), (400, "parameter_missing", Some("scope"))),
                (preview(&paid, &world.one.key, lines("[]")), (400, "parameter_invalid", Some("lines"))),
                (
                    preview(&paid, &world.one.key, ALL).with("content-type", "text/plain"),
                    (415, "parameter_invalid", None),
                ),
            ],
        )
        .await;
    })
    .await;
}
