//! Acquirers that fail, lose responses, or refuse captures.

use chrono::TimeDelta;
use sandbox::{Fault, Target};

use crate::support::{
    APPROVED_CARD, DEAF_CARD, DECLINED_CARD, LOST_CARD, Log, REFUSED_CARD, Request, UNCAPTURABLE_CARD, World,
    challenge_path, check, on_each_store, statuses,
};

/// The issuer requires a challenge.
const CHALLENGE_CARD: &str = "4222220021000003";
/// The issuer reserves the funds and releases them after a day.
const FADING_CARD: &str = "4222220013000003";

async fn left_in_part(world: &World) -> u64 {
    world.ports.backlog.waiting(world.ports.clock.now()).await.unwrap().left_in_part.length
}

fn lose(world: &World, fault: Fault, count: u32) {
    world.faults.inject(Target::Acquirer, fault, count).unwrap();
}

#[actix_web::test]
async fn a_card_that_was_not_submitted_leaves_its_part_and_key_unused() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.submit(&bill, 2, DECLINED_CARD).await;
        let (first, second) = (bill.card(1, APPROVED_CARD), bill.card(2, APPROVED_CARD));
        lose(&world, Fault::BeforeRequest, 2);

        let unavailable = [world.send(&first).await, world.send(&second).await];
        let refused = world.send(&bill.card(1, REFUSED_CARD)).await;

        for response in &unavailable {
            assert_eq!(response.error(), (502, "provider_unavailable".to_owned(), None));
        }
        assert_eq!(refused.error(), (502, "provider_rejected_request".to_owned(), None));
        assert_eq!(statuses(&world.split(&bill).await), ["unpaid", "declined"]);
        world.done(&first).await;
        assert_eq!(statuses(&world.split(&bill).await), ["authorized", "declined"]);
    })
    .await;
}

#[actix_web::test]
async fn a_capture_that_was_not_submitted_leaves_the_key_unused() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(2).await;
        let before = world.split(&bill).await;
        let (capture, release) = (bill.capture(), bill.release());
        for command in [&release, &capture] {
            lose(&world, Fault::BeforeRequest, 2);
            let refused = world.send(command).await;

            assert_eq!(refused.error(), (502, "provider_unavailable".to_owned(), None), "{}", command.target);
            assert_eq!(world.split(&bill).await, before);
        }

        let captured = world.done(&capture).await;

        assert_eq!((captured.field("/status"), captured.header("idempotent-replayed")), ("succeeded".to_owned(), ""));
    })
    .await;
}

#[actix_web::test]
async fn a_capture_of_one_part_only_returns_the_result() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(3).await;
        lose(&world, Fault::BeforeRequest, 1);

        let captured = world.done(&bill.capture()).await;

        assert_eq!((captured.status, captured.field("/status")), (200, "partially_paid".to_owned()));
        let split = world.split(&bill).await;
        assert_eq!(
            (statuses(&split).iter().filter(|it| **it == "authorized").count(), &split["capturedCount"]),
            (1, &2.into())
        );
        let again = world.done(&bill.capture()).await;
        assert_eq!(again.field("/status"), "succeeded");
        assert_eq!(world.at_the_acquirer(), ["captured"; 3]);
    })
    .await;
}

#[actix_web::test]
async fn a_capture_with_a_lost_response_is_looked_up_and_never_repeated() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(2).await;
        lose(&world, Fault::AfterCommit, 1);

        let captured = world.done(&bill.capture()).await;
        assert_eq!(captured.field("/status"), "verifying");
        assert_eq!(world.payment(&bill).await["fiscalDocument"]["status"], "requested");
        world.clock.advance(TimeDelta::seconds(15));
        world.settle(&bill).await;

        let payment = world.payment(&bill).await;
        assert_eq!(
            (&payment["status"], &payment["fiscalDocument"]["status"]),
            (&"succeeded".into(), &"issuing".into())
        );
        assert_eq!(world.at_the_acquirer(), ["captured"; 2]);
    })
    .await;
}

