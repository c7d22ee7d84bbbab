//! Effects of the commands.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{APPROVED_CARD, Bill, DECLINED_CARD, Request, SALE, on_each_store, statuses};

#[actix_web::test]
async fn a_split_is_replaced_while_no_part_has_a_card() {
    on_each_store(async |world| {
        let bill = world.bill(3).await;
        let window = world.split(&bill).await["expiresAt"].clone();
        world.submit(&bill, 2, DECLINED_CARD).await;
        world.clock.advance(TimeDelta::minutes(10));

        let replaced = world.done(&bill.replace(2)).await;

        assert_eq!((replaced.status, replaced.json().get("split")), (200, None));
        let split = world.split(&bill).await;
        assert_eq!(statuses(&split), ["unpaid"; 2]);
        assert_ne!(split["expiresAt"], window, "in a window of its own");
        assert_eq!(world.part(&bill, 2).await["attemptCount"], 0);
    })
    .await;
}

#[actix_web::test]
async fn a_split_that_is_deleted_leaves_a_payment_as_it_was() {
    on_each_store(async |world| {
        let bill = world.bill(3).await;

        let deleted = world.done(&bill.delete()).await;

        assert_eq!((deleted.status, deleted.field("/status")), (200, "requires_customer_action".to_owned()));
        assert_eq!(world.payment(&bill).await["split"], Value::Null);
        assert_eq!(world.payment(&bill).await["expiresAt"], bill.created.field("/expiresAt"));
        let gone = world.send(&Request::get(bill.at(""), &bill.token)).await;
        assert_eq!(gone.error(), (404, "payment_split_not_found".to_owned(), None));
        let paid = world.done(&world.submission(&bill.created, APPROVED_CARD).await).await;
        assert_eq!(paid.field("/status"), "succeeded");
    })
    .await;
}

#[actix_web::test]
async fn a_release_frees_every_reservation() {
    on_each_store(async |world| {
        let bill = world.bill(3).await;
        world.reserve(&bill, [1, 3]).await;

        let released = world.done(&bill.release()).await;

        assert_eq!((released.status, released.field("/status")), (200, "canceled".to_owned()));
        let payment = world.payment(&bill).await;
        assert_eq!(
            (statuses(&payment["split"]), &payment["split"]["status"]),
            (vec!["released"; 3], &json!("released"))
        );
        assert_eq!(payment["fiscalDocument"]["status"], "canceled");
        assert_eq!(world.at_the_acquirer(), ["reversed"; 2]);
    })
    .await;
}

#[actix_web::test]
async fn a_cancellation_frees_reservations() {
    on_each_store(async |world| {
        let (untouched, reserved) = (world.bill(2).await, world.reserved_bill(2).await);

        let unpaid = world.done(&untouched.cancel(&world.one.key)).await;
        let both = world.done(&reserved.cancel(&world.one.key)).await;

        assert_eq!([unpaid.field("/status"), both.field("/status")], ["canceled", "canceled"]);
        assert_eq!(world.at_the_acquirer(), ["reversed"; 2]);
        for bill in [untouched, reserved] {
            assert_eq!(world.payment(&bill).await["fiscalDocument"]["status"], "canceled");
        }
    })
    .await;
}

#[actix_web::test]
async fn a_part_shows_until_when_its_funds_are_reserved() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [1]).await;

        let (reserved, unpaid) = (world.part(&bill, 1).await, world.part(&bill, 2).await);

        assert!(reserved["authorizationValidUntil"].is_string(), "{reserved}");
        assert_eq!(reserved["paymentMethodSummary"], json!({"kind": "card", "brand": "visa", "last4": "0008"}));
        assert_eq!((&unpaid["authorizationValidUntil"], &unpaid["paymentMethodSummary"]), (&Value::Null, &Value::Null));
        assert_eq!((&unpaid["object"], &unpaid["paymentId"]), (&json!("payment_part"), &json!(bill.id())));
    })
    .await;
}

#[actix_web::test]
async fn a_command_changes_the_tag_of_a_split_and_a_read_does_not() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let tag = async |suffix: &str| {
            world.done(&Request::get(bill.at(suffix), &bill.token)).await.header("etag").to_owned()
        };

        let before = [tag("").await, tag("").await, tag("/parts/1").await];
        world.reserve(&bill, [2]).await;

        assert!(before.iter().all(|it| *it == before[0] && it.starts_with('"')), "{before:?}");
        assert_ne!(tag("").await, before[0]);
    })
    .await;
}

#[actix_web::test]
async fn the_page_of_a_split_shows_its_progress() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let page = created.field("/nextAction/url");
        let page = page.strip_prefix("https://pay.cobro.example").unwrap().to_owned();
        let bill = Bill { token: world.token(&created, "pay").await, created };
        world.done(&bill.open(2)).await;
        let shows = async |text: &str| {
            let response = world.page(&page).await;
            assert!(response.status == 200 && response.text().contains(text), "{text}: {}", response.text());
        };

        shows("Cuenta dividida").await;
        world.reserve(&bill, [1]).await;
        shows("Falta una parte del pago").await;
        world.reserve(&bill, [2]).await;
        shows("Todas las partes están reservadas").await;
        world.done(&bill.capture()).await;
        shows("Pago completado").await;
    })
    .await;
}
