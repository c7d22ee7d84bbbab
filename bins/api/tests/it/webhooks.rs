//! Events at the endpoints of merchants, from a real process over real sockets.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::{
    APPROVED_CARD, Behavior, Client, Created, DECLINED_CARD, Database, POLL_TIMEOUT, Receiver, Sandbox, Server,
    address, cobro, deployment, pause, set_up,
};

const PRIVATE: &[&str] = &["--allow-private-webhooks"];

/// Registers an endpoint for all events and returns the response.
async fn register(sandbox: &Sandbox, url: &str) -> Value {
    let admin = sandbox.text("adminApiKey");
    let request = json!({ "url": url, "enabledEvents": ["*"] });
    let made =
        sandbox.client().post("/v1/webhook_endpoints", admin, &format!("endpoint-{url}"), &request).await.unwrap();
    assert_eq!(made.status, 201, "{made:?}");
    made.body
}

/// Waits for an event of that kind about the payment, and returns the time at which the receiver got it.
async fn time_received(receiver: &Receiver, payment: &str, kind: &str) -> Instant {
    let started_at = Instant::now();
    loop {
        let is_it = |it: &Value| it["type"] == kind && it["data"]["object"]["id"] == payment;
        if let Some(it) = receiver.received().iter().find(|it| is_it(&it.event)) {
            return it.at;
        }
        assert!(started_at.elapsed() < POLL_TIMEOUT, "{kind} of {payment} was not received");
        pause().await;
    }
}

/// BAD-143: nine receivers that are slow, endless, silent, or worse delay a tenth by less than a second.
#[tokio::test]
async fn hostile_receivers_do_not_delay_a_healthy_one() {
    let sandbox = Sandbox::start_with(PRIVATE).await;
    let hostile: Vec<Receiver> = Behavior::HOSTILE.into_iter().map(Receiver::start).collect();
    for it in &hostile {
        register(&sandbox, &it.url).await;
    }
    let healthy = Receiver::start(Behavior::Accepts);
    register(&sandbox, &healthy.url).await;
    let client = sandbox.client();
    let mut lags = Vec::new();
    for n in 0..25 {
        let created = client.create(&format!("sale-{n}")).await;
        let started_at = Instant::now();
        client.pay(&created, DECLINED_CARD, &format!("pay-{n}")).await.unwrap();
        let paid_at = Instant::now();
        let at = time_received(&healthy, &created.payment, "payment.declined").await;
        lags.push(at.saturating_duration_since(paid_at.max(started_at)));
        sleep(Duration::from_millis(100)).await;
    }

    lags.sort_unstable();
    let longest = lags.last().copied().unwrap();
    eprintln!("half of the events arrived within {:?}, the last after {longest:?}", lags[lags.len() / 2]);
    assert!(longest < Duration::from_secs(1), "{lags:?}");
    for (behavior, receiver) in Behavior::HOSTILE.iter().zip(&hostile) {
        assert!(*behavior == Behavior::NeverReads || !receiver.received().is_empty(), "no request to {behavior:?}");
    }
}

/// After kills at any time each event arrives at least once under one identifier. A receiver that ignores older
/// sequences ends with the state in the API.
#[tokio::test]
async fn a_power_cut_loses_no_event() {
    let mut sandbox = Sandbox::start_with(PRIVATE).await;
    let receiver = Receiver::start(Behavior::Accepts);
    let url = receiver.url.clone();
    register(&sandbox, &url).await;
    let mut sales = Vec::new();
    for n in 0..16_u64 {
        let client = sandbox.client();
        let created = client.create(&format!("sale-{n}")).await;
        let paying = tokio::spawn({
            let (client, created) = (client.clone(), created.clone());
            async move { client.pay(&created, APPROVED_CARD, "pay").await }
        });
        sleep(Duration::from_millis(n * (n + 1))).await;
        sandbox.crash().await;
        drop(paying.await.unwrap());
        sales.push(created);
    }
    let client = sandbox.client();
    client.control("/sandbox/clock/advance", &json!({ "seconds": 7200 })).await.unwrap();

    for created in &sales {
        check(&client, &receiver, created).await;
    }
}

/// All events of the payment arrived, and the last has the present status.
async fn check(client: &Client, receiver: &Receiver, created: &Created) {
    let started_at = Instant::now();
    loop {
        let listed = client.get(&format!("/v1/events?paymentId={}&limit=100", created.payment)).await;
        let listed: BTreeMap<u64, Value> = by_sequence(listed.body["data"].as_array().unwrap().iter());
        let attempts = receiver.received();
        let of_payment = attempts.iter().filter(|it| listed.values().any(|of| of[0] == it.event["id"]));
        let mut arrived = BTreeMap::new();
        for it in of_payment {
            assert_eq!(it.header("webhook-id"), it.event["id"]);
            let earlier = arrived.insert(it.event["sequence"].as_u64().unwrap(), payload(&it.event));
            assert!(earlier.is_none_or(|earlier| earlier == payload(&it.event)), "an event is the same each time");
        }
        if arrived == listed {
            let (_, last) = arrived.iter().rfind(|(_, it)| it[2] == "payment").unwrap();
            let now = client.get(&format!("/v1/payments/{}", created.payment)).await;
            assert_eq!(last[3], now.body["status"]);
            return;
        }
        assert!(started_at.elapsed() < POLL_TIMEOUT, "{created:?}: {:?} of {:?}", arrived.keys(), listed.keys());
        pause().await;
    }
}

