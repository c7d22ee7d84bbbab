//! Voids and refunds beyond the contract of card providers.

use chrono::TimeDelta;
use domain::refund::{RefundFailureCode, RefundFinding};
use ports::{
    CardProvider, Clock, NotSubmitted, RefundResponse,
    ReturnMethod::{Refund, Void},
};
use sandbox::{Fault, PortalRefusal, Target};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{
    provider::refunds::{is_returned, refund},
    sample::{account_id, attempt_id},
};

use crate::{
    till::Till,
    web::{Shop, purchase},
};

const GOOD: &str = "4222220000000008";

#[tokio::test]
async fn refunds_survive_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("acquirer.jsonl");
    let before = Till::with_journal(&path);
    before.charge(1, GOOD).await;
    before.charge(3, "4222220031000050").await;
    let now = before.clock.now();
    let (part, declined) = (refund((2, 1), Refund, 100_00, None, now), refund((4, 3), Refund, 18_00, None, now));
    assert!(is_returned(&before.acquirer.refund(part.clone()).await, Refund));
    assert!(matches!(before.acquirer.refund(declined.clone()).await, RefundResponse::Refused(_)));
    let listed = before.acquirer.transactions();
    drop(before);

    let after = Till::with_journal(&path);

    assert_eq!(after.acquirer.transactions(), listed);
    let found = async |request| after.acquirer.look_up_refund(request).await.finding;
    assert_eq!(found(part.clone()).await, RefundFinding::Done { amount: 100_00 });
    assert_eq!(found(declined).await, RefundFinding::Refused(RefundFailureCode::DeclinedByProvider));
    let rest = |amount| after.acquirer.refund(refund((5, 1), Refund, amount, None, now));
    assert_eq!(rest(18_01).await, RefundResponse::Refused(RefundFailureCode::AlreadyReturned));
    assert!(is_returned(&rest(18_00).await, Refund));
}

#[tokio::test]
async fn a_refund_is_listed_with_its_charge() {
    let till = Till::new();
    let charge = till.charge(1, GOOD).await;
    let request = refund((2, 1), Refund, 18_00, charge.reference.clone(), till.clock.now());
    let _ = till.acquirer.refund(request).await;

    let all = till.acquirer.transactions();

    let [refund, charged] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((refund.kind, refund.status, refund.amount_minor_units), ("refund", "approved", 18_00));
    assert_eq!((&refund.refunded_reference, &charged.refunded_reference), (&charge.reference, &None));
    assert_eq!((&refund.attempt_id, &refund.payment_id), (&attempt_id(2).to_string(), &charged.payment_id));
    assert_eq!((charged.status, &refund.last4), ("approved", &charged.last4));
}

/// Requests are not deduplicated: a repeated one returns more money.
#[tokio::test]
async fn a_refund_submitted_twice_returns_twice() {
    let till = Till::new();
    till.charge(1, GOOD).await;
    let request = refund((2, 1), Refund, 18_00, None, till.clock.now());

    let first = till.acquirer.refund(request.clone()).await;
    let second = till.acquirer.refund(request).await;

    assert!(is_returned(&first, Refund) && is_returned(&second, Refund));
    assert_ne!(first, second);
}

#[tokio::test]
async fn faults_happen_to_voids_and_refunds() {
    for method in [Void, Refund] {
        for fault in [Fault::AfterCommit, Fault::Delay, Fault::Drop, Fault::Status, Fault::VisibilityLag] {
            let till = Till::new();
            till.charge(1, GOOD).await;
            let request = refund((2, 1), method, 118_00, None, till.clock.now());
            let inject = |fault| till.faults.inject(Target::Acquirer, fault, 1).unwrap();

            inject(Fault::BeforeRequest);
            let never = till.acquirer.refund(request.clone()).await;
            inject(fault);
            let lost = till.acquirer.refund(request.clone()).await;
            inject(Fault::Drop);
            let unknown = till.acquirer.look_up_refund(request.clone()).await.finding;
            let early = till.acquirer.look_up_refund(request.clone()).await.finding;
            till.clock.advance(TimeDelta::minutes(5));
            let found = till.acquirer.look_up_refund(request).await.finding;

            assert_eq!(never, RefundResponse::NotSubmitted(NotSubmitted::Unavailable));
            assert_eq!((lost, unknown), (RefundResponse::Ambiguous, RefundFinding::Unknown));
            assert_eq!(found, RefundFinding::Done { amount: 118_00 }, "{method:?} {fault:?}");
            assert_eq!(early == found, fault != Fault::VisibilityLag, "{method:?} {fault:?}");
        }
    }
}

