//! One sale with concurrent commands.

use chrono::TimeDelta;
use futures_util::future::{join, join_all};
use sandbox::demo_buyers;

use super::{event_count, payment, settle};
use crate::support::{APPROVED_CARD, LOST_CARD, Request, SALE, Served, TestResponse, World, on_each_store};

/// Submits a card with a lost response and a look-up that is due.
async fn verifying_payment(world: &World) -> TestResponse {
    let created = world.sale(SALE).await;
    let submitted = world.send(&world.submission(&created, LOST_CARD).await).await;
    assert_eq!(submitted.field("/status"), "verifying");
    world.clock.advance(TimeDelta::seconds(15));
    created
}

/// A10: a payment was credited once for each process that confirmed.
#[actix_web::test]
async fn ten_reconcilers_of_one_attempt_move_it_once() {
    on_each_store(async |world| {
        let created = verifying_payment(&world).await;
        let before = payment(&world, &created).await.header("etag").to_owned();

        join_all((0..10).map(|_| settle(&world, &created))).await;

        let after = payment(&world, &created).await;
        assert_eq!(after.field("/status"), "succeeded");
        assert_eq!((before.as_str(), after.header("etag")), ("\"2-0\"", "\"3-1\""));
        for kind in ["payment.verifying", "payment.succeeded", "fiscal_document.issuing"] {
            assert_eq!(event_count(&world, &created, kind).await, 1, "{kind}");
        }
        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}

/// A11: a second charge was accepted while the outcome of the first was unknown.
#[actix_web::test]
async fn no_card_is_accepted_while_another_has_an_unknown_outcome() {
    on_each_store(async |world| {
        let created = verifying_payment(&world).await;

        for number in [APPROVED_CARD, LOST_CARD] {
            let another = world.send(&world.submission(&created, number).await).await;
            assert_eq!(another.error(), (409, "payment_awaiting_verification".to_owned(), None));
        }

        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}

/// A14, A19: an outcome was recorded by the look-up and again by the response.
#[actix_web::test]
async fn an_outcome_found_by_look_up_before_the_response_counts_once() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        world.gate.block_responses();

        let (paid, found) = tokio::join!(world.send(&submission), async {
            world.gate.until_blocked().await;
            world.clock.advance(TimeDelta::seconds(121));
            settle(&world, &created).await;
            world.clock.advance(TimeDelta::seconds(15));
            settle(&world, &created).await;
            let found = payment(&world, &created).await;
            world.gate.stop_blocking();
            world.gate.let_one_pass();
            found
        });

        assert_eq!(found.field("/status"), "succeeded");
        assert_eq!((paid.status, paid.field("/status")), (200, "succeeded".to_owned()));
        assert_eq!(payment(&world, &created).await.text(), found.text(), "the late response changes nothing");
        assert_eq!(event_count(&world, &created, "payment.succeeded").await, 1);
        let statuses: Vec<String> = world.acquirer.transactions().iter().map(|it| it.status.to_string()).collect();
        assert_eq!(statuses, ["approved"]);
    })
    .await;
}

/// A19: the same in the other order.
#[actix_web::test]
async fn an_outcome_in_the_response_is_not_looked_up() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let paid = world.send(&world.submission(&created, APPROVED_CARD).await).await;
        world.clock.advance(TimeDelta::hours(1));

        join_all((0..10).map(|_| settle(&world, &created))).await;

        assert_eq!(paid.field("/status"), "succeeded");
        assert_eq!(event_count(&world, &created, "payment.succeeded").await, 1);
        assert_eq!(event_count(&world, &created, "payment.verifying").await, 0);
    })
    .await;
}

/// A23: a form that was sent while the payment completed failed.
#[actix_web::test]
async fn a_choice_that_races_a_card_comes_before_it_or_is_refused() {
    on_each_store(async |world| {
        let served = Served::start(&world);
        let buyer = demo_buyers().company;
        let body = format!(r#"{{"kind":"fiscal_credit","buyer":{{"identityKind":"domestic","taxId":"{buyer}"}}}}"#);
        for round in 0..20 {
            let created = world.sale(SALE).await;
            let token = world.token(&created, "pay").await;
            let path = format!("/v1/payments/{}/fiscal-document-choice", created.field("/id"));
            let choice = Request::put(path, &token, body.clone());
            let submission = world.submission(&created, APPROVED_CARD).await;

            let (paid, chosen) = if round % 2 == 0 {
                join(served.send(&submission), served.send(&choice)).await
            } else {
                let (chosen, paid) = join(served.send(&choice), served.send(&submission)).await;
                (paid, chosen)
            };

            assert_eq!((paid.status, paid.field("/status")), (200, "succeeded".to_owned()));
            let kind = payment(&world, &created).await.field("/fiscalDocument/kind");
            match chosen.status {
                200 => assert_eq!(kind, "fiscal_credit"),
                _ => {
                    assert_eq!(chosen.error(), (409, "payment_not_editable".to_owned(), None));
                    assert_eq!(kind, "consumer");
                }
            }
        }
        served.stop().await;
    })
    .await;
}

/// A23: a card arrived between the read and the commit of a choice.
#[actix_web::test]
async fn a_choice_is_not_stored_after_a_card_was_submitted() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let path = format!("/v1/payments/{}/fiscal-document-choice", created.field("/id"));
        let buyer = demo_buyers().company;
        let body = format!(r#"{{"kind":"fiscal_credit","buyer":{{"identityKind":"domestic","taxId":"{buyer}"}}}}"#);
        let choice = Request::put(path, &world.one.key, body);
        world.gate.block_calls();
        world.sale_store.block_next_commit();

        let (chosen, paid, ()) = tokio::join!(
            world.send(&choice),
            async {
                world.sale_store.until_blocked().await;
                world.send(&submission).await
            },
            async {
                world.gate.until_blocked().await;
                world.sale_store.let_commit_pass();
                // The response to the card waits until the choice is refused.
                while world.sale_store.stale_commits() == 0 {
                    actix_web::rt::task::yield_now().await;
                }
                world.gate.stop_blocking();
                world.gate.let_one_pass();
            }
        );

        assert_eq!(paid.field("/status"), "succeeded");
        assert_eq!(chosen.error(), (409, "payment_not_editable".to_owned(), None));
        assert_eq!(payment(&world, &created).await.field("/fiscalDocument/kind"), "consumer");
    })
    .await;
}

/// A25: two tabs of one checkout made two charges.
#[actix_web::test]
async fn of_two_tabs_with_keys_of_their_own_one_pays() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let (one, other) =
            (world.submission(&created, APPROVED_CARD).await, world.submission(&created, APPROVED_CARD).await);
        world.gate.block_calls();

        let (paid, refused) = tokio::join!(world.send(&one), async {
            world.gate.until_blocked().await;
            let seen = payment(&world, &created).await.field("/status");
            let refused = world.send(&other).await;
            world.gate.stop_blocking();
            world.gate.let_one_pass();
            (seen, refused)
        });

        assert_eq!(refused.0, "processing");
        assert_eq!(refused.1.error(), (409, "payment_method_already_in_progress".to_owned(), None));
        assert_eq!(paid.field("/status"), "succeeded");
        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}
