//! Retries of commands about splits.

use chrono::TimeDelta;
use futures_util::future::join_all;

use crate::support::{
    APPROVED_CARD, Bill, ExpectedError, Request, SALE, Served, TestResponse, check, equally, on_each_store,
};

const REUSED: ExpectedError = (409, "idempotency_key_reused", Some("idempotency-key"));
const EXPIRED: ExpectedError = (409, "idempotency_key_expired", Some("idempotency-key"));

#[track_caller]
fn assert_replayed(first: &TestResponse, again: &TestResponse) {
    assert!(first.status < 300, "{}", first.text());
    assert_eq!((first.status, first.text()), (again.status, again.text()));
    for name in ["content-type", "etag", "request-id"] {
        assert_eq!(first.header(name), again.header(name), "{name}");
    }
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), ("", "true"));
}

#[actix_web::test]
async fn each_command_runs_once_and_its_response_is_replayed() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let bill = Bill { token: world.token(&created, "pay").await, created };
        let (first, second) = (bill.card(1, APPROVED_CARD), bill.card(2, APPROVED_CARD));
        let commands = [bill.open(3), bill.delete(), bill.open(3), bill.replace(2), first, second, bill.capture()];
        let mut responses = Vec::new();
        for command in &commands {
            let first = world.send(command).await;
            let again = world.send(command).await;
            assert_replayed(&first, &again);
            responses.push(first);
        }

        for (command, first) in commands.iter().zip(&responses) {
            assert_replayed(first, &world.send(command).await);
        }

        assert_eq!(world.at_the_acquirer(), ["captured"; 2]);
        assert_eq!(world.payment(&bill).await["status"], "succeeded");
    })
    .await;
}

#[actix_web::test]
async fn a_release_and_a_renewal_are_replayed() {
    on_each_store(async |world| {
        let (given_up, late) = (world.bill(2).await, world.bill(2).await);
        world.reserve(&given_up, [1]).await;
        let release = given_up.release();
        let (released, again) = (world.send(&release).await, world.send(&release).await);
        world.clock.advance(TimeDelta::hours(2));
        world.settle(&late).await;
        let renewal = late.renew();
        let (renewed, once_more) = (world.send(&renewal).await, world.send(&renewal).await);

        assert_replayed(&released, &again);
        assert_replayed(&renewed, &once_more);
        assert_eq!(world.at_the_acquirer(), ["reversed"]);
        assert_eq!(world.split(&late).await["renewalCount"], 1);
    })
    .await;
}

#[actix_web::test]
async fn a_key_is_valid_for_one_command() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let bill = Bill { token: world.one.key.clone(), created };
        let open = bill.open(3);
        world.done(&open).await;
        let key = open.headers.iter().find(|(name, _)| *name == "idempotency-key").unwrap().1.clone();

        let others = [bill.replace(3), bill.delete(), bill.capture(), bill.release(), bill.renew()];
        let mut rows: Vec<(Request, ExpectedError)> =
            others.into_iter().map(|it| (it.keyed(key.clone()), REUSED)).collect();
        rows.push((open.clone().sending(equally(2)), REUSED));
        check(&world, rows).await;
        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));
        check(&world, vec![(open, EXPIRED)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_retried_split_may_differ_in_spelling_and_not_in_parts() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let bill = Bill { token: world.token(&created, "pay").await, created };
        let open = bill.open(2);
        let first = world.send(&open).await;
        let spelled = world.send(&open.clone().sending(r#" { "partCount" : 2, "strateg\u0079" : "equal" } "#)).await;
        let card = bill.card(1, APPROVED_CARD).keyed("card");
        let submitted = world.send(&card).await;

        assert_replayed(&first, &spelled);
        assert_eq!(submitted.status, 200);
        check(&world, vec![(bill.card(2, APPROVED_CARD).keyed("card"), REUSED)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_refused_command_leaves_its_key_unused() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let capture = bill.capture();
        assert_eq!(world.send(&capture).await.error().1, "payment_split_not_capturable");
        world.reserve(&bill, [1, 2]).await;

        let captured = world.done(&capture).await;

        assert_eq!((captured.field("/status"), captured.header("idempotent-replayed")), ("succeeded".to_owned(), ""));
    })
    .await;
}

#[actix_web::test]
async fn ten_concurrent_captures_get_the_same_response_or_in_progress() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(3).await;
        let served = Served::start(&world);
        let capture = bill.capture();

        let responses = join_all((0..10).map(|_| served.send(&capture))).await;

        let (done, others): (Vec<&TestResponse>, Vec<&TestResponse>) =
            responses.iter().partition(|it| it.status == 200);
        assert_eq!(done.iter().filter(|it| it.header("idempotent-replayed").is_empty()).count(), 1);
        assert!(done.iter().all(|it| it.text() == done[0].text()));
        assert!(others.iter().all(|it| it.error().1 == "idempotency_request_in_progress"));
        assert_eq!(world.at_the_acquirer(), ["captured"; 3]);
        served.stop().await;
    })
    .await;
}
