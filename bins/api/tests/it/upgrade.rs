//! A sandbox on the data folder of an earlier release.
//!
//! `fixtures/sandbox-0.1.0` was written by release 0.1.0: a sale with a fiscal credit invoice, a bill that two payers have
//! paid, and a sale that is not paid. The rows of the database are text; the schema is the first migration.

use std::{
    fs,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::Path,
    time::{Instant, SystemTime},
};

use diesel::{Connection, SqliteConnection, connection::SimpleConnection};
use serde_json::{Value, json};

use crate::support::{APPROVED_CARD, Client, Created, POLL_TIMEOUT, Sandbox, is_verified_by_xmlsec1, pause};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/sandbox-0.1.0");
const SCHEMA: &str = include_str!("../../../../crates/storage/migrations/sqlite/0001_baseline/up.sql");
const APPLIED: &str = "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
     run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP); \
     INSERT INTO __diesel_schema_migrations (version) VALUES ('0001');";
/// An hour after the sales of the folder: no charge can be voided, every charge can be refunded.
const STARTED_AT: i128 = 1_796_067_600_000;

/// Sales of the folder: each payment with its document.
const WHOLE: (&str, &str) = ("payment_mgh9cj5c4h9npyaxh85xzp8me1", "fiscal_document_gyge3vzhkc4mm9qazkym5mtsmj");
const SHARED: (&str, &str) = ("payment_edydw8yyak3yvxxh680fbhvcpa", "fiscal_document_qyfv13mzszxkpk7qkvpygqb8ca");
const UNPAID: (&str, &str) = ("payment_n0psd9hmdwvffc9c405wb29jq8", "fiscal_document_3m40hjqbc1kc9py4r46ghky8am");

