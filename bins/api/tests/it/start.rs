use std::{fs, os::unix::fs::MetadataExt, time::Duration};

use diesel::{Connection, SqliteConnection, connection::SimpleConnection};
use serde_json::Value;

use crate::support::{Sandbox, cobro};

#[tokio::test]
async fn ready_line_has_addresses_keys_and_buyers() {
    let sandbox = Sandbox::start().await;

    let ready = sandbox.ready.as_object().unwrap();
    let mut keys: Vec<&str> = ready.keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "adminApiKey",
        "baseUrl",
        "checkoutBaseUrl",
        "demoBuyers",
        "docsUrl",
        "liveApiKey",
        "merchantAccountId",
        "merchantApiKey",
        "restrictedApiKey",
    ];
    assert_eq!(keys, expected);
    assert!(sandbox.text("baseUrl").starts_with("http://127.0.0.1:"));
    assert!(!sandbox.text("baseUrl").ends_with(":0"));
    assert!(sandbox.text("merchantApiKey").starts_with("gk_test_"));
    assert!(sandbox.text("adminApiKey").starts_with("gk_test_"));
    assert!(sandbox.text("restrictedApiKey").starts_with("gk_test_"));
    assert!(sandbox.text("liveApiKey").starts_with("gk_live_"));
    assert!(sandbox.text("merchantAccountId").starts_with("merchant_account_"));
    let buyers = sandbox.ready["demoBuyers"].as_object().unwrap();
    for kind in ["company", "suspended", "unknown", "government", "person"] {
        assert!(buyers[kind].as_str().is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit())), "{kind}");
    }
    assert_eq!(sandbox.server.output().lines().count(), 1);
}

#[tokio::test]
async fn sandbox_stops_soon_after_a_signal() {
    for signal in ["TERM", "INT"] {
        let mut sandbox = Sandbox::start().await;
        // An open client connection does not delay the shutdown.
        let client = sandbox.client();
        client.create("open").await;

        let (status, taken) = sandbox.stop(signal).await;

        assert_eq!(status.code(), Some(0), "{signal}: {}", sandbox.server.log());
        assert!(taken < Duration::from_secs(5), "{signal} took {taken:?}");
        drop(client);
    }
}

#[test]
fn the_data_directory_of_an_unreleased_version_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cobro.db");
    let mut connection = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    connection.batch_execute(testkit::unreleased::SCHEMA).unwrap();
    drop(connection);

    let refused = cobro(&["sandbox", "--listen", "127.0.0.1:0", "--data-dir", folder.path().to_str().unwrap()], &[]);

    assert!(!refused.is_success);
    assert!(refused.stderr.contains("created by an unreleased version of Cobro"), "{refused:?}");
    assert!(refused.stderr.contains("use a new, empty directory"), "{refused:?}");
    assert_eq!(refused.stdout, "");
}

#[tokio::test]
async fn a_second_process_on_the_same_folder_is_refused() {
    let sandbox = Sandbox::start().await;

    let second = cobro(&["sandbox", "--listen", "127.0.0.1:0", "--data-dir", sandbox.data().to_str().unwrap()], &[]);

    assert!(!second.is_success);
    assert!(second.stderr.contains("another process is using"), "{second:?}");
    assert_eq!(second.stdout, "");
    sandbox.client().create("undisturbed").await;
}

#[tokio::test]
async fn data_files_are_readable_by_their_owner_only() {
    let sandbox = Sandbox::start().await;
    sandbox.client().sell("first").await;

    let mode = |path| fs::metadata(path).unwrap().mode() & 0o077;
    assert_eq!(mode(sandbox.data()), 0);
    for name in ["master.key", "sandbox.json", "cobro.db", "cobro.db-wal", "acquirer.journal", "authority.journal"] {
        assert_eq!(mode(sandbox.data().join(name)), 0, "{name}");
    }
}

#[tokio::test]
async fn sandbox_applies_the_rate_limit_option() {
    let sandbox = Sandbox::start_with(&["--rate-limit", "1"]).await;
    let client = sandbox.client();

    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(client.get("/v1/payments").await.status);
    }

    assert_eq!(statuses[..2], [200, 200]);
    assert!(statuses.contains(&429), "{statuses:?}");
}

#[tokio::test]
async fn json_log_has_one_object_per_line() {
    let sandbox = Sandbox::start_with(&["--log-format", "json"]).await;
    assert_eq!(sandbox.client().get("/v1/payments").await.status, 200);

    let log = sandbox.server.log();
    let lines: Vec<Value> = log.lines().map(|it| serde_json::from_str(it).expect("a line is an object")).collect();
    let line = lines.iter().find(|it| it["message"] == "request completed").expect("a line for the request");

    assert!(line["span"]["request"].as_str().is_some_and(|it| it.starts_with("request_")), "{line}");
    assert_eq!((&line["route"], &line["status"]), (&"/v1/payments".into(), &200.into()));
}
