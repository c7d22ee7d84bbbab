//! Many concurrent requests with different keys: each gets a response, and none a 500.

use futures_util::future::join_all;

use crate::support::{APPROVED_CARD, Request, SALE, Served, TestResponse, on_each_store, with, without};

/// Sends all requests at once over sockets. The server is stopped at the end, which closes the
/// connections to the database.
async fn at_once(served: &Served, requests: &[Request]) -> Vec<TestResponse> {
    join_all(requests.iter().map(|it| served.send(it))).await
}

fn count(responses: &[TestResponse], status: u16) -> usize {
    responses.iter().filter(|it| it.status == status).count()
}

#[actix_web::test]
async fn thirty_concurrent_tips_are_all_accepted() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let path = format!("/v1/payments/{}/voluntary-tip", created.field("/id"));
        let tip = |n: u32| format!(r#"{{"amount":{{"currency":"DOP","minorUnits":{n}}}}}"#);
        let requests: Vec<Request> =
            (1..=30).map(|n| Request::put(&path, &token, tip(n)).keyed(format!("tip-{n}"))).collect();

        let served = Served::start(&world);
        let responses = at_once(&served, &requests).await;

        assert_eq!(count(&responses, 200), 30, "{:?}", responses.iter().map(|it| it.status).collect::<Vec<_>>());
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn of_thirty_concurrent_endpoints_sixteen_are_created() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let body = r#"{"url":"https://hooks.example.do/cobro","enabledEvents":["*"]}"#;
        let requests: Vec<Request> = (1..=30)
            .map(|n| Request::post("/v1/webhook_endpoints", &admin, body).keyed(format!("endpoint-{n}")))
            .collect();

        let served = Served::start(&world);
        let responses = at_once(&served, &requests).await;

        assert_eq!((count(&responses, 201), count(&responses, 409)), (16, 14));
        for refused in responses.iter().filter(|it| it.status == 409) {
            assert_eq!(refused.error().1, "webhook_endpoint_limit_reached");
        }
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn of_thirty_concurrent_deliveries_five_are_accepted() {
    on_each_store(async |world| {
        let created = world.issued(SALE, APPROVED_CARD).await;
        let path = format!("/v1/fiscal_documents/{}/deliveries", created.field("/fiscalDocument/id"));
        let body = |n: u32| format!(r#"{{"recipientEmail":"rosa-{n}@correo.example"}}"#);
        let requests: Vec<Request> =
            (1..=30).map(|n| Request::post(&path, &world.one.key, body(n)).keyed(format!("delivery-{n}"))).collect();

        let served = Served::start(&world);
        let responses = at_once(&served, &requests).await;

        assert_eq!((count(&responses, 202), count(&responses, 429)), (5, 25));
        let mut tables = world.home.table_reader().await;
        let stored: Vec<String> =
            tables.rows().await.into_iter().filter(|it| it.starts_with("document_emails:")).collect();
        assert_eq!(stored.len(), 5, "{stored:?}");
        for taken in responses.iter().filter(|it| it.status == 202) {
            assert!(stored.iter().any(|it| it.contains(&taken.field("/email"))), "{}", taken.text());
        }
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn twenty_deliveries_with_one_key_are_one_delivery() {
    on_each_store(async |world| {
        let created = world.issued(SALE, APPROVED_CARD).await;
        let path = format!("/v1/fiscal_documents/{}/deliveries", created.field("/fiscalDocument/id"));
        let body = r#"{"recipientEmail":"rosa@correo.example"}"#;
        let request = Request::post(path, &world.one.key, body).keyed("one-delivery");

        let served = Served::start(&world);
        let responses = at_once(&served, &vec![request; 20]).await;

        assert_eq!(count(&responses, 202), 20);
        let mut tables = world.home.table_reader().await;
        assert_eq!(tables.rows().await.iter().filter(|it| it.starts_with("document_emails:")).count(), 1);
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn twenty_submissions_with_one_key_are_one_charge() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await.keyed("one-card");

        let served = Served::start(&world);
        let responses = at_once(&served, &vec![submission; 20]).await;

        assert_eq!(world.acquirer.transactions().len(), 1);
        for other in responses.iter().filter(|it| it.status != 200) {
            assert_eq!(other.error().1, "idempotency_request_in_progress");
        }
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn two_corrections_at_once_make_one_revision() {
    on_each_store(async |world| {
        let created =
            world.issued(&with(SALE, "fiscalDocument.merchantInvoiceNumber", r#""RJ-1""#), APPROVED_CARD).await;
        let sale: serde_json::Value = serde_json::from_str(SALE).unwrap();
        let correction = without(&sale["fiscalDocument"].to_string(), "issuanceMode");
        let path = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
        let correct = || Request::post(format!("{path}/corrections"), &world.one.key, correction.as_str());

        let served = Served::start(&world);
        let responses = at_once(&served, &[correct(), correct()]).await;
        world.issue(&created).await;

        assert_eq!((count(&responses, 201), count(&responses, 409)), (1, 1), "{responses:?}");
        let refused = responses.iter().find(|it| it.status == 409).unwrap();
        assert_eq!(refused.error().1, "fiscal_correction_not_allowed");
        let issued = world.send(&Request::get(&path, &world.one.key)).await;
        assert_eq!((issued.field("/status"), &issued.json()["revision"]), ("issued".to_owned(), &2.into()));
        served.stop().await;
    })
    .await;
}
