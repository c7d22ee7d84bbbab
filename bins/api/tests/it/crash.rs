use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::{APPROVED_CARD, Client, Created, Sandbox};

/// Number of sales. The process is killed at a different time of each.
const SALES: u64 = 24;

/// Delay before the kill in round `n`: half a millisecond more than in the round before, then
/// one millisecond, and so on: most steps are at the beginning, and slow machines take longer.
fn delay_before_kill(n: u64) -> Duration {
    Duration::from_micros(n * (n + 1) * 250)
}

/// A26: a card was charged twice, and the submissions could not be reconstructed afterwards.
#[tokio::test]
async fn a_power_cut_while_a_card_is_charged_costs_neither_money_nor_number() {
    let mut sandbox = Sandbox::start().await;
    let mut sales = Vec::new();
    for n in 0..SALES {
        let client = sandbox.client();
        let created = client.create(&format!("sale-{n}")).await;

        let submission = tokio::spawn({
            let (client, created) = (client.clone(), created.clone());
            async move { client.pay(&created, APPROVED_CARD, "pay").await }
        });
        sleep(delay_before_kill(n)).await;
        sandbox.crash().await;
        // Whether the charge completed before the kill is random, and so is the response.
        drop(submission.await.unwrap());

        check_attempt_is_stored(&sandbox.client(), &created).await;
        finish(&sandbox.client(), &created).await;
        sales.push(created);
    }
    check_each_sale_once(&sandbox.client(), &sales).await;
}

#[tokio::test]
async fn a_power_cut_while_a_document_is_issued_costs_no_number() {
    let mut sandbox = Sandbox::start().await;
    let mut sales = Vec::new();
    for n in 0..SALES {
        let client = sandbox.client();
        let created = client.create(&format!("sale-{n}")).await;
        let paid = client.pay(&created, APPROVED_CARD, "pay").await.unwrap();
        assert_eq!(paid.text("/status"), "succeeded");

        // Advancing the clock wakes the worker at once.
        let issuing =
            tokio::spawn(async move { client.control("/sandbox/clock/advance", &json!({ "seconds": 0 })).await });
        sleep(delay_before_kill(n)).await;
        sandbox.crash().await;
        drop(issuing.await.unwrap());

        finish(&sandbox.client(), &created).await;
        sales.push(created);
    }
    check_each_sale_once(&sandbox.client(), &sales).await;
}

/// Each transaction at the acquirer has an attempt in the payment.
async fn check_attempt_is_stored(client: &Client, created: &Created) {
    let transactions = client.records("/sandbox/acquirer/transactions").await;
    let status = client.get(&format!("/v1/payments/{}", created.payment)).await.text("/status");
    if transactions.iter().any(|it| it["paymentId"] == created.payment.as_str()) {
        assert!(["processing", "verifying", "succeeded"].contains(&status.as_str()), "{created:?} is {status}");
    }
}

/// Acts as a client without a response: reads the payment, waits, and retries only
/// an unpaid payment.
pub(crate) async fn finish(client: &Client, created: &Created) {
    for attempt in 0..40 {
        let payment = client.get(&format!("/v1/payments/{}", created.payment)).await;
        let document = client.get(&format!("/v1/fiscal_documents/{}", created.document)).await;
        match (payment.text("/status").as_str(), document.text("/status").as_str()) {
            ("succeeded", "issued") => return,
            ("requires_customer_action", _) => {
                client.pay(created, APPROVED_CARD, &format!("again-{attempt}")).await.unwrap();
            }
            ("processing" | "verifying", _) | ("succeeded", "issuing" | "delayed") => {
                client.control("/sandbox/clock/advance", &json!({ "seconds": 120 })).await.unwrap();
            }
            other => panic!("unexpected statuses: {other:?}"),
        }
    }
    panic!("the document was never issued");
}

/// Each sale has one approval, one number and one accepted document, and no number is missing.
pub(crate) async fn check_each_sale_once(client: &Client, sales: &[Created]) {
    let transactions = client.records("/sandbox/acquirer/transactions").await;
    let documents = client.records("/sandbox/authority/documents").await;

    for sale in sales {
        let is_of_sale = |it: &&Value| it["paymentId"] == sale.payment.as_str();
        let statuses: Vec<&Value> = transactions.iter().filter(is_of_sale).map(|it| &it["status"]).collect();
        assert_eq!(statuses, ["approved"], "{sale:?}");
    }
    assert_eq!(transactions.len(), sales.len());

    let mut numbers = BTreeSet::new();
    for sale in sales {
        let document = client.issued(sale).await;
        let number = document["fiscalNumber"].as_str().unwrap().to_owned();
        let accepted = documents.iter().filter(|it| it["number"] == number.as_str() && it["status"] == "accepted");
        assert_eq!(accepted.count(), 1, "{number}");
        numbers.insert(number);
    }
    let expected: BTreeSet<String> = (1..=sales.len()).map(|n| format!("E32{n:010}")).collect();
    assert_eq!(numbers, expected);
}
