//! One bill with concurrent payments, captures and releases.

use chrono::TimeDelta;
use futures_util::future::{join, join_all};

use crate::support::{
    APPROVED_CARD, DEAF_CARD, Request, SALE, Served, UNCAPTURABLE_CARD, check, on_each_store, statuses, with,
};

/// A4: captures read, called and wrote, so that all concurrent captures read before the first wrote.
#[actix_web::test]
async fn of_ten_captures_at_once_one_captures_each_part_once() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(3).await;
        let served = Served::start(&world);
        let captures: Vec<Request> = (0..10).map(|_| bill.capture()).collect();

        let responses = join_all(captures.iter().map(|it| served.send(it))).await;

        assert_eq!(responses.iter().filter(|it| it.status == 200).count(), 1);
        for response in responses.iter().filter(|it| it.status != 200) {
            let (status, code, _) = response.error();
            let known = ["payment_split_not_capturable", "payment_split_complete"];
            assert!(status == 409 && known.contains(&code.as_str()), "{code}");
        }
        assert_eq!(world.at_the_acquirer(), ["captured"; 3]);
        let events = world.event_types(&bill).await;
        assert_eq!(events.iter().filter(|it| *it == "payment_part.captured").count(), 3, "{events:?}");
        served.stop().await;
    })
    .await;
}

/// A13, B7: a cancellation raced a capture, and one bill was partly charged and partly released.
#[actix_web::test]
async fn a_capture_that_races_a_release_takes_all_or_nothing() {
    on_each_store(async |world| {
        let served = Served::start(&world);
        for round in 0..12 {
            let bill = world.reserved_bill(2).await;
            let (capture, release) = (bill.capture(), bill.release());

            let (captured, released) = if round % 2 == 0 {
                join(served.send(&capture), served.send(&release)).await
            } else {
                let (released, captured) = join(served.send(&release), served.send(&capture)).await;
                (captured, released)
            };

            let split = world.split(&bill).await;
            match (captured.status, released.status) {
                (200, 409) => assert_eq!(statuses(&split), ["succeeded"; 2]),
                (409, 200) => assert_eq!(statuses(&split), ["released"; 2]),
                (one, other) => panic!("{one} {}, {other} {}", captured.text(), released.text()),
            }
            let events = world.event_types(&bill).await;
            for kind in ["payment.capturing", "payment.releasing", "payment.succeeded", "payment.canceled"] {
                assert!(events.iter().filter(|it| *it == kind).count() <= 1, "{kind}: {events:?}");
            }
        }
        served.stop().await;
    })
    .await;
}

/// A25: two payers paid the same share.
#[actix_web::test]
async fn of_two_payers_of_one_share_one_pays() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let served = Served::start(&world);
        let payer_token = world.token(&bill.created, "pay").await;
        let other = bill.card(1, APPROVED_CARD).with("authorization", format!("Bearer {payer_token}"));
        let cards = [bill.card(1, APPROVED_CARD), other];

        let responses = join_all(cards.iter().map(|it| served.send(it))).await;

        assert_eq!(responses.iter().filter(|it| it.status == 200).count(), 1);
        let refused = responses.iter().find(|it| it.status != 200).unwrap().error().1;
        assert!(
            ["payment_method_already_in_progress", "payment_part_not_payable"].contains(&refused.as_str()),
            "{refused}"
        );
        assert_eq!(world.at_the_acquirer(), ["held"]);
        served.stop().await;
    })
    .await;
}

/// Ten payers at one table submit at once, each for another share.
#[actix_web::test]
async fn ten_payers_at_once_pay_ten_shares() {
    on_each_store(async |world| {
        let bill = world.bill(10).await;
        let served = Served::start(&world);
        let cards: Vec<Request> = (1..=10).map(|ordinal| bill.card(ordinal, APPROVED_CARD)).collect();

        let responses = join_all(cards.iter().map(|it| served.send(it))).await;

        assert!(responses.iter().all(|it| it.status == 200), "{responses:?}");
        assert_eq!(world.payment(&bill).await["status"], "authorized");
        assert_eq!(world.at_the_acquirer(), ["held"; 10]);
        served.stop().await;
    })
    .await;
}