#[actix_web::test]
async fn a_share_whose_capture_failed_is_paid_by_another_card() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [1]).await;
        world.submit(&bill, 2, UNCAPTURABLE_CARD).await;
        let window = world.split(&bill).await["expiresAt"].clone();

        let captured = world.done(&bill.capture()).await;

        assert_eq!(captured.field("/status"), "partially_paid");
        let payment = world.payment(&bill).await;
        assert_ne!(payment["expiresAt"], window, "there is a day more");
        assert_eq!(payment["fiscalDocument"]["status"], "requested", "no document of a part of a sale");
        // The issuer reserves the funds and refuses the capture: only the organizer can release them.
        assert_eq!(statuses(&payment["split"]), ["succeeded", "authorized"]);
        let released = world.done(&bill.release()).await;
        assert_eq!(released.field("/status"), "partially_paid");
        assert_eq!(statuses(&world.split(&bill).await), ["succeeded", "released"]);
        check(&world, vec![(bill.capture(), (409, "payment_split_not_capturable", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_partially_paid_split_alerts_once_and_refunds_no_card() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [1]).await;
        world.submit(&bill, 2, UNCAPTURABLE_CARD).await;
        let log = Log::begin();
        let alarms = || log.text().matches("was paid in part and stays so").count();
        world.done(&bill.capture()).await;
        assert_eq!((alarms(), left_in_part(&world).await), (0, 0), "it can be completed for a day");

        world.clock.advance(TimeDelta::hours(24));
        world.settle(&bill).await;
        world.clock.advance(TimeDelta::hours(1));
        world.settle(&bill).await;

        let payment = world.payment(&bill).await;
        assert_eq!(payment["status"], "partially_paid");
        assert_eq!(statuses(&payment["split"]), ["succeeded", "expired"]);
        assert_eq!(payment["fiscalDocument"]["status"], "requested", "no document of a part of a sale");
        assert_eq!(
            world.at_the_acquirer(),
            ["captured", "reversed"],
            "what was taken is the merchant's to decide about"
        );
        assert_eq!((alarms(), left_in_part(&world).await), (1, 1));
        assert!(log.text().contains(&format!("payment={} captured=", bill.id())), "{}", log.text());
    })
    .await;
}

#[actix_web::test]
async fn a_return_from_3d_secure_after_the_window_alerts_of_a_bill_left_in_part() {
    on_each_store(async |world| {
        let mut bill = world.bill(2).await;
        world.submit(&bill, 1, FADING_CARD).await;
        world.reserve(&bill, [2]).await;
        world.clock.advance(TimeDelta::hours(1));
        lose(&world, Fault::BeforeRequest, 1);
        world.done(&bill.capture()).await;
        assert_eq!(statuses(&world.split(&bill).await), ["authorized", "succeeded"]);
        world.clock.advance(TimeDelta::minutes(23 * 60 + 30));
        bill.token = world.token(&bill.created, "pay").await;
        world.done(&Request::post(bill.at("/captures"), &world.one.key, "{}")).await;
        assert_eq!(statuses(&world.split(&bill).await), ["declined", "succeeded"]);
        world.clock.advance(TimeDelta::minutes(20));
        world.submit(&bill, 1, CHALLENGE_CARD).await;
        let path = challenge_path(&world.send(&Request::get(bill.at("/parts/1"), &bill.token)).await);
        world.clock.advance(TimeDelta::minutes(12));
        let returned = world.issuers_result(&path, false).await;
        let log = Log::begin();

        let page = world.send(&returned).await;

        assert_eq!(page.status, 303, "{}", page.text());
        assert_eq!(world.payment(&bill).await["status"], "partially_paid");
        assert_eq!(left_in_part(&world).await, 1);
        assert_eq!(log.text().matches("was paid in part and stays so").count(), 1, "{}", log.text());
    })
    .await;
}

#[actix_web::test]
async fn a_release_without_a_response_is_retried() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.submit(&bill, 1, DEAF_CARD).await;

        let released = world.done(&bill.release()).await;
        assert_eq!(released.field("/status"), "verifying");
        for _ in 0..8 {
            world.clock.advance(TimeDelta::minutes(10));
            world.settle(&bill).await;
        }

        assert_eq!(world.payment(&bill).await["status"], "canceled");
        assert_eq!(world.at_the_acquirer(), ["reversed"]);
    })
    .await;
}

#[actix_web::test]
async fn a_card_with_a_lost_response_does_not_block_other_payers() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.submit(&bill, 1, LOST_CARD).await;
        let payment = world.payment(&bill).await;
        assert_eq!((&payment["status"], &payment["split"]["status"]), (&"verifying".into(), &"open".into()));
        assert!(payment["verification"]["nextCheckAt"].is_string());
        world.submit(&bill, 2, APPROVED_CARD).await;

        world.clock.advance(TimeDelta::seconds(15));
        world.settle(&bill).await;

        assert_eq!(statuses(&world.split(&bill).await), ["authorized"; 2]);
        assert_eq!(world.done(&bill.capture()).await.field("/status"), "succeeded");
    })
    .await;
}
