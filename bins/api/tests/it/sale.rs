use serde_json::json;

use crate::support::{APPROVED_CARD, Database, Sandbox, is_verified_by_xmlsec1, sale};

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
    let transactions = client.records("/sandbox/acquirer/transactions").await;
    assert_eq!(transactions.len(), 1);
    assert_eq!(
        (&transactions[0]["status"], &transactions[0]["amountMinorUnits"]),
        (&"approved".into(), &128_000.into())
    );
}

/// A sale in dollars has a document in pesos, after the exchange rate is set.
#[tokio::test]
async fn a_sale_in_dollars_ends_in_a_document_in_pesos() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let mut request = sale("table-usd");
    request["amount"]["currency"] = "USD".into();

    let refused = client.post_own("/v1/payments", "no-rate", &request).await;
    let nonsense = client.control("/sandbox/exchange-rates", &json!({ "rate": "58,12" })).await.unwrap();
    let rate = client.control("/sandbox/exchange-rates", &json!({ "rate": "58.1234" })).await.unwrap();
    let created = client.create_sale("table-usd", &request).await;
    client.pay(&created, APPROVED_CARD, "pay").await.unwrap();
    let document = client.issued(&created).await;
    let xml = client.bytes(&format!("/v1/fiscal_documents/{}/signed-document", created.document)).await;
    let transactions = client.records("/sandbox/acquirer/transactions").await;

    let code = "currency_not_supported_for_fiscal_document";
    assert_eq!((refused.status, refused.text("/error/code").as_str()), (422, code));
    assert_eq!((nonsense.status, rate.status, rate.text("/rate").as_str()), (400, 200, "58.1234"));
    assert_eq!((&document["acceptance"], &document["observations"]), (&"accepted".into(), &json!([])));
    assert!(is_verified_by_xmlsec1(&xml));
    let xml = String::from_utf8(xml).unwrap();
    for stated in [
        "<TipoCambio>58.1234</TipoCambio>",
        "<MontoTotalOtraMoneda>1280.00</MontoTotalOtraMoneda>",
        "<MontoTotal>74397.95</MontoTotal>",
    ] {
        assert!(xml.contains(stated), "{stated} in {xml}");
    }
    assert!(document["verificationUrl"].as_str().unwrap().contains("&MontoTotal=74397.95&"), "{document}");
    let charged = (&transactions[0]["amountMinorUnits"], &transactions[0]["currency"]);
    assert_eq!(charged, (&128_000.into(), &"USD".into()));
}
