use testkit::sample;

use super::{Row, check};
use crate::support::{Request, SALE, on_each_store};

#[actix_web::test]
async fn to_nowhere() {
    const NOWHERE: (u16, &str, Option<&str>) = (404, "endpoint_not_found", None);

    on_each_store(async |world| {
        let paths = [
            "/v1/nope",
            "/v1/payments/",
            "/v1//payments",
            "/v2/payments",
            "/",
            "/v1",
            "/v1/",
            "/V1/payments",
            "/v1/payments/x/",
            "/v1/payments/x/y",
            "/v1/payments/x/card-submissions/y",
            "/v1/./payments",
            "/v1/checkout_tokens/x",
            "/healthz/",
            "/v1/%70ayments/",
        ];
        let rows: Vec<Row> =
            paths.map(|path| ("BAD-017", Request::get(path, &world.one.key), NOWHERE)).into_iter().collect();

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn by_another_method() {
    const OTHER: (u16, &str, Option<&str>) = (405, "endpoint_not_found", None);

    on_each_store(async |world| {
        let places = [
            ("/v1/payments", "GET, POST"),
            ("/v1/payments/x", "GET"),
            ("/v1/payments/x/card-submissions", "POST"),
            ("/v1/fiscal_documents/x", "GET"),
            ("/v1/fiscal_documents/x/signed-document", "GET"),
            ("/v1/merchant_accounts/x", "GET"),
            ("/v1/checkout_tokens", "POST"),
            ("/healthz", "GET"),
        ];
        for (path, allowed) in places {
            for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"] {
                if allowed.split(", ").any(|it| it == method) {
                    continue;
                }
                let request = Request { method, ..Request::get(path, &world.one.key) };
                let answer = world.send(&request).await;

                assert_eq!(answer.header("allow"), allowed, "BAD-016: {method} {path}");
                check(&world, vec![("BAD-016", request, OTHER)]).await;
            }
        }
    })
    .await;
}

#[actix_web::test]
async fn to_what_is_not_there() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let document = created.field("/fiscalDocument/id");
        let get = |path: String| Request::get(path, &world.one.key);
        let payment = |id: &str| get(format!("/v1/payments/{id}"));
        let account = |id: &str| get(format!("/v1/merchant_accounts/{id}"));
        let no_payment = (404, "payment_not_found", Some("paymentId"));
        let no_account = (404, "merchant_account_not_found", Some("merchantAccountId"));

        let rows: Vec<Row> = vec![
            ("BAD-109", payment("x"), no_payment),
            ("BAD-109", payment("payment_ABC"), no_payment),
            ("BAD-109", payment(&format!("payment_{}", "0".repeat(23))), no_payment),
            ("BAD-109", payment(&format!("payment_{}i", "0".repeat(25))), no_payment),
            ("BAD-109", payment("%00"), no_payment),
            ("BAD-109", payment("%ff"), no_payment),
            ("BAD-111", payment(sample::payment_id(7).as_str()), no_payment),
            ("BAD-112", payment(&document), no_payment),
            ("BAD-113", account(&"x".repeat(257)), no_account),
            ("BAD-113", account("..%2f.."), no_account),
            ("BAD-113", account("%F0%9F%92%B3"), no_account),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn with_a_query_that_nobody_knows() {
    on_each_store(async |world| {
        let get = |query: &str| Request::get(format!("/v1/payments/x?{query}"), &world.one.key);
        let at = |param| (400, "parameter_invalid", param);

        let rows: Vec<Row> = vec![
            ("BAD-115", get("foo=1"), at(Some("foo"))),
            ("BAD-115", get("limit=1&limit=100"), at(Some("limit"))),
            ("BAD-115", get("limit[]=1"), at(None)),
            ("BAD-115", get("&&foo"), at(Some("foo"))),
            ("BAD-115", get("4222220000000008=1"), at(None)),
            ("BAD-115", get("=1"), at(None)),
            ("BAD-115", get("%66oo=1"), at(None)),
        ];

        check(&world, rows).await;
    })
    .await;
}