/// B4: a reservation that was renewed after expiry could not be captured in full.
#[actix_web::test]
async fn a_bill_that_expired_is_renewed_reserved_and_captured_in_full() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(3).await;
        world.clock.advance(TimeDelta::hours(2));
        world.settle(&bill).await;
        world.done(&bill.renew()).await;
        world.reserve(&bill, 1..=3).await;

        let captured = world.done(&bill.capture()).await;

        assert_eq!(captured.field("/status"), "succeeded");
        assert_eq!(world.at_the_acquirer(), ["reversed", "reversed", "reversed", "captured", "captured", "captured"]);
        let split = world.split(&bill).await;
        assert_eq!(split["captured"], captured.json()["totalAmount"]);
        assert_eq!(split["remainingToCapture"]["minorUnits"], 0);
    })
    .await;
}

/// B5: some parts were captured, and the funds of the others stayed reserved until their issuer released them.
#[actix_web::test]
async fn reservations_of_a_partial_payment_are_released() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [1]).await;
        world.submit(&bill, 2, UNCAPTURABLE_CARD).await;
        world.done(&bill.capture()).await;
        assert_eq!(world.at_the_acquirer(), ["captured", "held"]);

        world.clock.advance(TimeDelta::hours(24));
        world.settle(&bill).await;

        assert_eq!(world.at_the_acquirer(), ["captured", "reversed"]);
        let payment = world.payment(&bill).await;
        assert_eq!(
            (&payment["status"], statuses(&payment["split"])),
            (&"partially_paid".into(), vec!["succeeded", "expired"])
        );
        assert_eq!(payment["fiscalDocument"]["status"], "requested");
    })
    .await;
}

/// B8: a canceled payment could still be captured at the acquirer.
#[actix_web::test]
async fn a_canceled_split_is_released_once_and_never_captured() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(2).await;
        let cancellation = bill.cancel(&world.one.key);
        world.done(&cancellation).await;

        check(&world, vec![(bill.capture(), (409, "payment_split_not_capturable", None))]).await;
        world.done(&cancellation).await;
        world.settle(&bill).await;

        assert_eq!(world.at_the_acquirer(), ["reversed"; 2]);
        let events = world.event_types(&bill).await;
        assert_eq!(events.iter().filter(|it| *it == "payment_part.released").count(), 2, "{events:?}");
    })
    .await;
}

/// B11: a bill that missed the total by a cent was refused without the difference.
#[actix_web::test]
async fn shares_that_miss_the_total_are_refused_with_the_difference() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let part = |minor_units: i64| format!(r#"{{"amount":{{"currency":"DOP","minorUnits":{minor_units}}}}}"#);
        let body = format!(r#"{{"strategy":"amounts","parts":[{},{}]}}"#, part(1000_00), part(179_99));
        let path = format!("/v1/payments/{}/split", created.field("/id"));

        let refused = world.send(&Request::post(path, &world.one.key, body)).await;

        assert_eq!(refused.error(), (400, "payment_split_invalid".to_owned(), Some("parts".to_owned())));
        let message = refused.field("/error/message");
        assert!(message.contains("117999") && message.contains("118000"), "{message}");
    })
    .await;
}

/// B17: a failed release was not retried, so a payer stayed charged.
#[actix_web::test]
async fn a_failed_release_is_retried_until_the_funds_are_free() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.submit(&bill, 1, DEAF_CARD).await;
        world.clock.advance(TimeDelta::hours(2));
        world.faults.inject(sandbox::Target::Acquirer, sandbox::Fault::BeforeRequest, 5).unwrap();

        for _ in 0..30 {
            world.settle(&bill).await;
            let status = world.part(&bill, 1).await["status"].clone();
            assert!(["releasing", "verifying", "expired"].contains(&status.as_str().unwrap()), "{status}");
            world.clock.advance(TimeDelta::minutes(30));
        }

        assert_eq!(world.part(&bill, 1).await["status"], "expired");
        assert_eq!(world.at_the_acquirer(), ["reversed"]);
    })
    .await;
}

