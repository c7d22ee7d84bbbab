use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::scenario::Scenario;
use crate::support::{ApiResponse, Client, Created, pause};

/// Timeout of a request with all repetitions, and of a refund, while processes are killed.
const TIMEOUT: Duration = Duration::from_secs(180);
/// Interval between two reads of a refund.
const POLL: Duration = Duration::from_millis(200);
/// Maximum number of refunds of a sale: each one after the first follows a failed one.
const MOST: usize = 4;

/// The refunds of a sale until one has ended with its credit note.
pub(super) struct Returned {
    /// The requests: each idempotency key with the response.
    pub(super) requests: Vec<(String, ApiResponse)>,
    /// The last refund.
    pub(super) refund: Value,
}

/// Sells, and waits for the issued document.
pub(super) async fn sell(client: &Client, scenario: &Scenario, name: &str) -> Created {
    let sale = client.create(name).await;
    let path = format!("/v1/payments/{}/split", sale.payment);
    match scenario.cards {
        [card] => drop(client.pay(&sale, card, &format!("pay-{name}")).await.unwrap()),
        cards => {
            let split = json!({ "strategy": "equal", "partCount": cards.len() });
            client.post_own(&path, &format!("split-{name}"), &split).await;
            for (ordinal, card) in (1..).zip(cards) {
                client.pay_part(&sale, card, ordinal).await;
            }
            client.post_own(&format!("{path}/captures"), &format!("capture-{name}"), &json!({})).await;
        }
    }
    client.issued(&sale).await;
    sale
}

/// Refunds a sale as a merchant's program does: the program repeats a request without a response under the same key,
/// and requests another refund if one has failed.
pub(super) async fn refund(client: Client, scenario: &Scenario, sale: Created) -> Returned {
    let mut requests = Vec::new();
    loop {
        let key = format!("refund-{}-{}", sale.payment, requests.len());
        let response = request(&client, (scenario, &sale), &key).await;
        let refund = until_documented(&client, &response.text("/id")).await;
        requests.push((key, response));
        if refund["status"] != "failed" {
            return Returned { requests, refund };
        }
        assert!(requests.len() < MOST, "each refund fails: {refund}");
    }
}

/// Requests the refund of the scenario.
pub(super) async fn request(client: &Client, (scenario, sale): (&Scenario, &Created), key: &str) -> ApiResponse {
    let path = format!("/v1/payments/{}/refunds", sale.payment);
    let body = match scenario.amount {
        None => json!({ "scope": "all", "reason": "returned" }),
        Some(amount) => {
            let amount = json!({ "currency": "DOP", "minorUnits": amount });
            json!({ "scope": "amount", "amount": amount, "reason": "returned" })
        }
    };
    let begun = Instant::now();
    loop {
        let response = client.try_post_own(&path, key, &body).await;
        match response {
            Ok(response) if response.status == 201 => return response,
            Ok(refused) if !is_passing(&refused) => panic!("{refused:?}"),
            Ok(_) | Err(_) => pause().await,
        }
        assert!(begun.elapsed() < TIMEOUT, "the refund is not created: {response:?}");
    }
}

/// Whether a request may be repeated: the key is leased, or the server, the database or the acquirer is unavailable.
fn is_passing(response: &ApiResponse) -> bool {
    match response.status {
        409 => response.text("/error/code") == "idempotency_request_in_progress",
        status => status == 429 || status >= 500,
    }
}

/// Waits until the refund has failed, or has an issued credit note.
async fn until_documented(client: &Client, refund: &str) -> Value {
    let begun = Instant::now();
    loop {
        let found = client.try_get(&format!("/v1/refunds/{refund}")).await;
        if let Ok(response) = &found
            && (response.body["status"] == "failed" || response.body["creditNote"]["status"] == "issued")
        {
            return response.body.clone();
        }
        assert!(begun.elapsed() < TIMEOUT, "the refund does not end: {found:?}");
        sleep(POLL).await;
    }
}
