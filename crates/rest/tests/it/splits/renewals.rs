//! Renewals of splits.

use chrono::TimeDelta;

use super::expired;
use crate::support::{APPROVED_CARD, Bill, ExpectedError, SALE, check, on_each_store};

const NOT_RENEWABLE: ExpectedError = (409, "payment_split_not_renewable", None);

#[actix_web::test]
async fn a_split_is_renewed_three_times_within_a_day_unless_the_sale_was_paid_otherwise() {
    on_each_store(async |world| {
        let bill = expired(&world).await;
        for _ in 0..3 {
            world.done(&bill.renew().with("authorization", format!("Bearer {}", world.one.key))).await;
            world.clock.advance(TimeDelta::hours(2));
            world.settle(&bill).await;
        }
        let by_key = |bill: &Bill| bill.renew().with("authorization", format!("Bearer {}", world.one.key));
        assert_eq!(world.split(&bill).await["renewalCount"], 3);
        check(&world, vec![(by_key(&bill), NOT_RENEWABLE)]).await;

        let late = expired(&world).await;
        world.clock.advance(TimeDelta::hours(24) + TimeDelta::seconds(1));
        check(&world, vec![(by_key(&late), NOT_RENEWABLE)]).await;

        let otherwise = expired(&world).await;
        let again = world.sale(SALE).await;
        world.done(&world.submission(&again, APPROVED_CARD).await).await;
        check(&world, vec![(by_key(&otherwise), NOT_RENEWABLE)]).await;
    })
    .await;
}

#[actix_web::test]
async fn an_account_that_cannot_sell_renews_no_split() {
    on_each_store(async |world| {
        // The certificate ends at noon.
        world.clock.set("2027-03-01T09:00:00Z".parse().unwrap());
        let bill = expired(&world).await;
        world.clock.set("2027-03-01T12:30:00Z".parse().unwrap());

        let renewal = bill.renew().with("authorization", format!("Bearer {}", world.one.key));
        let refused = world.send(&renewal).await;
        assert_eq!(refused.error(), (422, "merchant_account_not_ready".to_owned(), None));
        assert!(refused.text().contains("not ready for `consumer`: no certificate"), "{}", refused.text());
    })
    .await;
}
