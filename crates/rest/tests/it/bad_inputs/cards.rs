use chrono::TimeDelta;

use super::{Row, check};
use crate::support::{
    APPROVED_CARD, DECLINED_CARD, LOST_CARD, Request, SALE, card, on_each_store, token_request, with,
};

/// The issuer says that it was stolen.
const STOLEN_CARD: &str = "4222220000000438";

#[actix_web::test]
async fn with_a_card_that_is_none() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let numbered = |number: &str| submission.clone().sending(card(number));
        let with = |path: &str, value: &str| submission.clone().sending(with(&card(APPROVED_CARD), path, value));
        let at = |param: &'static str| (400, "parameter_invalid", Some(param));
        let missing = |param: &'static str| (400, "parameter_missing", Some(param));
        let wallet = r#"{"wallet":{"kind":"wallet_a_pay","payload":"x"}}"#;

        let rows: Vec<Row> = vec![
            ("BAD-155", numbered("4222 2200 0000 0008"), at("card.number")),
            ("BAD-155", numbered("422222000000000x"), at("card.number")),
            ("BAD-155", numbered("4222220000000009"), at("card.number")),
            ("BAD-155", numbered(&"4".repeat(25)), at("card.number")),
            ("BAD-155", with("card.number", "4222220000000008"), at("card.number")),
            ("BAD-155", with("card.securityCode", r#""12""#), at("card.securityCode")),
            ("BAD-155", with("card.securityCode", r#""12345""#), at("card.securityCode")),
            ("BAD-155", with("card.expirationMonth", "13"), at("card.expirationMonth")),
            ("BAD-155", with("card.expirationMonth", "0"), at("card.expirationMonth")),
            ("BAD-155", with("card.expirationYear", "30"), at("card.expirationYear")),
            ("BAD-155", with("card.expirationYear", "2025"), at("card.expirationYear")),
            ("BAD-155", with("card.holderName", r#""""#), at("card.holderName")),
            ("BAD-156", with("amount", r#"{"currency":"DOP","minorUnits":1}"#), at("amount")),
            ("BAD-156", with("currency", r#""DOP""#), at("currency")),
            ("BAD-155", submission.clone().sending("{}"), missing("card")),
            ("BAD-155", submission.clone().sending(wallet), at("wallet.kind")),
        ];

        check(&world, rows).await;
        assert_eq!(world.acquirer.transactions().len(), 0);
    })
    .await;
}

#[actix_web::test]
async fn on_a_payment_that_takes_none() {
    on_each_store(async |world| {
        for (id, number, code) in [
            ("BAD-152", LOST_CARD, "payment_awaiting_verification"),
            ("BAD-153", STOLEN_CARD, "decline_not_retryable"),
            ("BAD-155", APPROVED_CARD, "checkout_window_closed"),
        ] {
            let created = world.sale(SALE).await;
            let first = world.submission(&created, number).await;
            assert_eq!(world.send(&first).await.status, 200);
            let charged = world.acquirer.transactions().len();

            let second = first.keyed("another").sending(card(APPROVED_CARD));
            check(&world, vec![(id, second, (409, code, None))]).await;

            assert_eq!(world.acquirer.transactions().len(), charged, "{id}");
        }
    })
    .await;
}

#[actix_web::test]
async fn a_sixth_time() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, DECLINED_CARD).await;
        for attempt in 1..=5 {
            let declined = world.send(&submission.clone().keyed(format!("try-{attempt}"))).await;
            assert_eq!((declined.status, declined.field("/status")), (200, "declined".to_owned()), "BAD-153");
        }

        let sixth = submission.sending(card(APPROVED_CARD));
        check(&world, vec![("BAD-153", sixth, (409, "decline_not_retryable", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn after_the_window() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let token = |purpose| {
            let body = token_request(&created.field("/checkoutReference"), purpose);
            Request::post("/v1/checkout_tokens", &world.one.key, body)
        };
        world.clock.advance(TimeDelta::hours(24));

        let rows: Vec<Row> = vec![
            ("BAD-155", submission, (409, "checkout_window_closed", None)),
            ("BAD-155", token("pay"), (400, "checkout_reference_expired", Some("checkoutReference"))),
            ("BAD-155", token("receipt"), (400, "checkout_reference_invalid", Some("checkoutReference"))),
            ("BAD-155", token("organizer"), (400, "parameter_invalid", Some("purpose"))),
        ];

        check(&world, rows).await;
    })
    .await;
}
