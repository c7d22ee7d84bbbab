//! Limits of refunds by payment.

use std::num::NonZeroU32;

use rest::Limits;

use super::{ALL, amount, attribution, found, preview, refund};
use crate::support::{APPROVED_CARD, ManualClock, Request, SALE, World, on_one_store};

const TOO_MANY: (u16, &str, Option<&str>) = (429, "rate_limit_exceeded", None);

fn limited() -> Limits {
    Limits::sandbox_with(NonZeroU32::new(1000).unwrap(), ManualClock::stopped().1)
}

async fn error(world: &World, request: &Request) -> (u16, String, Option<String>) {
    world.send(request).await.error()
}

fn expected((status, code, param): (u16, &str, Option<&str>)) -> (u16, String, Option<String>) {
    (status, code.to_owned(), param.map(str::to_owned))
}

#[actix_web::test]
async fn refunds_and_attributions_of_a_payment_share_ten_a_minute() {
    on_one_store(async |mut world: World| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let other = world.issued(SALE, APPROVED_CARD).await;
        let found = found(&world, &paid, 118_00).await["id"].as_str().unwrap().to_owned();
        world.limits = limited();
        let used = refund(&paid, &admin, ALL).keyed("used");

        for n in 0..5 {
            assert_eq!(error(&world, &used).await.0, 409, "{n}");
            assert_eq!(error(&world, &attribution(&found, &admin, ALL)).await.0, 422, "{n}");
        }

        let restricted = world.restricted().await;
        let unknown = refund(&paid, &admin, ALL);
        let unknown = Request { target: unknown.target.replace(&paid.field("/id"), "payment_x"), ..unknown };
        assert_eq!(error(&world, &used).await, expected(TOO_MANY), "before the key");
        assert_eq!(error(&world, &attribution(&found, &admin, ALL)).await, expected(TOO_MANY));
        assert_eq!(error(&world, &unknown).await, expected((404, "payment_not_found", Some("paymentId"))));
        let foreign = refund(&paid, &restricted, ALL);
        assert_eq!(error(&world, &foreign).await, expected((403, "merchant_account_not_owned", None)));
        assert_eq!(world.send(&refund(&other, &admin, ALL)).await.status, 201);
        assert_eq!(world.send(&preview(&other, &admin, amount(1))).await.error().0, 409, "previews have their own");
    })
    .await;
}

#[actix_web::test]
async fn a_payment_has_thirty_previews_a_minute() {
    on_one_store(async |mut world: World| {
        let paid = world.issued(SALE, APPROVED_CARD).await;
        world.limits = limited();

        for n in 0..30 {
            assert_eq!(world.send(&preview(&paid, &world.one.key, ALL)).await.status, 200, "{n}");
        }

        let refused = world.send(&preview(&paid, &world.one.key, ALL)).await;
        assert_eq!(refused.error(), expected(TOO_MANY));
        assert_eq!(refused.header("retry-after"), "2");
    })
    .await;
}

#[actix_web::test]
async fn requests_about_payments_of_others_take_nothing_of_a_limit() {
    on_one_store(async |mut world: World| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let restricted = world.restricted().await;
        world.limits = limited();

        for _ in 0..12 {
            assert_eq!(world.send(&refund(&paid, &restricted, ALL)).await.status, 403);
        }

        assert_eq!(world.send(&refund(&paid, &admin, ALL)).await.status, 201);
    })
    .await;
}
