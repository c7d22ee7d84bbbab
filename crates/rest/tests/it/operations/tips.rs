use chrono::TimeDelta;
use testkit::sample;

use super::{DENIED, EXPIRED, NO_PAYMENT, check_replay, invalid, lose_sight_of, missing, pay};
use crate::support::{APPROVED_CARD, Request, SALE, TestResponse, check, on_each_store};

fn tip(minor_units: i64) -> String {
    format!(r#"{{"amount":{{"currency":"DOP","minorUnits":{minor_units}}}}}"#)
}

fn at(created: &TestResponse) -> String {
    format!("/v1/payments/{}/voluntary-tip", created.field("/id"))
}

#[actix_web::test]
async fn a_tip_is_added_to_the_charge_and_removed() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;

        let tipped = check_replay(&world, &Request::put(at(&created), &token, tip(5000)), &tip(1)).await;
        let untipped = world.send(&Request::put(at(&created), &token, tip(0))).await;

        assert_eq!(tipped.json().pointer("/totalAmount/minorUnits"), Some(&123_000.into()), "{}", tipped.text());
        assert_eq!(tipped.json().pointer("/voluntaryTip/minorUnits"), Some(&5000.into()), "{}", tipped.text());
        assert_eq!(untipped.json().pointer("/totalAmount/minorUnits"), Some(&118_000.into()));
        world.send(&Request::put(at(&created), &token, tip(2500))).await;
        pay(&world, &created, APPROVED_CARD).await;
        let charged: Vec<i64> = world.acquirer.transactions().iter().map(|it| it.amount_minor_units).collect();
        assert_eq!(charged, [120_500]);
    })
    .await;
}

#[actix_web::test]
async fn an_invalid_tip_and_a_tip_by_a_key_are_refused() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let neighbour = world.sale(SALE).await;
        let put = |body: &str| Request::put(at(&created), &token, body);
        let nowhere = format!("/v1/payments/{}/voluntary-tip", sample::payment_id(7));

        let rows = vec![
            (put(&tip(1)).without("idempotency-key"), missing("idempotency-key")),
            (put("{}"), missing("amount")),
            (put(&tip(-1)), invalid("amount.minorUnits")),
            (put(&tip(1).replace("DOP", "USD")), invalid("amount.currency")),
            (put(&tip(999_999_999_999)), (400, "amount_above_maximum", Some("amount.minorUnits"))),
            (Request::put(at(&created), &world.one.key, tip(1)), DENIED),
            (Request::put(at(&neighbour), &token, tip(1)), NO_PAYMENT),
            (Request::put(nowhere, &token, tip(1)), NO_PAYMENT),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn a_tip_is_refused_by_the_state_of_the_payment() {
    on_each_store(async |world| {
        let (open, paid, lost) = (world.sale(SALE).await, world.sale(SALE).await, world.sale(SALE).await);
        let mut puts = Vec::new();
        for created in [&open, &paid, &lost] {
            let token = world.token(created, "pay").await;
            puts.push(Request::put(at(created), &token, tip(100)));
        }
        let held = world.sale(SALE).await;
        let submission = world.submission(&held, APPROVED_CARD).await;
        let during = Request::put(at(&held), &world.token(&held, "pay").await, tip(100));
        pay(&world, &paid, APPROVED_CARD).await;
        lose_sight_of(&world, &lost).await;
        world.gate.block_calls();

        let (_, refused) = tokio::join!(world.send(&submission), async {
            world.gate.until_blocked().await;
            let refused = world.send(&during).await;
            world.gate.let_one_pass();
            refused
        });

        assert_eq!(refused.error(), (409, "payment_method_already_in_progress".to_owned(), None));
        let rows = vec![
            (puts[1].clone(), (409, "payment_not_editable", None)),
            (puts[2].clone(), (409, "payment_awaiting_verification", None)),
        ];
        check(&world, rows).await;
        world.clock.advance(TimeDelta::hours(24));
        check(&world, vec![(puts[0].clone(), (409, "checkout_window_closed", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn the_idempotency_key_of_a_tip_expires() {
    on_each_store(async |world| {
        let long = format!(r#"{{"paymentWindowSeconds":{},"legalName":"Rosa Prueba"}}"#, 7 * 24 * 60 * 60);
        let admin = world.admin().await;
        let before = world.send(&Request::get("/v1/merchant_profile", &admin)).await;
        let mut profile = before.json();
        let fields = profile.as_object_mut().unwrap();
        fields.retain(|name, _| !["object", "missingFields", "version", "updatedAt"].contains(&name.as_str()));
        fields.extend(serde_json::from_str::<serde_json::Map<_, _>>(&long).unwrap());
        let put = world.send(&Request::put("/v1/merchant_profile", &admin, profile.to_string())).await;
        assert_eq!(put.status, 200, "{}", put.text());
        let created = world.sale(SALE).await;
        let request = Request::put(at(&created), &world.token(&created, "pay").await, tip(100));
        assert_eq!(world.send(&request).await.status, 200);

        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));

        check(&world, vec![(request, EXPIRED)]).await;
    })
    .await;
}
