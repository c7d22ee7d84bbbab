//! Traces at a collector, and the effect of an unavailable collector.

use std::{
    collections::BTreeMap,
    net::TcpListener,
    time::{Duration, Instant},
};

use testkit::database_role;

use crate::support::{
    APPROVED_CARD, Client, Collector, Delivery, Field, POLL_TIMEOUT, Sandbox, cobro, fields, pause, text, within,
};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// Short, so that a test sees many deliveries.
const OFTEN: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "50");

#[tokio::test]
async fn a_request_is_a_span_that_says_what_its_line_in_the_log_says() {
    let collector = Collector::start();
    let mut sandbox = Sandbox::start_in(&[], &[(ENDPOINT, &collector.url)]).await;
    let client = sandbox.client();
    assert_eq!(client.get("/v1/payments").await.status, 200);
    let unknown = client.get("/v1/payments/payment_00000000000000000000000000000000").await;
    sandbox.stop("TERM").await;

    let deliveries = collector.taken();
    let spans: Vec<Span> = deliveries.iter().flat_map(|it| spans(&it.body)).collect();
    let named = |name: &str| spans.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("{name} in {spans:?}"));
    let (list, lost) = (named("GET /v1/payments"), named("GET /v1/payments/{paymentId}"));
    let log = sandbox.server.log();
    let line = log.lines().find(|it| it.contains(&format!("request={}", list.texts["cobro.request"]))).unwrap();

    assert!(deliveries.iter().all(|it| it.head.starts_with("post /v1/traces http/1.1\r\n")), "{deliveries:?}");
    assert!(deliveries.iter().all(|it| it.head.contains("content-type: application/x-protobuf")), "{deliveries:?}");
    assert_eq!(list.texts["http.request.method"], "GET");
    assert_eq!((list.texts["http.route"].as_str(), list.numbers["http.response.status_code"]), ("/v1/payments", 200));
    assert!(line.contains(&list.texts["cobro.tenant"]) && line.contains("status=200"), "{line}");
    // The log counts whole milliseconds, and begins and ends within the span.
    let milliseconds: u64 = line.split_once("milliseconds=").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    let least = Duration::from_millis(milliseconds).max(Duration::from_micros(100));
    assert!(list.took >= least, "{:?} in {line}", list.took);
    assert_eq!((list.kind, &list.parts[..]), (SERVER, &["cobro", env!("CARGO_PKG_VERSION")].map(str::to_owned)[..]));
    assert_eq!(lost.texts["error.type"], unknown.text("/error/code"));
    assert_eq!(lost.texts["cobro.request"], unknown.text("/error/requestId"));
    assert_eq!(lost.numbers["http.response.status_code"], 404);
}

#[tokio::test]
async fn no_span_tells_what_was_sent() {
    let collector = Collector::start();
    let mut sandbox = Sandbox::start_with(&["--log", "trace", "--otlp-endpoint", &collector.url]).await;
    let client = sandbox.client();
    let created = client.create("canary-reference").await;
    client.pay(&created, APPROVED_CARD, "canary-idempotency").await.unwrap();
    client.get(&format!("/v1/payments?saleReference=canary-query&to={}", created.payment)).await;
    let key = sandbox.text("merchantApiKey").to_owned();
    sandbox.stop("TERM").await;

    let deliveries = collector.taken();
    let names: Vec<String> = deliveries.iter().flat_map(|it| spans(&it.body)).map(|it| it.name).collect();
    assert!(names.contains(&"POST /v1/payments/{paymentId}/card-submissions".to_owned()), "{names:?}");
    let secrets =
        [&key, APPROVED_CARD, "canary", "Mofongo", "974\"", database_role::PASSWORD, &created.token, &created.payment];
    for secret in secrets {
        assert!(!deliveries.iter().any(|it| tells(it, secret)), "{secret}");
    }
    assert!(deliveries.iter().any(|it| tells(it, "card-submissions")));
}

#[tokio::test]
async fn without_an_endpoint_nothing_is_sent() {
    let collector = Collector::start();
    // Values that the library would detect without explicit resources.
    let variables = [(ENDPOINT, ""), ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.url.as_str()), OFTEN];
    let mut sandbox = Sandbox::start_in(&[], &variables).await;
    assert_eq!(sandbox.client().get("/v1/payments").await.status, 200);
    sandbox.stop("TERM").await;

    assert!(collector.taken().is_empty(), "{:?}", collector.taken());
}

