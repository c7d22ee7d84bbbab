//! Redirects after a return from a card's issuer.

use chrono::TimeDelta;

use super::settle;
use crate::support::{Request, SALE, challenge_path, form, on_one_store};

const FRICTIONLESS: &str = "4222220020000004";
const CHALLENGE: &str = "4222220021000003";

/// Bank and issuer know the address of the return. Only the return that moves the attempt redirects to the secret link.
/// The others redirect to an address that needs the payer's cookie.
#[actix_web::test]
async fn only_the_return_that_moves_the_attempt_opens_the_payment() {
    on_one_store(async |world| {
        let created = world.sale(SALE).await;
        let plain = format!("/p/{}", created.field("/id"));
        let first = world.challenged(&created, CHALLENGE).await;
        let late = world.issuers_result(&first, true).await;
        world.clock.advance(TimeDelta::minutes(15));
        settle(&world, &created).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let back = world.issuers_result(&path, true).await;

        let moved = world.send(&back).await;
        let others = [
            world.send(&back).await,
            world.send(&late).await,
            world.send(&form(&format!("{path}/go-on"), &[])).await,
            world.send(&form(&format!("{first}/go-on"), &[])).await,
            world.send(&Request::bare("GET", path.as_str())).await,
        ];

        assert!(moved.header("location").starts_with("/p/") && moved.header("location") != plain, "{moved:?}");
        assert!(world.page(moved.header("location")).await.text().contains("Pago completado"));
        for other in others {
            let actual = (other.status, other.header("location"), other.header("set-cookie"));
            assert_eq!(actual, (303, plain.as_str(), ""));
        }
        let opened = world.page(&plain).await;
        assert_eq!((opened.status, opened.header("set-cookie")), (404, ""));
    })
    .await;
}

/// The same for a share of a split, which returns to another address.
#[actix_web::test]
async fn only_the_return_that_moves_the_attempt_of_a_share_opens_the_payment() {
    on_one_store(async |world| {
        let bill = world.bill(2).await;
        world.send(&bill.card(1, FRICTIONLESS)).await;
        let path = challenge_path(&world.send(&Request::get(bill.at("/parts/1"), &bill.token)).await);
        let go_on = form(&format!("{path}/go-on"), &[]);
        world.send(&form(&format!("{path}/look"), &[("threeDSMethodData", "e30=")])).await;

        let moved = world.send(&go_on).await;
        let again = world.send(&go_on).await;

        let plain = format!("/p/{}?part=1", bill.id());
        assert!(moved.header("location").ends_with("?part=1") && moved.header("location") != plain, "{moved:?}");
        assert_eq!((again.status, again.header("location"), again.header("set-cookie")), (303, plain.as_str(), ""));
    })
    .await;
}
