//! Log lines of requests: caller, operation and duration, and no text of the client.

use serde_json::{Value, json};

use crate::support::{Log, Request, SALE, World, on_one_store};

/// Fields of a line.
const FIELDS: [&str; 12] = [
    "code",
    "credential",
    "level",
    "message",
    "method",
    "milliseconds",
    "mode",
    "route",
    "span",
    "status",
    "target",
    "tenant",
];

/// Sends the request and returns the log line.
async fn line(world: &World, request: Request) -> Value {
    let log = Log::in_json();
    let response = world.send(&request).await;
    let lines: Vec<Value> = log.text().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let mut completed: Vec<Value> = lines.into_iter().filter(|it| it["message"] == "request completed").collect();
    assert_eq!(completed.len(), 1, "{}", log.text());
    let mut line = completed.remove(0);
    let fields = line.as_object_mut().unwrap();
    assert!(fields.remove("timestamp").is_some_and(|it| it.is_string()));
    assert!(fields.keys().all(|it| FIELDS.contains(&it.as_str())), "{fields:?}");
    assert!(fields["milliseconds"].as_u64().is_some_and(|it| it < 60_000), "{fields:?}");
    assert_eq!(fields["span"], json!({ "name": "request", "request": response.header("request-id") }));
    assert_eq!(fields["status"], response.status);
    line
}

#[track_caller]
fn assert_says(line: &Value, expected: &Value) {
    let mut logged = line.clone();
    logged.as_object_mut().unwrap().retain(|name, _| {
        ["code", "credential", "method", "mode", "route", "status", "tenant"].contains(&name.as_str())
    });
    assert_eq!(logged, *expected, "{line:#}");
}

#[actix_web::test]
async fn the_log_names_an_authenticated_caller() {
    on_one_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let (key, tenant) = (world.one.key.as_str(), world.one.tenant.merchant.as_str());
        let path = format!("/v1/payments/{}", created.field("/id"));

        let read = line(&world, Request::get(&path, key)).await;
        let route = "/v1/payments/{paymentId}";
        let by_key = json!({ "method": "GET", "route": route, "status": 200, "tenant": tenant, "mode": "test",
            "credential": "api_key" });
        assert_says(&read, &by_key);

        let read = line(&world, Request::get(&path, &token)).await;
        let by_token = json!({ "method": "GET", "route": route, "status": 200, "tenant": tenant, "mode": "test",
            "credential": "checkout_token" });
        assert_says(&read, &by_token);

        let refused = line(&world, Request::get("/v1/payments?limit=0", &world.live().await)).await;
        let in_live_mode = json!({ "method": "GET", "route": "/v1/payments", "status": 400, "tenant": tenant,
            "mode": "live", "credential": "api_key", "code": "parameter_invalid" });
        assert_says(&refused, &in_live_mode);
    })
    .await;
}

#[actix_web::test]
async fn the_log_names_no_unauthenticated_caller() {
    on_one_store(async |world| {
        let key = world.one.key.as_str();
        let table = [
            (Request::bare("GET", "/v1/payments"), "GET", "/v1/payments", 401, "api_key_missing"),
            (Request::get("/v1/payments", "gk_test_secret"), "GET", "/v1/payments", 401, "api_key_invalid"),
            (Request::get("/v1/secret", key), "GET", "none", 404, "endpoint_not_found"),
            (Request::bare("SECRET", "/v1/payments"), "other", "/v1/payments", 405, "endpoint_not_found"),
            (Request::bare("GET", "/secret").without("host"), "GET", "none", 400, "parameter_invalid"),
        ];

        for (request, method, route, status, code) in table {
            let logged = line(&world, request.and("x-secret", "secret").sending("secret")).await;

            let expected = json!({ "method": method, "route": route, "status": status, "code": code,
                "credential": "none" });
            assert_says(&logged, &expected);
            assert!(!logged.to_string().to_lowercase().contains("secret"), "{logged}");
        }
        let alive = line(&world, Request::bare("GET", "/healthz?secret")).await;
        assert_says(&alive, &json!({ "method": "GET", "route": "/healthz", "status": 200, "credential": "none" }));
    })
    .await;
}

#[actix_web::test]
async fn the_log_line_survives_a_panic() {
    on_one_store(async |world| {
        let tenant = world.one.tenant.merchant.as_str();
        world.sale_store.panic();

        let path = format!("/v1/payments/{}", testkit::sample::payment_id(1));
        let read = line(&world, Request::get(&path, &world.one.key)).await;
        let written = line(&world, Request::post("/v1/payments", &world.one.key, SALE)).await;

        let broken = json!({ "status": 500, "tenant": tenant, "mode": "test", "credential": "api_key",
            "code": "internal_error" });
        for (logged, method, route) in [(read, "GET", "/v1/payments/{paymentId}"), (written, "POST", "/v1/payments")] {
            let mut expected = broken.clone();
            (expected["method"], expected["route"]) = (method.into(), route.into());
            assert_says(&logged, &expected);
        }
    })
    .await;
}
