//! Tools beside the sandbox: events forwarded to a program, and events on demand.

use std::time::Instant;

use aws_lc_rs::hmac;
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::EventKind;
use serde_json::Value;

use crate::support::{Behavior, Output, POLL_TIMEOUT, Receiver, Sandbox, Server, cobro, pause};

/// Events that no command can cause in a sandbox.
const NEVER: [&str; 2] = ["payment.authorization_expiring", "merchant_account.readiness_changed"];

/// Runs `cobro` against the sandbox.
fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    let data = sandbox.data();
    let location = ["--sandbox", sandbox.text("baseUrl"), "--data-dir", data.to_str().unwrap()];
    cobro(&[arguments, &location].concat(), &[])
}

#[tokio::test]
async fn each_kind_of_event_is_triggered_or_refused_with_a_reason() {
    let sandbox = Sandbox::start_with(&["--allow-private-webhooks"]).await;
    let client = sandbox.client();
    let (never, kinds): (Vec<&str>, _) = EventKind::ALL.iter().map(|it| it.as_str()).partition(|it| NEVER.contains(it));

    let output = ask(&sandbox, &[&["trigger"], &kinds[..]].concat());

    assert!(output.is_success, "{output:?}");
    let lines: Vec<Value> = output.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines.iter().map(|it| it["type"].as_str().unwrap()).collect::<Vec<_>>(), kinds);
    for it in lines {
        let event = client.get(&format!("/v1/events/{}", it["eventId"].as_str().unwrap())).await;
        assert_eq!(event.body["type"], it["type"]);
    }
    for kind in never {
        let refused = ask(&sandbox, &["trigger", kind]);
        let sentence = format!("{kind} cannot be triggered: ");
        assert!(!refused.is_success && refused.stderr.contains(&sentence), "{refused:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_triggered_here_says_what_is_missing() {
    let sandbox = Sandbox::start().await;

    let unknown = ask(&sandbox, &["trigger", "payment.paid"]);
    let not_private = ask(&sandbox, &["trigger", "webhook_endpoint.disabled"]);
    let no_folder = cobro(&["trigger", "payment.created", "--data-dir", "/nowhere"], &[]);

    assert!(unknown.stderr.contains("payment.succeeded"), "the kinds that there are: {unknown:?}");
    assert!(not_private.stderr.contains("--allow-private-webhooks"), "{not_private:?}");
    assert!(no_folder.stderr.contains("no sandbox keeps its keys in /nowhere"), "{no_folder:?}");
    for output in [unknown, not_private, no_folder] {
        assert!(!output.is_success && output.stdout.is_empty());
    }
}

#[tokio::test]
async fn new_events_are_forwarded_with_a_signature() {
    let sandbox = Sandbox::start().await;
    sandbox.client().create("before").await;
    let receiver = Receiver::start(Behavior::Accepts);
    let (mut listening, folder) = listen(&sandbox, &receiver.url);
    let secret_line = listening.first_line().await;
    let secret = secret_line.split_once(' ').and_then(|(it, _)| it.strip_prefix("whsec_")).unwrap();
    let secret = STANDARD.decode(secret).unwrap();

    let triggered = ask(&sandbox, &["trigger", "payment.succeeded"]).text("eventId");
    // The line follows the response of the receiver.
    until(|| listening.output().contains(triggered.as_str())).await;

    let got = receiver.received();
    let mine = got.iter().filter(|it| it.event["data"]["object"]["saleReference"] == "triggered");
    let kinds: Vec<&str> = mine.map(|it| it.event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds[..3], ["payment.created", "payment.processing", "payment.succeeded"]);
    assert!(got.iter().all(|it| it.event["data"]["object"]["saleReference"] != "before"), "{got:?}");
    for it in &got {
        let signed = [it.header("webhook-id"), ".", it.header("webhook-timestamp"), "."].concat();
        let signed = [signed.as_bytes(), &it.body].concat();
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), &signed);
        assert_eq!(it.header("webhook-signature"), format!("v1,{}", STANDARD.encode(tag)));
        assert_eq!(it.header("webhook-id"), it.event["id"]);
        let lines = listening.output();
        let line = lines.lines().find(|line| line.contains(it.header("webhook-id"))).unwrap();
        assert!(line.contains(it.event["type"].as_str().unwrap()) && line.contains(" 204 after "), "{line}");
    }
    let (status, _) = listening.stop("TERM").await;
    assert!(status.success());
    let (mut again, _folder) = listen(&sandbox, &receiver.url);
    assert_eq!(again.first_line().await, secret_line, "the secret is the same each time");
    drop(folder);
}

/// The sandbox restarts while the listener keeps running.
#[tokio::test]
async fn who_listens_goes_on_when_the_sandbox_is_there_again() {
    let mut sandbox = Sandbox::start().await;
    let receiver = Receiver::start(Behavior::Accepts);
    let (mut listening, _folder) = listen(&sandbox, &receiver.url);
    listening.first_line().await;
    let before = sandbox.client().create("before").await;
    until(|| listening.output().contains("payment.created")).await;
    let (status, _) = sandbox.stop("TERM").await;
    assert!(status.success());
    until(|| listening.log().contains("the sandbox does not respond: retrying")).await;

    sandbox.start_again_where_it_was().await;
    let after = sandbox.client().create("after").await;
    until(|| listening.output().matches("payment.created").count() >= 2).await;

    let got = receiver.received();
    let created = got.iter().filter(|it| it.event["type"] == "payment.created");
    let created: Vec<&str> = created.map(|it| it.event["data"]["object"]["id"].as_str().unwrap()).collect();
    assert_eq!(created, [&before.payment, &after.payment], "each once, and none is missing");
}

/// Process of `cobro listen`, with a folder for the output.
fn listen(sandbox: &Sandbox, url: &str) -> (Server, tempfile::TempDir) {
    let folder = tempfile::TempDir::new().unwrap();
    let data = sandbox.data();
    let location = ["--sandbox", sandbox.text("baseUrl"), "--data-dir", data.to_str().unwrap()];
    let arguments = [&["listen", "--forward-to", url], &location[..]].concat();
    let server = Server::start(folder.path(), &arguments);
    (server, folder)
}

async fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < POLL_TIMEOUT, "the condition was not met in time");
        pause().await;
    }
}
