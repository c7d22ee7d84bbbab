//! A split from the bill to the document.

use serde_json::{Value, json};

use crate::support::{APPROVED_CARD, Bill, DECLINED_CARD, Request, SALE, World, on_each_store, statuses};

/// Returns the shares of 1,180.00.
const SHARES: [i64; 3] = [393_34, 393_33, 393_33];

/// Returns the totals of a split: captured, reserved, to be reserved, to be captured.
fn figures(split: &Value) -> [i64; 4] {
    let money = |name: &str| {
        assert_eq!(split[name]["currency"], "DOP");
        split[name]["minorUnits"].as_i64().unwrap()
    };
    ["captured", "authorized", "remainingToAuthorize", "remainingToCapture"].map(money)
}

#[actix_web::test]
async fn a_bill_of_three_is_paid_although_one_card_is_declined_first() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let bill = Bill { token: world.token(&created, "pay").await, created };

        let opened = world.done(&bill.open(3)).await;
        assert_eq!((opened.status, opened.field("/status")), (201, "requires_customer_action".to_owned()));
        assert!(opened.json().get("split").is_none(), "a token reads the split by itself");
        let split = world.done(&Request::get(bill.at(""), &bill.token)).await;
        assert_eq!((split.field("/status"), split.field("/organizer")), ("open".to_owned(), "payer".to_owned()));
        assert_eq!(figures(&split.json()), [0, 0, 1180_00, 1180_00]);
        let shares: Vec<(i64, i64)> = split.json()["parts"].as_array().unwrap().iter().map(share).collect();
        assert_eq!(shares, SHARES.map(|it| (it, 60_00)));

        let first = world.submit(&bill, 1, APPROVED_CARD).await;
        let declined = world.submit(&bill, 2, DECLINED_CARD).await;
        assert_eq!(
            [first.field("/status"), declined.field("/status")],
            ["partially_authorized", "partially_authorized"]
        );
        assert_eq!(declined.json()["decline"], Value::Null, "a decline stays with its part");
        let part = world.part(&bill, 2).await;
        assert_eq!(part["decline"]["code"], "insufficient_funds");
        assert_eq!((&part["decline"]["canTryAgain"], &part["attemptCount"]), (&json!(true), &json!(1)));
        let split = world.split(&bill).await;
        assert_eq!(statuses(&split), ["authorized", "declined", "unpaid"]);
        assert_eq!(figures(&split), [0, 393_34, 786_66, 1180_00]);

        world.submit(&bill, 2, APPROVED_CARD).await;
        let last = world.submit(&bill, 3, APPROVED_CARD).await;
        assert_eq!(last.field("/status"), "authorized");
        assert!(last.json().get("nextAction").is_none(), "no action of a payer is pending");
        assert_eq!(figures(&world.split(&bill).await), [0, 1180_00, 0, 1180_00]);

        let captured = world.done(&bill.capture()).await;
        assert_eq!((captured.status, captured.field("/status")), (200, "succeeded".to_owned()));
        let payment = world.payment(&bill).await;
        assert_eq!(figures(&payment["split"]), [1180_00, 0, 0, 0]);
        assert_eq!(payment["split"]["capturedCount"], 3);
        assert_eq!(statuses(&payment["split"]), ["succeeded"; 3]);
        assert_eq!(world.at_the_acquirer(), ["captured", "declined", "captured", "captured"]);
        assert_one_document(&world, &bill).await;
    })
    .await;
}

fn share(part: &Value) -> (i64, i64) {
    (part["amount"]["minorUnits"].as_i64().unwrap(), part["allocatedItbis"]["minorUnits"].as_i64().unwrap())
}

/// The sale has one document of the total.
async fn assert_one_document(world: &World, bill: &Bill) {
    assert_eq!(world.payment(bill).await["fiscalDocument"]["status"], "issuing");
    world.issue(&bill.created).await;
    world.settle(bill).await;

    let document = &world.payment(bill).await["fiscalDocument"];
    assert_eq!((&document["status"], &document["fiscalNumber"]), (&json!("issued"), &json!("E320000000001")));
    let signed = format!("/v1/fiscal_documents/{}/signed-document", document["id"].as_str().unwrap());
    let signed = world.done(&Request::get(signed, &world.one.key)).await;
    assert!(signed.text().contains("<MontoTotal>1180.00</MontoTotal>"), "{}", signed.text());
    let events = world.event_types(bill).await;
    let count = |kind: &str| events.iter().filter(|it| *it == kind).count();
    assert_eq!((count("fiscal_document.issuing"), count("fiscal_document.issued")), (1, 1), "{events:?}");
}

#[actix_web::test]
async fn a_merchants_server_splits_by_amounts_and_sees_every_part() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let bill = Bill { token: world.one.key.clone(), created };
        let body = r#"{"strategy":"amounts","parts":[
            {"amount":{"currency":"DOP","minorUnits":100000}},{"amount":{"currency":"DOP","minorUnits":18000}}
        ]}"#;

        let opened = world.done(&Request::post(bill.at(""), &world.one.key, body)).await;

        assert_eq!(opened.status, 201);
        let split = &opened.json()["split"];
        let shares: Vec<(i64, i64)> = split["parts"].as_array().unwrap().iter().map(share).collect();
        assert_eq!(shares, [(1000_00, 152_54), (180_00, 27_46)]);
        assert_eq!(world.split(&bill).await["organizer"], "merchant");
        assert_eq!(opened.field("/expiresAt"), world.split(&bill).await["expiresAt"]);
        let payer = world.token(&bill.created, "pay").await;
        for ordinal in [1, 2] {
            world.done(&bill.card(ordinal, APPROVED_CARD).with("authorization", format!("Bearer {payer}"))).await;
        }
        let captured = world.done(&bill.capture()).await;
        assert_eq!(captured.field("/status"), "succeeded");
        assert_eq!(captured.json()["split"]["status"], "succeeded");
        assert_one_document(&world, &bill).await;
    })
    .await;
}

#[actix_web::test]
async fn a_tip_is_shared_and_stays_out_of_the_document() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let tip = format!("/v1/payments/{}/voluntary-tip", created.field("/id"));
        let body = r#"{"amount":{"currency":"DOP","minorUnits":2000}}"#;
        world.done(&Request::put(&tip, &token, body)).await;

        let bill = world.shared(created, 2).await;
        let refused = world.send(&Request::put(&tip, &token, body)).await;

        assert_eq!(refused.error(), (409, "payment_not_editable".to_owned(), None));
        assert_eq!(figures(&world.split(&bill).await), [0, 0, 1200_00, 1200_00]);
        world.reserve(&bill, [1, 2]).await;
        world.done(&bill.capture()).await;
        let taken: Vec<i64> = world.acquirer.transactions().iter().map(|it| it.amount_minor_units).collect();
        assert_eq!(taken, [600_00, 600_00]);
        assert_one_document(&world, &bill).await;
    })
    .await;
}

#[actix_web::test]
async fn every_amount_and_its_tax_reach_the_acquirer_as_shared() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(3).await;

        world.done(&bill.capture()).await;

        let mut taken: Vec<(i64, i64)> =
            world.acquirer.transactions().iter().map(|it| (it.amount_minor_units, it.itbis_minor_units)).collect();
        taken.reverse();
        assert_eq!(taken, SHARES.map(|it| (it, 60_00)));
    })
    .await;
}
