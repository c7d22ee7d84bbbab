use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use crate::support::{Sandbox, pause};

/// Challenge with a browser check followed by a page for the payer.
const CHALLENGED_CARD: &str = "4222220022000002";
/// The response to the refund is lost, and the money was not returned.
const LOST_REFUND_CARD: &str = "4222220032000992";
/// The response is lost, and the card was charged.
const LOST_CARD: &str = "4222220005000003";

#[tokio::test]
async fn what_falls_due_on_the_way_has_run_when_the_clock_is_moved() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let created = client.create("doubtful").await;
    let paid = client.pay(&created, LOST_CARD, "pay").await.unwrap();
    assert_eq!(paid.text("/status"), "verifying");

    let moved = client.control("/sandbox/clock/advance", &json!({ "seconds": 60 })).await.unwrap();

    assert_eq!(moved.status, 200);
    assert!(moved.text("/now").ends_with('Z'));
    assert_eq!(client.get(&format!("/v1/payments/{}", created.payment)).await.text("/status"), "succeeded");
    let document = client.get(&format!("/v1/fiscal_documents/{}", created.document)).await;
    assert_eq!(document.text("/status"), "issued");
}

#[tokio::test]
async fn a_challenge_is_finished_without_a_browser() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    for (result, becomes) in [("authenticated", "succeeded"), ("failed", "declined")] {
        let created = client.create(result).await;
        let challenged = client.pay(&created, CHALLENGED_CARD, &format!("pay-{result}")).await.unwrap();
        let path = format!("/sandbox/challenges/{}", created.payment);
        let unknown = client.control(&path, &json!({ "result": "maybe" })).await.unwrap();

        let finished = client.control(&path, &json!({ "result": result })).await.unwrap();
        let again = client.control(&path, &json!({ "result": result })).await.unwrap();

        assert_eq!(challenged.text("/status"), "requires_customer_action");
        assert_eq!((unknown.status, unknown.text("/error/code").as_str()), (400, "parameter_invalid"));
        assert_eq!((finished.status, finished.text("/status").as_str()), (200, becomes), "{finished:?}");
        assert_eq!((again.status, again.text("/error/param").as_str()), (400, "paymentId"), "the challenge has ended");
        let payment = client.get(&format!("/v1/payments/{}", created.payment)).await;
        assert_eq!(payment.text("/status"), becomes);
    }
}

#[tokio::test]
async fn a_payment_expires_when_the_clock_passes_its_window() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let created = client.create("forgotten").await;

    client.control("/sandbox/clock/advance", &json!({ "seconds": 24 * 3600 })).await.unwrap();

    assert_eq!(client.get(&format!("/v1/payments/{}", created.payment)).await.text("/status"), "expired");
    let document = client.get(&format!("/v1/fiscal_documents/{}", created.document)).await;
    assert_eq!(document.text("/status"), "canceled");
}

#[tokio::test]
async fn a_fault_happens_to_the_next_call_alone() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let fault = json!({ "target": "acquirer", "fault": "after_commit", "count": 1 });
    let injected = client.control("/sandbox/faults", &fault).await.unwrap();
    assert_eq!(injected.status, 200);

    let (first, second) = (client.create("first").await, client.create("second").await);
    let first = client.pay(&first, crate::support::APPROVED_CARD, "pay-1").await.unwrap();
    let second = client.pay(&second, crate::support::APPROVED_CARD, "pay-2").await.unwrap();

    assert_eq!((first.text("/status").as_str(), second.text("/status").as_str()), ("verifying", "succeeded"));
}

#[tokio::test]
async fn the_acquirer_refunds_without_a_request_to_cobro() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let sold = client.sell("refunded").await;
    let body = |minor_units| {
        json!({
            "paymentId": sold.payment, "amount": { "minorUnits": minor_units, "currency": "DOP" },
        })
    };

    let returned = client.control("/sandbox/acquirer/returns", &body(100)).await.unwrap();
    let too_much = client.control("/sandbox/acquirer/returns", &body(1_000_000_000)).await.unwrap();

    assert_eq!(returned.status, 200, "{returned:?}");
    assert_eq!((too_much.status, too_much.text("/error/param").as_str()), (400, "amount"));
    let newest = client.records("/sandbox/acquirer/transactions").await.remove(0);
    assert_eq!((newest["kind"].as_str(), newest["amountMinorUnits"].as_i64()), (Some("refund"), Some(100)));
    assert_eq!(newest["reference"], returned.text("/reference"));
}

#[tokio::test]
async fn a_return_at_the_acquirer_is_found_however_far_the_clock_is_moved() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    for (name, days, failures) in [("a month", 30, 0), ("after a failure", 2, 1)] {
        let sold = client.sell(name).await;
        let body = json!({ "paymentId": sold.payment, "amount": { "minorUnits": 100, "currency": "DOP" } });
        let returned = client.control("/sandbox/acquirer/returns", &body).await.unwrap();
        assert_eq!(returned.status, 200, "{returned:?}");
        if failures > 0 {
            let fault = json!({ "target": "acquirer", "fault": "before_request", "count": failures });
            client.control("/sandbox/faults", &fault).await.unwrap();
        }

        client.control("/sandbox/clock/advance", &json!({ "seconds": days * 86_400 })).await.unwrap();

        let found = client.records(&format!("/v1/refunds?payment={}", sold.payment)).await;
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!((&found[0]["status"], &found[0]["origin"]), (&"unattributed".into(), &"provider".into()), "{name}");
        assert!(found[0]["createdAt"].as_str().unwrap().contains("T07:"), "in the night after: {}", found[0]);
    }
    let begun = Instant::now();
    client.control("/sandbox/clock/advance", &json!({ "seconds": 180 * 86_400 })).await.unwrap();
    println!("half a year took {:?}", begun.elapsed());
}

