//! Receives events. Runs against a sandbox that was started with --allow-private-webhooks:
//!
//! ```sh
//! cargo add actix-web serde_json standardwebhooks && cargo add reqwest --features json
//! COBRO_URL=http://127.0.0.1:8080 COBRO_KEY=gk_test_... COBRO_ADMIN_KEY=gk_test_... cargo run
//! ```

use std::{
    collections::BTreeMap,
    env, process,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    rt::time::sleep,
    web::{Bytes, Data, post},
};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

/// Error while an event is processed.
type Failure = Box<dyn std::error::Error>;

/// State of the server.
#[derive(Default)]
struct State {
    /// The valid signing secrets: two during a rotation.
    secrets: Mutex<Vec<String>>,
    /// The newest state of each payment, with its sequence.
    seen: Mutex<BTreeMap<String, (u64, String)>>,
    log: Mutex<Vec<ReceivedEvent>>,
}

#[derive(Clone)]
struct ReceivedEvent {
    event: Value,
    body: Bytes,
    headers: HeaderMap,
}

/// Receives an event. Respond within 15 seconds, and do longer work afterwards. A failed event is sent again.
async fn receive(state: Data<State>, request: HttpRequest, body: Bytes) -> HttpResponse {
    let headers = headers_of(&request);
    // The signature covers these exact bytes: verify them before you parse them.
    if !is_verified(&state.secrets.lock().unwrap(), &body, &headers) {
        return HttpResponse::Unauthorized().finish();
    }
    let Ok(event) = serde_json::from_slice(&body) else { return HttpResponse::BadRequest().finish() };
    match state.handle(ReceivedEvent { event, body, headers }).await {
        Ok(()) => HttpResponse::NoContent().finish(),
        Err(failure) => {
            eprintln!("an event was not processed: {failure}");
            HttpResponse::InternalServerError().finish()
        }
    }
}

fn is_verified(secrets: &[String], body: &[u8], headers: &HeaderMap) -> bool {
    let is_by = |secret: &String| Webhook::new(secret).is_ok_and(|webhook| webhook.verify(body, headers).is_ok());
    secrets.iter().any(is_by)
}

impl State {
    /// Stores an event, which may arrive twice, or after a later one: compares `sequence`.
    async fn handle(&self, received: ReceivedEvent) -> Result<(), Failure> {
        let (event, object) = (&received.event, &received.event["data"]["object"]);
        // Events without a payment have no sequence.
        if let (Some(sequence), Some("payment")) = (event["sequence"].as_u64(), object["object"].as_str()) {
            let payment = full_object(object).await?;
            let (id, status) = (field(&payment, "id")?, field(&payment, "status")?);
            let mut seen = self.seen.lock().unwrap();
            let last = seen.entry(id).or_default();
            if last.0 < sequence {
                *last = (sequence, status);
            }
        }
        self.log.lock().unwrap().push(received);
        Ok(())
    }

    async fn wait_for(&self, name: &str, is_match: impl Fn(&Value) -> bool) -> ReceivedEvent {
        for _ in 0..200 {
            let found = self.log.lock().unwrap().iter().rfind(|entry| is_match(&entry.event)).cloned();
            if let Some(entry) = found {
                return entry;
            }
            sleep(Duration::from_millis(50)).await;
        }
        panic!("{name} did not arrive");
    }
}

/// Returns the object of an event. Retrieves an object that is too long for an event of 64 KiB.
async fn full_object(object: &Value) -> Result<Value, Failure> {
    if object["isTruncated"] != true {
        return Ok(object.clone());
    }
    let path = match object["object"].as_str() {
        Some("payment") => "/v1/payments",
        Some("fiscal_document") => "/v1/fiscal_documents",
        _ => return Err(format!("{object} has an unknown kind").into()),
    };
    let url = format!("{}{path}/{}", variable("COBRO_URL"), field(object, "id")?);
    let response = client().get(url).bearer_auth(variable("COBRO_KEY")).send().await?;
    Ok(response.error_for_status()?.json().await?)
}

fn field(object: &Value, name: &str) -> Result<String, Failure> {
    Ok(object[name].as_str().ok_or_else(|| format!("{name} is missing in {object}"))?.to_owned())
}

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Converts the headers: the library uses another version of the `http` crate than the server.
fn headers_of(request: &HttpRequest) -> HeaderMap {
    let copied = request.headers().iter().filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_str().as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
    });
    copied.collect()
}