#[tokio::test]
async fn the_portal_refunds_no_more_than_is_left() {
    let till = Till::new();
    till.charge(1, GOOD).await;
    let money = |minor_units| domain::Money::new(minor_units, domain::Currency::Dop);
    let (account, attempt) = (account_id(1), attempt_id(1));
    let portal = |minor_units| till.acquirer.refund_at_portal(account.as_str(), attempt.as_str(), money(minor_units));

    assert!(portal(100_00).is_ok());
    assert_eq!(portal(18_01), Err(PortalRefusal::NotRefundable));
    till.clock.advance(TimeDelta::days(184));
    assert_eq!(portal(18_00), Err(PortalRefusal::TooOld));
    let other = till.acquirer.refund_at_portal(account.as_str(), attempt_id(2).as_str(), money(1));
    assert_eq!(other, Err(PortalRefusal::NotRefundable));
}

fn refund_body(order: &Value, amount: &str, name: &str) -> Value {
    json!({ "TrxType": "Refund", "AzulOrderId": order, "Amount": amount, "Itbis": "000", "CurrencyPosCode": "$",
        "OrderNumber": "", "CustomOrderId": name, "OriginalDate": "20260301" })
}

#[tokio::test]
async fn refused_refunds_are_spelled_as_by_the_acquirer() {
    let shop = Shop::open().await;
    let cases = [
        ("4222220031000050", "ISO8583", "05", ""),
        ("4222220036000998", "Error", "", "VALIDATION_ERROR:OriginalDate"),
        (
            "4222220037000997",
            "ISO8583",
            "99",
            "SGS-007778: Transaction timed out and has not been processed, please retry.",
        ),
    ];
    for (number, class, code, description) in cases {
        let sale = shop.ask("", purchase("Sale", number, number)).await;

        let answer = shop.ask("", refund_body(&sale["AzulOrderId"], "100", "r")).await;

        let expected = (&json!(class), &json!(code), &json!(description));
        assert_eq!((&answer["ResponseCode"], &answer["IsoCode"], &answer["ErrorDescription"]), expected, "{number}");
    }
    let sale = shop.ask("", purchase("Sale", GOOD, "old")).await;
    shop.clock.advance(TimeDelta::days(184));
    let late = shop.ask("", refund_body(&sale["AzulOrderId"], "100", "late")).await;
    assert_eq!((&late["IsoCode"], &late["RRN"]), (&json!("99"), &json!("")));
    assert!(late["ErrorDescription"].as_str().is_some_and(|it| it.starts_with("SGS-005995")), "{late}");
}

#[tokio::test]
async fn a_test_control_refunds_at_the_portal() {
    let shop = Shop::open().await;
    shop.ask("", purchase("Sale", GOOD, "pa_1")).await;
    let portal = async |amount: i64| {
        let body = json!({ "store": "39000000001", "customOrderId": "pa_1", "amountMinorUnits": amount });
        shop.client.post(shop.address("/simulator/returns")).json(&body).send().await.unwrap().status().as_u16()
    };

    assert_eq!((portal(1_800).await, portal(0).await, portal(10_001).await), (200, 400, 400));
    let newest = shop.ask("?VerifyPayment", json!({ "CustomOrderId": "pa_1" })).await;
    assert_eq!((&newest["TransactionType"], &newest["Amount"]), (&json!("Refund"), &json!("1800")));
}