fn by_sequence<'a>(events: impl Iterator<Item = &'a Value>) -> BTreeMap<u64, Value> {
    events.map(|it| (it["sequence"].as_u64().unwrap(), payload(it))).collect()
}

/// Payload without addresses, which change with each start of the sandbox.
fn payload(event: &Value) -> Value {
    let object = &event["data"]["object"];
    json!([event["id"], event["type"], object["object"], object["status"]])
}

/// D11: an operator replays events from before the registration, one event or a period.
#[tokio::test]
async fn an_operator_sends_events_again() {
    let database = Database::empty("replays").await;
    let (folder, settings) = deployment(&database);
    let (merchant, key) = set_up(&database, &folder, true);
    let file = folder.path().join("master.key");
    let variables = [("COBRO_DATABASE_URL", database.url.as_str()), ("COBRO_MASTER_KEY_FILE", file.to_str().unwrap())];
    let run = |it: &[&str]| cobro(&[it, &["--merchant", &merchant, "--mode", "test"]].concat(), &variables);
    let admin = run(&["key", "create", "--role", "admin"]).text("apiKey");
    let server = Server::start(folder.path(), &["serve", "--config", &settings, "--with-simulators"]);
    let base = address(&server).await;
    let (client, admin) = (Client::new(&base, &key), Client::new(&base, &admin));
    client.create("before").await;
    let request = json!({ "url": "https://cobro.example/events", "enabledEvents": ["*"] });
    let endpoint = admin.post_own("/v1/webhook_endpoints", "endpoint", &request).await.text("/id");
    let at = format!("/v1/webhook_endpoints/{endpoint}");
    let tested = admin.post_own(&format!("{at}/tests"), "test", &json!({})).await.text("/id");

    let replay = |it: &[&str]| run(&[&["events", "replay", "--endpoint", &endpoint], it].concat());
    let since = ["--since", "2020-01-01T00:00:00Z"];
    let period = replay(&since).json();
    let given_up = replay(&[&since[..], &["--only-failed"]].concat()).json();
    let earlier = replay(&[&since[..], &["--until", "2020-01-02T00:00:00Z"]].concat()).json();
    let one = replay(&["--event", &tested]).json();
    let deliveries = admin.get(&format!("{at}/deliveries")).await;

    let many = |of: &Value| of["deliveryCount"].as_u64().unwrap();
    assert_eq!([&period, &given_up, &earlier, &one].map(many), [3, 0, 0, 1]);
    let kinds: Vec<&str> =
        deliveries.body["data"].as_array().unwrap().iter().map(|it| it["eventType"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["webhook_endpoint.test", "fiscal_document.requested", "payment.created"]);
    let unknown =
        run(&["events", "replay", "--endpoint", "webhook_endpoint_00000000000000000000000000", "--event", &tested]);
    assert!(!unknown.is_success && unknown.stderr.contains("nothing was sent again"), "{unknown:?}");
    assert!(replay(&[]).stderr.contains("--since"), "an event or a period is required");
}

/// Advancing the sandbox clock makes retries due. An endpoint that is gone causes an
/// event and an e-mail.
#[tokio::test]
async fn the_clock_of_the_sandbox_brings_attempts_with_it() {
    let sandbox = Sandbox::start_with(PRIVATE).await;
    let receiver = Receiver::start(Behavior::Accepts);
    let gone = Receiver::start(Behavior::Gone);
    register(&sandbox, &receiver.url).await;
    register(&sandbox, &gone.url).await;
    receiver.open(false);
    let client = sandbox.client();
    let created = client.create("sale").await;
    let advance = |seconds: u32| {
        let client = client.clone();
        async move { client.control("/sandbox/clock/advance", &json!({ "seconds": seconds })).await.unwrap() }
    };
    advance(1200).await;
    let refused =
        receiver.received().iter().filter(|it| it.event["data"]["object"]["id"] == created.payment.as_str()).count();
    receiver.open(true);
    advance(7200).await;

    assert_eq!(refused, 3, "at once, after 5 s, after 5 min");
    time_received(&receiver, &created.payment, "payment.created").await;
    let off = receiver.received().into_iter().find(|it| it.event["type"] == "webhook_endpoint.disabled").unwrap();
    assert_eq!(off.event["data"]["object"]["disabledReason"], "gone");
    assert_eq!((&off.event["sequence"], &off.event["merchantAccountId"]), (&Value::Null, &Value::Null));
    let mails = client.records("/sandbox/mails").await;
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(mail["to"], "hola@laesquina.example");
    assert!(mail["text"].as_str().unwrap().contains(off.event["data"]["object"]["id"].as_str().unwrap()), "{mail}");
    // Both events of the opening may have been on their way.
    assert!(gone.received().len() <= 2, "{}", gone.received().len());
}
