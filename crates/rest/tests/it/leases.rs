//! Idempotency keys of long or crashed commands.

use std::time::Duration;

use actix_web::rt::time::sleep;
use app::settle_payment;
use chrono::TimeDelta;
use domain::PaymentId;
use futures_util::future::join_all;

use crate::support::{APPROVED_CARD, Request, SALE, TestResponse, World, on_each_store};

/// Time for a few renewals.
const A_WHILE: Duration = Duration::from_millis(200);

/// Submits a card, runs `meanwhile` before the issuer responds, and returns the response.
async fn while_a_card_is_out(world: &World, submission: &Request, meanwhile: impl AsyncFnOnce()) -> TestResponse {
    world.gate.block_calls();
    let (response, ()) = tokio::join!(world.send(submission), async {
        world.gate.until_blocked().await;
        meanwhile().await;
        world.gate.stop_blocking();
        world.gate.let_one_pass();
    });
    response
}

async fn status(world: &World, created: &TestResponse) -> String {
    let path = format!("/v1/payments/{}", created.field("/id"));
    world.send(&Request::get(path, &world.one.key)).await.field("/status")
}

#[track_caller]
fn assert_in_progress(response: &TestResponse) {
    let expected = (409, "idempotency_request_in_progress".to_owned(), Some("idempotency-key".to_owned()));
    assert_eq!((response.error(), response.header("retry-after")), (expected, "1"));
}

/// A2: a lock ended before the work.
#[actix_web::test]
async fn a_command_that_still_runs_keeps_its_key_beyond_one_lease() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;

        let paid = while_a_card_is_out(&world, &submission, async || {
            for _ in 0..2 {
                world.clock.advance(TimeDelta::seconds(50));
                sleep(A_WHILE).await;
                assert_in_progress(&world.send(&submission).await);
            }
        })
        .await;

        let again = world.send(&submission).await;
        assert_eq!((paid.field("/status"), paid.header("idempotent-replayed")), ("succeeded".to_owned(), ""));
        assert_eq!((again.text(), again.header("idempotent-replayed")), (paid.text(), "true"));
        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}

#[actix_web::test]
async fn a_hanging_command_loses_its_key_lease() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;

        let hung = while_a_card_is_out(&world, &submission, async || {
            for _ in 0..3 {
                world.clock.advance(TimeDelta::seconds(41));
                sleep(A_WHILE).await;
            }
            // The look-up finds no charge yet: the outcome stays unknown, and no second charge is made.
            let verifying = world.send(&submission).await;
            assert_eq!((verifying.status, verifying.field("/status")), (200, "verifying".to_owned()));
        })
        .await;
        world.clock.advance(TimeDelta::seconds(15));
        let payment = PaymentId::parse(&created.field("/id")).unwrap();
        settle_payment(&world.ports, &world.one.tenant, &payment).await.unwrap();

        assert_in_progress(&hung);
        assert_eq!(status(&world, &created).await, "succeeded");
        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}

#[actix_web::test]
async fn of_many_retries_after_a_crash_one_resumes() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;

        while_a_card_is_out(&world, &submission, async || {
            world.clock.advance(TimeDelta::seconds(121));
            let responses = join_all((0..10).map(|_| world.send(&submission))).await;

            let fresh = |it: &&TestResponse| it.status == 200 && it.header("idempotent-replayed").is_empty();
            assert_eq!(responses.iter().filter(fresh).count(), 1);
            let verifying = responses.iter().find(fresh).unwrap();
            for response in &responses {
                if response.status == 200 {
                    assert_eq!(response.text(), verifying.text());
                } else {
                    assert_in_progress(response);
                }
            }
        })
        .await;

        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}

/// A1: a retry with the same key finds the same charge after any first response.
#[actix_web::test]
async fn an_outcome_that_was_not_stored_is_looked_up_by_the_next_request() {
    on_each_store(async |world| {
        for (number, breaks) in (1..).zip([true, false]) {
            let created = world.sale(SALE).await;
            let submission = world.submission(&created, APPROVED_CARD).await;

            let failed = while_a_card_is_out(&world, &submission, async || {
                if breaks { world.sale_store.fail() } else { world.sale_store.panic() }
            })
            .await;
            world.sale_store.recover();
            let paid = world.send(&submission).await;
            let again = world.send(&submission).await;

            assert_eq!(failed.error(), (500, "internal_error".to_owned(), None));
            assert_eq!((paid.status, paid.field("/status")), (200, "succeeded".to_owned()));
            assert_eq!((again.text(), again.header("idempotent-replayed")), (paid.text(), "true"));
            assert_eq!(world.acquirer.transactions().len(), number);
        }
    })
    .await;
}
