use crate::support::{APPROVED_CARD, Database, Sandbox, is_verified_by_xmlsec1};

#[tokio::test]
async fn a_sale_ends_in_a_document_that_another_tool_verifies() {
    ends_in_a_verified_document(&Sandbox::start().await).await;
}

#[tokio::test]
async fn a_sale_on_postgresql_ends_in_the_same() {
    let database = Database::empty("sale").await;
    ends_in_a_verified_document(&Sandbox::start_with(&["--database-url", &database.url]).await).await;
}

async fn ends_in_a_verified_document(sandbox: &Sandbox) {
    let client = sandbox.client();

    let created = client.create("table-7").await;
    let paid = client.pay(&created, APPROVED_CARD, "pay").await.unwrap();
    let again = client.pay(&created, APPROVED_CARD, "pay").await.unwrap();
    let document = client.issued(&created).await;
    let xml = client.bytes(&format!("/v1/fiscal_documents/{}/signed-document", created.document)).await;

    assert_eq!((paid.status, paid.text("/status").as_str()), (200, "succeeded"));
    assert_eq!(again.body, paid.body);
    assert!(created.checkout_url.starts_with(sandbox.text("checkoutBaseUrl")));
    assert_eq!(document["fiscalNumber"], "E320000000001");
    assert_eq!(document["acceptance"], "accepted");
    assert!(is_verified_by_xmlsec1(&xml));
    let transactions = client.seen("/sandbox/acquirer/transactions").await;
    assert_eq!(transactions.len(), 1);
    assert_eq!(
        (&transactions[0]["status"], &transactions[0]["amountMinorUnits"]),
        (&"approved".into(), &128_000.into())
    );
}
