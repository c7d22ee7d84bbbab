use serde_json::{Value, json};

use crate::support::{APPROVED_CARD, Client, Created, Sandbox, pause, sale};

/// Creates a paid sale with an issued document and an e-mail.
async fn sold(client: &Client, name: &str, email: &str) -> Created {
    let mut sale = sale(name);
    sale["fiscalDocument"]["deliveryEmail"] = email.into();
    let created = client.create_sale(name, &sale).await;
    client.pay(&created, APPROVED_CARD, &format!("pay-{name}")).await.unwrap();
    client.issued(&created).await;
    created
}

/// Waits for the sent e-mail.
async fn delivery(client: &Client, created: &Created, status: &str) -> Value {
    for _ in 0..100 {
        let document = client.get(&format!("/v1/fiscal_documents/{}", created.document)).await;
        if document.text("/delivery/status") == status {
            return document.body["delivery"].clone();
        }
        pause().await;
    }
    panic!("the delivery was never {status}");
}

#[tokio::test]
async fn a_payer_who_wants_the_document_gets_one_mail_for_each_wish() {
    let mut sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let created = sold(&client, "first", "rosa@correo.example").await;
    let sent = delivery(&client, &created, "sent").await;
    let path = format!("/v1/fiscal_documents/{}/deliveries", created.document);

    let requested = client.post_own(&path, "again", &json!({ "recipientEmail": "luis@correo.example" })).await;
    assert_eq!((requested.status, requested.text("/status").as_str()), (202, "waiting_for_document"));
    client.control("/sandbox/clock/advance", &json!({ "seconds": 86400 })).await.unwrap();
    sandbox.stop("TERM").await;
    sandbox.start_again().await;

    let mails = sandbox.client().records("/sandbox/mails").await;
    let [second, first] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(
        (first["to"].as_str(), second["to"].as_str()),
        (Some("rosa@correo.example"), Some("luis@correo.example"))
    );
    assert!(first["subject"].as_str().unwrap().contains("E320000000001"), "{first}");
    assert!(first["text"].as_str().unwrap().contains("Total del comprobante: RD$ "), "{first}");
    let names: Vec<_> = first["attachments"].as_array().unwrap().iter().map(|it| it["filename"].as_str()).collect();
    assert_eq!(names, [Some("E320000000001.xml"), Some("E320000000001.pdf")]);
    assert!(first["attachments"].as_array().unwrap().iter().all(|it| it["sizeBytes"].as_u64() > Some(1000)), "{first}");
    assert!(sent["sentAt"].as_str().unwrap().ends_with('Z'), "{sent}");
    let events = sandbox.client().records("/v1/events?type=fiscal_document.delivery_sent").await;
    assert_eq!(events.len(), 2);
    assert_eq!(events[0]["data"]["previousStatus"], "queued");
    assert_eq!(events[0]["data"]["object"]["delivery"]["status"], "sent");
}

#[tokio::test]
async fn a_mail_that_is_put_off_comes_later_and_one_that_is_refused_fails() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let fault = json!({ "target": "mail", "fault": "before_request", "count": 1 });
    client.control("/sandbox/faults", &fault).await.unwrap();
    let late = sold(&client, "late", "rosa@correo.example").await;
    delivery(&client, &late, "queued").await;
    let refused = sold(&client, "refused", "mailbox_unavailable@correo.example").await;

    let failed = delivery(&client, &refused, "failed").await;
    assert_eq!(client.records("/sandbox/mails").await.len(), 0);
    client.control("/sandbox/clock/advance", &json!({ "seconds": 60 })).await.unwrap();

    assert_eq!(failed["problem"]["code"], "mailbox_unavailable");
    assert!(failed["failedAt"].is_string(), "{failed}");
    delivery(&client, &late, "sent").await;
    assert_eq!(client.records("/sandbox/mails").await.len(), 1);
    assert_eq!(client.records("/v1/events?type=fiscal_document.delivery_failed").await.len(), 1);
}