#[tokio::test]
async fn concurrent_refunds_in_doubt_are_settled_on_the_way() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let mut sold = Vec::new();
    for n in 0..8 {
        let created = client.create(&format!("lost-{n}")).await;
        client.pay(&created, LOST_REFUND_CARD, &format!("pay-{n}")).await.unwrap();
        client.issued(&created).await;
        sold.push(created);
    }
    let amount = json!({
        "scope": "amount", "reason": "other", "amount": { "minorUnits": 1000, "currency": "DOP" },
    });
    let paths: Vec<String> = sold.iter().map(|it| format!("/v1/payments/{}/refunds", it.payment)).collect();
    let refunds = paths.iter().map(|path| client.post_own(path, path, &amount));
    let refunds = futures_util::future::join_all(refunds).await;

    client.control("/sandbox/clock/advance", &json!({ "seconds": 14_400 })).await.unwrap();

    for refund in refunds {
        let ended = client.get(&format!("/v1/refunds/{}", refund.text("/id"))).await;
        assert_eq!(ended.text("/status"), "failed");
        let [from, to] = ["/createdAt", "/legs/0/settledAt"].map(|at| ended.text(at).parse::<DateTime<Utc>>().unwrap());
        assert!(to.signed_duration_since(from) < TimeDelta::minutes(70), "{ended:?}");
    }
}

#[tokio::test]
async fn lists_show_the_newest_first() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let (first, second) = (client.sell("first").await, client.sell("second").await);

    let transactions = client.records("/sandbox/acquirer/transactions").await;
    let documents = client.records("/sandbox/authority/documents").await;

    let payments: Vec<&str> = transactions.iter().map(|it| it["paymentId"].as_str().unwrap()).collect();
    assert_eq!(payments, [&second.payment, &first.payment]);
    let numbers: Vec<&str> = documents.iter().map(|it| it["number"].as_str().unwrap()).collect();
    assert_eq!(numbers, ["E320000000002", "E320000000001"]);
    assert!(documents.iter().all(|it| it["status"] == "accepted"));
    for list in ["acquirer/transactions", "authority/documents", "mails"] {
        let head = reqwest::Client::new().head(format!("{}/sandbox/{list}", sandbox.text("baseUrl")));
        let response = head.send().await.unwrap();
        assert_eq!((response.status().as_u16(), response.bytes().await.unwrap().len()), (200, 0), "{list}");
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_the_usual_envelope() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();

    let check = async |path: &str, body, param: Option<&str>| {
        let refused = client.control(path, &body).await.unwrap();
        assert_eq!((refused.status, refused.text("/error/code").as_str()), (400, "parameter_invalid"), "{body}");
        assert_eq!(refused.body["error"]["param"].as_str(), param, "{body}");
        assert!(refused.text("/error/requestId").starts_with("request_"));
    };
    check("/sandbox/clock/advance", json!({ "seconds": -1 }), Some("seconds")).await;
    check("/sandbox/clock/advance", json!({ "seconds": i64::MAX }), Some("seconds")).await;
    check("/sandbox/clock/advance", json!({ "seconds": 1.5 }), None).await;
    check("/sandbox/clock/advance", json!({ "minutes": 1 }), None).await;
    check("/sandbox/clock/advance", json!([]), None).await;
    check("/sandbox/faults", json!({ "target": "moon", "fault": "drop" }), Some("target")).await;
    check("/sandbox/faults", json!({ "target": "acquirer", "fault": "eclipse" }), Some("fault")).await;
    check("/sandbox/faults", json!({ "target": "acquirer", "fault": "drop", "count": 0 }), Some("count")).await;
    for path in ["/sandbox/clock/advance", "/sandbox/faults", "/sandbox/challenges/payment_x"] {
        let response = broken(sandbox.text("baseUrl"), path);
        assert!(response.starts_with("HTTP/1.1 400") && response.contains("parameter_invalid"), "{path}: {response}");
    }
}

/// Returns the response to an invalid chunked body.
fn broken(base: &str, path: &str) -> String {
    let host = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!("POST {path} HTTP/1.1\r\nhost: {host}\r\ntransfer-encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    // The request has started and waits for the body.
    thread::sleep(Duration::from_millis(200));
    stream.write_all(b"zz\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[tokio::test]
async fn a_page_from_elsewhere_finds_no_control() {
    let sandbox = Sandbox::start().await;
    let address = format!("{}/sandbox/acquirer/transactions", sandbox.text("baseUrl"));
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let status = async |origin: Option<&str>| {
        let request = http.get(&address);
        let request = origin.into_iter().fold(request, |request, origin| request.header("origin", origin));
        request.send().await.unwrap().status().as_u16()
    };

    assert_eq!(status(None).await, 200);
    assert_eq!(status(Some(sandbox.text("baseUrl"))).await, 200);
    assert_eq!(status(Some("https://elsewhere.example")).await, 404);
    assert_eq!(status(Some("null")).await, 404);
    let by_another_name = http.get(&address).header("host", "elsewhere.example").send().await.unwrap();
    assert_eq!(by_another_name.status().as_u16(), 400);
}

#[tokio::test]
async fn document_is_issued_soon_without_a_request() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let created = client.create("patient").await;
    client.pay(&created, crate::support::APPROVED_CARD, "pay").await.unwrap();

    let begun = std::time::Instant::now();
    while client.records("/sandbox/authority/documents").await.is_empty() {
        assert!(begun.elapsed().as_secs() < 5, "the worker sleeps");
        pause().await;
    }
}
