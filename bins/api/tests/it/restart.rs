use serde_json::json;

use crate::support::{Database, Sandbox};

#[tokio::test]
async fn a_restart_keeps_everything() {
    keeps_everything(Sandbox::start().await).await;
}

#[tokio::test]
async fn a_restart_on_postgresql_keeps_everything() {
    let database = Database::empty("restart").await;
    keeps_everything(Sandbox::start_with(&["--database-url", &database.url]).await).await;
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
    assert_eq!(client.seen("/sandbox/acquirer/transactions").await.len(), 1);
    assert_eq!(client.seen("/sandbox/authority/documents").await.len(), 1);

    let later = client.create("after").await;
    let created_at = |payment: &str| {
        let (client, path) = (client.clone(), format!("/v1/payments/{payment}"));
        async move { client.get(&path).await.text("/createdAt") }
    };
    // The moved clock went on from where it was, so the second sale is an hour after the first.
    let (first, second) = (created_at(&sold.payment).await, created_at(&later.payment).await);
    assert_ne!(first[..13], second[..13], "{first} and {second}");
}
