use std::fs;

use serde_json::json;

use crate::support::{Database, Sandbox, cobro};

#[tokio::test]
async fn a_restart_keeps_everything() {
    keeps_everything(Sandbox::start().await).await;
}

#[tokio::test]
async fn a_restart_on_postgresql_keeps_everything() {
    let database = Database::empty("restart").await;
    keeps_everything(Sandbox::start_with(&["--database-url", &database.url]).await).await;
}

/// After a crash in the first start, the next start creates a new merchant with other numbers.
#[tokio::test]
async fn a_sandbox_that_remembers_no_merchant_makes_another() {
    let mut sandbox = Sandbox::start().await;
    let key = sandbox.text("merchantApiKey").to_owned();
    sandbox.stop("TERM").await;
    fs::remove_file(sandbox.data().join("sandbox.json")).unwrap();

    sandbox.start_again().await;

    assert_ne!(sandbox.text("merchantApiKey"), key);
    let sold = sandbox.client().sell("after").await;
    assert!(!sold.document.is_empty());
}

#[tokio::test]
async fn a_database_that_was_begun_with_another_folder_is_left_alone() {
    let database = Database::empty("another_folder").await;
    let first = Sandbox::start_with(&["--database-url", &database.url]).await;

    let folder = first.everything().join("second");
    let second = cobro(
        &[
            "sandbox",
            "--listen",
            "127.0.0.1:0",
            "--database-url",
            &database.url,
            "--data-dir",
            folder.to_str().unwrap(),
        ],
        &[],
    );

    let sentence = "the data folder has another key than the one that the database was begun with";
    assert!(!second.is_success && second.stderr.contains(sentence), "{second:?}");
    first.client().create("undisturbed").await;
}

async fn keeps_everything(mut sandbox: Sandbox) {
    let client = sandbox.client();
    let sold = client.sell("before").await;
    let document_path = format!("/v1/fiscal_documents/{}/signed-document", sold.document);
    let document = client.bytes(&document_path).await;
    client.control("/sandbox/clock/advance", &json!({ "seconds": 3600 })).await.unwrap();
    let keys = sandbox.text("merchantApiKey").to_owned();

    sandbox.stop("TERM").await;
    sandbox.start_again().await;

    let client = sandbox.client();
    assert_eq!(sandbox.text("merchantApiKey"), keys);
    assert_eq!(client.bytes(&document_path).await, document);
    assert_eq!(client.get(&format!("/v1/payments/{}", sold.payment)).await.text("/status"), "succeeded");
    assert_eq!(client.records("/sandbox/acquirer/transactions").await.len(), 1);
    assert_eq!(client.records("/sandbox/authority/documents").await.len(), 1);

    let later = client.create("after").await;
    let created_at = |payment: &str| {
        let (client, path) = (client.clone(), format!("/v1/payments/{payment}"));
        async move { client.get(&path).await.text("/createdAt") }
    };
    // The advanced clock continues, so the second sale is an hour after the first.
    let (first, second) = (created_at(&sold.payment).await, created_at(&later.payment).await);
    assert_ne!(first[..13], second[..13], "{first} and {second}");
}
