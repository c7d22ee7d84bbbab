//! Refunds as operators and payers see them, with a real sandbox on PostgreSQL.

use std::{path::PathBuf, time::Instant};

use serde_json::{Value, json};

use crate::support::{APPROVED_CARD, Client, Created, Database, Output, POLL_TIMEOUT, Sandbox, cobro, pause};

/// The response to the refund is lost.
const REFUND_LOST: &str = "4222220032000000";
const EVERYTHING: &str = r#"{"scope": "all", "reason": "returned"}"#;

/// A sandbox on a database of its own.
struct World {
    database: Database,
    sandbox: Sandbox,
}

impl World {
    async fn start(test: &str) -> Self {
        let database = Database::empty(test).await;
        let sandbox = Sandbox::start_with(&["--database-url", &database.url]).await;
        Self { database, sandbox }
    }

    fn client(&self) -> Client {
        self.sandbox.client()
    }

    /// Runs a command of an operator.
    fn run(&self, arguments: &[&str]) -> Output {
        let key: PathBuf = self.sandbox.data().join("master.key");
        let variables =
            [("COBRO_DATABASE_URL", self.database.url.as_str()), ("COBRO_MASTER_KEY_FILE", key.to_str().unwrap())];
        cobro(arguments, &[&variables[..], &[("RUST_LOG", "warn"), ("USER", "rosa")]].concat())
    }

    async fn refund(&self, sale: &Created, key: &str, body: &str) -> Value {
        let body: Value = serde_json::from_str(body).unwrap();
        let path = format!("/v1/payments/{}/refunds", sale.payment);
        let response = self.client().post_own(&path, key, &body).await;
        assert_eq!(response.status, 201, "{response:?}");
        response.body
    }

    /// Waits until the credit note of the refund has this status.
    async fn note(&self, refund: &Value, status: &str) -> Value {
        let begun = Instant::now();
        loop {
            let found = self.client().get(&format!("/v1/refunds/{}", refund["id"].as_str().unwrap())).await.body;
            if found["creditNote"]["status"] == status {
                return found;
            }
            assert!(begun.elapsed() < POLL_TIMEOUT, "{found}");
            pause().await;
        }
    }
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.is_success, "{output:?}");
    output.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

#[tokio::test]
async fn refunds_are_listed_and_shown_with_legs_attempts_and_note() {
    let world = World::start("refunds_shown").await;
    let sale = world.client().sell("table-7").await;
    let half =
        r#"{"scope": "amount", "amount": {"currency": "DOP", "minorUnits": 50000}, "reason": "price_adjustment"}"#;
    let first = world.refund(&sale, "half", half).await;
    let second = world.refund(&sale, "rest", EVERYTHING).await;
    world.note(&first, "issued").await;
    world.note(&second, "issued").await;

    let listed = lines(&world.run(&["refund", "list", "--payment", &sale.payment]));
    let shown = world.run(&["refund", "show", first["id"].as_str().unwrap()]).json();
    let payment = world.run(&["payment", "show", &sale.payment, "--json"]).json();
    let text = world.run(&["payment", "show", &sale.payment]).stdout;
    let note = world.run(&["document", "show", first["creditNote"]["id"].as_str().unwrap()]).json();

    let ids: Vec<&Value> = listed.iter().map(|it| &it["refundId"]).collect();
    assert_eq!(ids, [&second["id"], &first["id"]]);
    assert_eq!((&shown["status"], &shown["returned"]), (&"succeeded".into(), &"DOP 500.00".into()));
    assert_eq!(shown["legs"][0]["method"], "refund");
    assert_eq!(shown["attempts"][0]["kind"], "refund");
    assert_eq!(shown["attempts"][0]["providerReference"], shown["legs"][0]["acquirerReference"]);
    assert_eq!((&shown["creditNote"]["kind"], &note["status"]), (&"credit_note".into(), &"issued".into()));
    assert_eq!(payment["refunds"].as_array().map(Vec::len), Some(2));
    assert_eq!((&payment["refundableAmount"], &payment["refundedAmount"]), (&"DOP 0.00".into(), &"DOP 1280.00".into()));
    let kinds: Vec<&str> =
        payment["attempts"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["sale", "refund", "refund"]);
    for word in ["\nrefund\n", "\nleg\n", "\ncredit note\n", "  number: E34"] {
        assert!(text.contains(word), "{word:?} is not in {text}");
    }
}

