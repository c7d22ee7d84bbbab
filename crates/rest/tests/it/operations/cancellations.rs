use chrono::TimeDelta;
use testkit::sample;

use super::{DENIED, EXPIRED, NO_PAYMENT, NOT_OWNED, check_replay, invalid, lose_sight_of, missing, pay};
use crate::support::{APPROVED_CARD, Request, SALE, TestResponse, check, on_each_store};

const BODY: &str = r#"{"reason":"requested_by_customer"}"#;

fn at(created: &TestResponse) -> String {
    format!("/v1/payments/{}/cancellations", created.field("/id"))
}

#[actix_web::test]
async fn a_payment_is_canceled_with_its_document() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let request = Request::post(at(&created), &world.one.key, BODY);

        let canceled = check_replay(&world, &request, r#"{"reason":"other"}"#).await;

        assert_eq!((canceled.status, canceled.field("/status")), (200, "canceled".to_owned()));
        assert_eq!(canceled.field("/fiscalDocument/status"), "canceled");
        assert_eq!(canceled.field("/checkoutReference"), created.field("/checkoutReference"));
        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));
        check(&world, vec![(request, EXPIRED)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_cancellation_is_refused() {
    on_each_store(async |world| {
        let (open, paid, lost) = (world.sale(SALE).await, world.sale(SALE).await, world.sale(SALE).await);
        let token = world.token(&open, "pay").await;
        pay(&world, &paid, APPROVED_CARD).await;
        lose_sight_of(&world, &lost).await;
        let post = |created: &TestResponse, body: &str| Request::post(at(created), &world.one.key, body);
        let nowhere = format!("/v1/payments/{}/cancellations", sample::payment_id(7));

        let rows = vec![
            (post(&open, BODY).without("idempotency-key"), missing("idempotency-key")),
            (post(&open, "{}"), missing("reason")),
            (post(&open, r#"{"reason":"boredom"}"#), invalid("reason")),
            (Request::post(at(&open), &token, BODY), DENIED),
            (Request::post(at(&open), &world.restricted().await, BODY), NOT_OWNED),
            (Request::post(nowhere, &world.one.key, BODY), NO_PAYMENT),
            (Request::post(at(&open), &world.other.key, BODY), NO_PAYMENT),
            (post(&paid, BODY), (409, "payment_not_editable", None)),
            (post(&lost, BODY), (409, "payment_awaiting_verification", None)),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn a_payment_that_is_being_paid_is_not_canceled() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        world.gate.block_calls();

        let (paid, refused) = tokio::join!(world.send(&submission), async {
            world.gate.until_blocked().await;
            let refused = world.send(&Request::post(at(&created), &world.one.key, BODY)).await;
            world.gate.let_one_pass();
            refused
        });

        assert_eq!(refused.error(), (409, "payment_method_already_in_progress".to_owned(), None));
        assert_eq!(paid.field("/status"), "succeeded");
    })
    .await;
}