/// C121: a document lists at most seven forms of payment, and a bill may have ten payers.
#[actix_web::test]
async fn ten_cards_are_one_form_of_payment() {
    on_each_store(async |world| {
        let exempt =
            with(&with(SALE, "fiscalDocument.lines.0.taxTreatment", r#""exempt""#), "amount.minorUnits", "60001");
        let created = world.sale(&with(&exempt, "fiscalDocument.lines.0.unitPriceMinorUnits", "60001")).await;
        let bill = world.shared(created, 10).await;
        world.reserve(&bill, 1..=10).await;
        world.done(&bill.capture()).await;
        world.issue(&bill.created).await;

        let path = format!("/v1/fiscal_documents/{}/signed-document", bill.created.field("/fiscalDocument/id"));
        let signed = world.done(&Request::get(path, &world.one.key)).await;

        assert_eq!(signed.text().matches("<FormaDePago>").count(), 1, "{}", signed.text());
        assert!(signed.text().contains("<FormaPago>3</FormaPago><MontoPago>600.01</MontoPago>"), "{}", signed.text());
    })
    .await;
}

/// C129, C131, C145: a cent vanished, and the tax was shared by part.
#[actix_web::test]
async fn known_bills_are_divided_to_the_last_unit() {
    on_each_store(async |world| {
        let line = |field: &str, value: &str, body: &str| with(body, &format!("fiscalDocument.lines.0.{field}"), value);
        let dish = line("unitPriceMinorUnits", "10000", SALE);
        let eight = line("taxTreatment", r#""exempt""#, &line("unitPriceMinorUnits", "35316", SALE));
        // Total, number of shares, and each share with its ITBIS.
        let known = [
            (eight, 8, [[(44_15, 0); 4], [(44_14, 0); 4]].concat()),
            (line("isLegalTipApplicable", "true", &dish), 3, vec![(42_67, 6_00), (42_67, 6_00), (42_66, 6_00)]),
            (line("taxTreatment", r#""exempt""#, &dish), 3, vec![(33_34, 0), (33_33, 0), (33_33, 0)]),
        ];
        for (sale, count, shares) in known {
            let total: i64 = shares.iter().map(|it| it.0).sum();
            let created = world.sale(&with(&sale, "amount.minorUnits", &total.to_string())).await;
            let bill = world.shared(created, count).await;

            let split = world.split(&bill).await;

            let units = |part: &serde_json::Value, of: &str| part[of]["minorUnits"].as_i64().unwrap();
            let parts = split["parts"].as_array().unwrap().iter();
            let cut: Vec<(i64, i64)> = parts.map(|it| (units(it, "amount"), units(it, "allocatedItbis"))).collect();
            assert_eq!(cut, shares);
        }
    })
    .await;
}

/// C135, C137, C139: shares of zero, shares that miss the total, one payer, eleven payers.
#[actix_web::test]
async fn shares_that_do_not_partition_the_bill_are_refused() {
    on_each_store(async |world| {
        let exempt = with(SALE, "fiscalDocument.lines.0.taxTreatment", r#""exempt""#);
        let of = |total: i64| {
            let body = with(&exempt, "fiscalDocument.lines.0.unitPriceMinorUnits", &total.to_string());
            with(&body, "amount.minorUnits", &total.to_string())
        };
        let (small, usual) = (world.sale(&of(5_00)).await, world.sale(&of(261_80)).await);
        let post = |of: &crate::support::TestResponse, body: &str| {
            Request::post(format!("/v1/payments/{}/split", of.field("/id")), &world.one.key, body)
        };
        let part = |minor_units: i64| format!(r#"{{"amount":{{"currency":"DOP","minorUnits":{minor_units}}}}}"#);
        let parts = [100_00, 100_00, 61_79].map(part).join(",");
        let refusal = |param| (400, "payment_split_invalid", Some(param));

        check(
            &world,
            vec![
                (post(&small, &crate::support::equally(10)), refusal("partCount")),
                (post(&usual, &crate::support::equally(1)), refusal("partCount")),
                (post(&usual, &crate::support::equally(11)), refusal("partCount")),
                (post(&usual, &format!(r#"{{"strategy":"amounts","parts":[{parts}]}}"#)), refusal("parts")),
            ],
        )
        .await;
    })
    .await;
}