#[tokio::test]
async fn only_an_escalated_leg_is_settled_and_once() {
    let world = World::start("refund_settled").await;
    let client = world.client();
    let sale = client.create("lost").await;
    client.pay(&sale, REFUND_LOST, "pay-lost").await.unwrap();
    client.issued(&sale).await;
    let refund = world.refund(&sale, "lost", EVERYTHING).await;
    assert_eq!(refund["status"], "verifying");
    let id = refund["id"].as_str().unwrap();
    let settle = |more: &[&str]| {
        let settle = ["refund", "settle", "--refund", id, "--as", "succeeded", "--reference", "44474372"];
        world.run(&[&settle[..], more].concat())
    };

    let early = settle(&[]);
    let fault = json!({ "target": "acquirer", "fault": "drop", "count": 6 });
    client.control("/sandbox/faults", &fault).await.unwrap();
    client.control("/sandbox/clock/advance", &json!({ "seconds": 3700 })).await.unwrap();
    let other_part = settle(&["--ordinal", "2"]);
    let doctor = world.run(&["doctor", "--json"]);
    let settled = settle(&[]);
    let again = settle(&[]);

    assert!(!early.is_success && !other_part.is_success && !again.is_success, "{early:?} {other_part:?} {again:?}");
    assert!(doctor.stdout.contains("`cobro refund settle`"), "{doctor:?}");
    let record = settled.json();
    assert_eq!((&record["status"], &record["returned"]), (&"succeeded".into(), &"DOP 1280.00".into()));
    assert_eq!(record["legs"][0]["acquirerReference"], "44474372");
    assert_eq!(record["legs"][0]["settledBy"], json!({ "user": "rosa", "reference": "44474372" }));
    assert_eq!(world.run(&["refund", "show", id]).json()["legs"][0]["settledBy"], record["legs"][0]["settledBy"]);
    for word in ["rosa", "44474372"] {
        assert!(settled.stderr.contains(word), "{word} is not in {settled:?}");
    }
    world.note(&refund, "issued").await;
}

/// The gauge of bills left in part goes down when the bill is refunded.
#[tokio::test]
async fn a_refunded_bill_is_no_longer_left_in_part() {
    let world = World::start("refund_left_in_part").await;
    let client = world.client();
    let sale = client.create("shared").await;
    let path = |what: &str| format!("/v1/payments/{}/split{what}", sale.payment);
    client.post_own(&path(""), "split", &json!({ "strategy": "equal", "partCount": 2 })).await;
    client.pay_part(&sale, APPROVED_CARD, 1).await;
    client.pay_part(&sale, "4222220011000518", 2).await;
    client.post_own(&path("/captures"), "capture", &json!({})).await;
    let released = client.post_own(&path("/releases"), "release", &json!({ "reason": "requested_by_organizer" })).await;
    let left = async || {
        let text = String::from_utf8(client.bytes("/metrics").await).unwrap();
        let line = text.lines().find(|it| it.starts_with("cobro_payments_left_in_part ")).map(str::to_owned);
        line.unwrap_or_default()
    };
    let until = async |count: &str| {
        let begun = Instant::now();
        while left().await != format!("cobro_payments_left_in_part {count}") {
            assert!(begun.elapsed() < POLL_TIMEOUT, "{}", left().await);
            pause().await;
        }
    };

    assert_eq!(released.text("/status"), "partially_paid", "{released:?}");
    until("1").await;
    let refund = world.refund(&sale, "all", EVERYTHING).await;
    let document = client.get(&format!("/v1/fiscal_documents/{}", sale.document)).await;

    assert_eq!((&refund["status"], &refund["creditNote"]), (&"succeeded".into(), &Value::Null));
    assert_eq!(document.text("/status"), "canceled");
    until("0").await;
}