#[tokio::test]
async fn a_collector_that_is_down_is_a_line_in_the_log_and_nothing_else() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut sandbox = Sandbox::start_in(&["--otlp-endpoint", &format!("http://{gone}")], &[OFTEN]).await;
    let client = sandbox.client();
    until_logged(&sandbox, &client, "traces are not delivered").await;
    // Each of these is a delivery that fails, too.
    for _ in 0..10 {
        assert_eq!(client.get("/v1/payments").await.status, 200);
        tokio::time::sleep(Duration::from_millis(75)).await;
    }

    let (status, taken) = sandbox.stop("TERM").await;

    let log = sandbox.server.log();
    assert_eq!((status.code(), log.matches("traces are not delivered").count()), (Some(0), 1), "{log}");
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}

#[tokio::test]
async fn a_collector_that_never_answers_holds_up_neither_a_sale_nor_the_end() {
    // The system accepts the connection without a reader.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let mut sandbox = Sandbox::start_in(&["--otlp-endpoint", &endpoint], &[OFTEN]).await;
    sandbox.client().sell("first").await;

    let (status, taken) = sandbox.stop("TERM").await;

    assert_eq!(status.code(), Some(0), "{}", sandbox.server.log());
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}

#[tokio::test]
async fn an_endpoint_that_is_none_is_refused_in_a_sentence() {
    for endpoint in ["collector", "localhost:4318", "ftp://user:canary@localhost"] {
        let refused = cobro(&["migrate", "--database-url", "x", "--otlp-endpoint", endpoint], &[]);

        assert!(!refused.is_success && refused.stderr.contains("--otlp-endpoint is no address"), "{refused:?}");
        assert!(!refused.stderr.contains("canary"), "{refused:?}");
    }
}

async fn until_logged(sandbox: &Sandbox, client: &Client, words: &str) {
    let begun = Instant::now();
    while !sandbox.server.log().contains(words) {
        assert!(begun.elapsed() < POLL_TIMEOUT, "{}", sandbox.server.log());
        assert_eq!(client.get("/v1/payments").await.status, 200);
        pause().await;
    }
}

/// Kind of a server span.
const SERVER: u64 = 2;

/// Fields of a span that the tests read.
#[derive(Debug)]
struct Span {
    name: String,
    kind: u64,
    took: Duration,
    texts: BTreeMap<String, String>,
    numbers: BTreeMap<String, u64>,
    /// Service name and version.
    parts: Vec<String>,
}

/// The spans of an `ExportTraceServiceRequest`.
fn spans(body: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    for group in within(body, 1) {
        let resource = within(group, 1).concat();
        let (service, _) = attributes(&within(&resource, 1));
        let parts = ["service.name", "service.version"].map(|it| service[it].clone()).to_vec();
        for span in within(group, 2).into_iter().flat_map(|scope| within(scope, 2)) {
            let (texts, numbers) = attributes(&within(span, 9));
            let [kind, began, ended] = [6, 7, 8].map(|field| number(span, field));
            let took = Duration::from_nanos(ended - began);
            found.push(Span { name: text(span, 5), kind, took, texts, numbers, parts: parts.clone() });
        }
    }
    found
}

fn number(message: &[u8], field: u64) -> u64 {
    match fields(message, field)[..] {
        [Field::Number(number)] => number,
        ref other => panic!("{other:?} is no number"),
    }
}

fn attributes(pairs: &[&[u8]]) -> (BTreeMap<String, String>, BTreeMap<String, u64>) {
    let (mut texts, mut numbers) = (BTreeMap::new(), BTreeMap::new());
    for pair in pairs {
        let value = within(pair, 2).concat();
        match fields(&value, 3)[..] {
            [Field::Number(number)] => drop(numbers.insert(text(pair, 1), number)),
            _ => drop(texts.insert(text(pair, 1), text(&value, 1))),
        }
    }
    (texts, numbers)
}

fn tells(delivery: &Delivery, secret: &str) -> bool {
    let all = [delivery.head.as_bytes(), &delivery.body].concat();
    all.windows(secret.len()).any(|it| it == secret.as_bytes())
}