/// Sends a command with a new idempotency key. A shop would use the number of its order.
async fn command(key: &str, path: &str, body: Value) -> Value {
    static COMMANDS: AtomicU32 = AtomicU32::new(0);

    let name = format!("{}-{}", process::id(), COMMANDS.fetch_add(1, Ordering::Relaxed));
    let request = client().post(format!("{}{path}", variable("COBRO_URL"))).bearer_auth(variable(key)).json(&body);
    let response = request.header("idempotency-key", name).send().await.unwrap();
    let status = response.status();
    let body = response.json().await.unwrap();
    assert!(status.is_success(), "{path}: {body}");
    body
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is missing"))
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is missing in {value}")).to_owned()
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let state = Data::new(State::default());
    let shared = state.clone();
    let app = move || App::new().app_data(shared.clone()).route("/cobro", post().to(receive));
    let server = HttpServer::new(app).workers(1).disable_signals().bind(("127.0.0.1", 0))?;
    let url = format!("http://{}/cobro", server.addrs()[0]);
    let server = server.run();
    let handle = server.handle();
    actix_web::rt::spawn(server);

    let request = json!({ "url": url, "enabledEvents": ["payment.*"] });
    let endpoint = command("COBRO_ADMIN_KEY", "/v1/webhook_endpoints", request).await;
    *state.secrets.lock().unwrap() = vec![text(&endpoint, "signingSecret")];
    let at = format!("/v1/webhook_endpoints/{}", text(&endpoint, "id"));
    let tested = async || {
        let test = command("COBRO_ADMIN_KEY", &format!("{at}/tests"), json!({})).await;
        state.wait_for("the test", |event| event["id"] == test["id"]).await
    };

    // Send a test event.
    let test = tested().await;
    assert_eq!(test.headers["webhook-id"], text(&test.event, "id"));
    refuses_altered_events(&state.secrets.lock().unwrap(), &test);

    // During a rotation both secrets sign, so a receiver with the old secret still verifies events.
    let rotations = format!("{at}/secret-rotations");
    let rotated = command("COBRO_ADMIN_KEY", &rotations, json!({ "overlapSeconds": 3600 })).await;
    let both = tested().await;
    for secret in [text(&endpoint, "signingSecret"), text(&rotated, "signingSecret")] {
        assert!(is_verified(&[secret], &both.body, &both.headers));
    }

    // Without an overlap the old secret signs nothing more.
    let last = command("COBRO_ADMIN_KEY", &rotations, json!({ "overlapSeconds": 0 })).await;
    *state.secrets.lock().unwrap() = vec![text(&last, "signingSecret")];
    let alone = tested().await;
    assert!(!is_verified(&[text(&rotated, "signingSecret")], &alone.body, &alone.headers));

    // Follows a sale with one line to its end, and one with too many lines for an event.
    for count in [1, 400] {
        let payment = command("COBRO_KEY", "/v1/payments", sale(count)).await;
        let (id, path) = (text(&payment, "id"), format!("/v1/payments/{}/cancellations", text(&payment, "id")));
        let canceled = command("COBRO_KEY", &path, json!({ "reason": "requested_by_customer" })).await;
        let is_end =
            |event: &Value| event["type"] == "payment.canceled" && event["data"]["object"]["id"] == id.as_str();
        let end = state.wait_for("the end of the sale", is_end).await;
        assert_eq!(end.event["data"]["object"]["isTruncated"] == true, count > 1);
        assert_eq!(state.seen.lock().unwrap()[&id].1, text(&canceled, "status"));
    }

    handle.stop(false).await;
    println!("{} events had valid signatures", state.log.lock().unwrap().len());
    Ok(())
}

/// Checks that altered events are refused.
fn refuses_altered_events(secrets: &[String], received: &ReceivedEvent) {
    let ReceivedEvent { body, headers, .. } = received;
    assert!(is_verified(secrets, body, headers));
    let changed = String::from_utf8(body.to_vec()).unwrap().replace("test", "fake");
    assert!(!is_verified(secrets, changed.as_bytes(), headers));

    let sent: i64 = headers["webhook-timestamp"].to_str().unwrap().parse().unwrap();
    let signature = headers["webhook-signature"].to_str().unwrap();
    for (name, value) in [
        ("webhook-id", "event_1"),
        ("webhook-timestamp", &(sent + 1).to_string()),
        ("webhook-timestamp", &(sent - 6 * 60).to_string()),
        ("webhook-signature", "v1,"),
        ("webhook-signature", &signature[..20]),
    ] {
        let mut changed = headers.clone();
        changed.insert(name, HeaderValue::from_str(value).unwrap());
        assert!(!is_verified(secrets, body, &changed), "{name}: {value}");
    }
    let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned();
    assert!(!is_verified(&[other], body, headers));
}

fn sale(count: u32) -> Value {
    let line = |number: u32| {
        json!({
            "sourceLineId": number.to_string(),
            "description": "Mofongo con camarón",
            "quantity": "1",
            "measurementUnit": "unit",
            "unitPriceMinorUnits": 100_000,
            "itemKind": "good",
            "taxTreatment": "exempt",
            "isLegalTipApplicable": false,
        })
    };
    json!({
        "saleReference": "webhooks-rust",
        "amount": { "currency": "DOP", "minorUnits": 100_000 * count },
        "fiscalDocument": {
            "issuanceMode": "deferred",
            "kind": "consumer",
            "merchantInvoiceNumber": "W-3",
            "merchantOrderNumber": "1",
            "lines": (0..count).map(line).collect::<Vec<_>>(),
        },
    })
}