/// Creates the data folder.
fn fill(data: &Path) {
    fs::DirBuilder::new().mode(0o700).create(data).unwrap();
    for entry in fs::read_dir(FOLDER).unwrap() {
        let name = entry.unwrap().file_name();
        let copy = data.join(&name);
        fs::write(&copy, fs::read(Path::new(FOLDER).join(&name)).unwrap()).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let rows = fs::read_to_string(data.join("rows.sql")).unwrap();
    fs::remove_file(data.join("rows.sql")).unwrap();
    let mut database = SqliteConnection::establish(data.join("cobro.db").to_str().unwrap()).unwrap();
    database.batch_execute(&format!("BEGIN; {SCHEMA} {APPLIED} {rows} COMMIT;")).unwrap();
    let now = i128::try_from(SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    fs::write(data.join("clock"), format!("{}\n", STARTED_AT - now)).unwrap();
}

fn remembered(sandbox: &Sandbox) -> Value {
    serde_json::from_slice(&fs::read(sandbox.data().join("sandbox.json")).unwrap()).unwrap()
}

/// Refunds everything, and waits for the credit note.
async fn refunded(client: &Client, payment: &str) -> Value {
    let body = json!({ "scope": "all", "reason": "returned" });
    let path = format!("/v1/payments/{payment}/refunds");
    let created = client.post_own(&path, &format!("refund-{payment}"), &body).await;
    assert_eq!((created.status, created.text("/status").as_str()), (201, "succeeded"), "{created:?}");
    let begun = Instant::now();
    loop {
        let refund = client.get(&format!("/v1/refunds/{}", created.text("/id"))).await.body;
        if refund["creditNote"]["status"] == "issued" {
            return refund;
        }
        assert!(begun.elapsed() < POLL_TIMEOUT, "the credit note is not issued: {refund}");
        pause().await;
    }
}

/// Returns method and amount of each leg.
fn legs(refund: &Value) -> Vec<(&str, i64)> {
    let legs = refund["legs"].as_array().unwrap().iter();
    legs.map(|leg| (leg["method"].as_str().unwrap(), leg["amount"]["minorUnits"].as_i64().unwrap())).collect()
}

#[tokio::test]
async fn sales_of_release_0_1_0_are_refunded_with_credit_notes() {
    let sandbox = Sandbox::start_on(fill).await;
    let client = sandbox.client();
    let before = client.get(&format!("/v1/payments/{}", WHOLE.0)).await;
    let document = client.bytes(&format!("/v1/fiscal_documents/{}/signed-document", WHOLE.1)).await;

    let whole = refunded(&client, WHOLE.0).await;
    let shared = refunded(&client, SHARED.0).await;

    assert_eq!(before.body["refundSummary"]["refundableAmount"]["minorUnits"], 128_000, "{before:?}");
    assert!(is_verified_by_xmlsec1(&document));
    assert_eq!(legs(&whole), [("refund", 128_000)]);
    assert_eq!(legs(&shared), [("refund", 64_000), ("refund", 64_000)]);
    let transactions = client.records("/sandbox/acquirer/transactions").await;
    let refunds = transactions.iter().filter(|it| it["kind"] == "refund" && it["status"] == "approved");
    assert_eq!(refunds.count(), 3, "{transactions:?}");
    let documents = client.records("/sandbox/authority/documents").await;
    for (refund, (_, original)) in [(&whole, WHOLE), (&shared, SHARED)] {
        let number = &refund["creditNote"]["fiscalNumber"];
        let accepted = documents.iter().filter(|it| it["number"] == *number && it["status"] == "accepted").count();
        let original = client.get(&format!("/v1/fiscal_documents/{original}")).await;
        assert_eq!((accepted, &original.body["creditedMinorUnits"]), (1, &128_000.into()), "{documents:?}");
    }
}

#[tokio::test]
async fn a_folder_of_release_0_1_0_sells_on_after_its_upgrade() {
    let mut sandbox = Sandbox::start_on(fill).await;
    let client = sandbox.client();
    let unpaid = client.get(&format!("/v1/payments/{}", UNPAID.0)).await;
    let reference = json!({ "checkoutReference": unpaid.text("/checkoutReference"), "purpose": "pay" });
    let token = client.post_own("/v1/checkout_tokens", "token", &reference).await;
    let (payment, document) = (UNPAID.0.to_owned(), UNPAID.1.to_owned());
    let old = Created { payment, document, checkout_url: String::new(), token: token.text("/token") };

    let paid = client.pay(&old, APPROVED_CARD, "pay-unpaid").await.unwrap();
    let issued = client.issued(&old).await;
    let new = client.sell("new").await;
    let refunds = [refunded(&client, &old.payment).await, refunded(&client, &new.payment).await];

    assert_eq!(paid.text("/status"), "succeeded");
    assert_eq!(issued["fiscalNumber"], "E320000000002");
    for refund in &refunds {
        assert_eq!(legs(refund), [("void", 128_000)]);
    }
    let first = remembered(&sandbox);
    sandbox.stop("TERM").await;
    sandbox.start_again().await;
    assert_eq!(remembered(&sandbox), first, "the folder is upgraded once");
    assert_eq!(sandbox.client().records("/sandbox/authority/documents").await.len(), 6);
}

/// The key of the old release has no right to refund, so the upgrade creates another one. Both remain valid.
#[tokio::test]
async fn the_old_key_of_the_merchant_sells_and_does_not_refund() {
    let sandbox = Sandbox::start_on(fill).await;
    let of_then: Value = serde_json::from_slice(&fs::read(format!("{FOLDER}/sandbox.json")).unwrap()).unwrap();
    let old_key = of_then["merchantApiKey"].as_str().unwrap();
    let client = Client::new(sandbox.text("baseUrl"), old_key);

    client.sell("with-the-old-key").await;
    let path = format!("/v1/payments/{}/refunds", WHOLE.0);
    let refused = client.post_own(&path, "refund", &json!({ "scope": "all", "reason": "returned" })).await;

    assert_ne!(sandbox.text("merchantApiKey"), old_key);
    for name in ["adminApiKey", "restrictedApiKey", "liveApiKey", "merchantAccountId"] {
        assert_eq!(sandbox.ready[name], of_then[name]);
    }
    assert_eq!((refused.status, refused.text("/error/code").as_str()), (403, "refund_not_permitted"));
    refunded(&sandbox.client(), WHOLE.0).await;
}
