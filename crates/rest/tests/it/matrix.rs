//! Every operation, asked by everyone whom it is not for, about what belongs to another merchant.

mod rows;

use serde_json::Value;

use self::rows::{ROWS, Row};
use crate::support::{
    APPROVED_CARD, Request, SALE, TestResponse, Told, World, equally, on_each_store, token_request, with,
};

/// It stands in every text of the other merchant that may be chosen freely.
const CANARY: &str = "CANARY";

/// Who asks, in the order of the answers in a row.
const CREDENTIALS: [&str; 7] = ["standard", "admin", "restricted", "pay", "receipt", "live", "unknown"];

#[actix_web::test]
async fn nobody_reads_or_changes_what_is_anothers() {
    on_each_store(async |world| {
        let theirs = furnish(&world).await;
        let credentials = credentials(&world).await;
        let mut look = world.home.look().await;
        let before = of_other(&world, look.rows().await);

        let mut wrong = Vec::new();
        for Row { operation, body, told } in ROWS {
            let (method, path) = operation.split_once(' ').unwrap();
            for ((name, credential), told) in credentials.iter().zip(told) {
                let answer = world.send(&request(method, &theirs.fill(path), credential, &theirs.fill(body))).await;

                wrong.extend(check(&format!("{operation} by {name}"), &answer, told.as_ref()));
                for secret in theirs.names.iter().map(|(_, value)| value.as_str()).chain([CANARY, &world.other.key]) {
                    let headers = format!("{:?}", answer.headers);
                    assert!(!answer.text().contains(secret), "{operation} by {name}: {}", answer.text());
                    assert!(!headers.contains(secret), "{operation} by {name}: {headers}");
                }
            }
        }

        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(of_other(&world, look.rows().await), before);
        for table in [
            "payments",
            "fiscal_documents",
            "document_emails",
            "events",
            "artifacts",
            "webhook_endpoints",
            "webhook_deliveries",
            "account_credentials",
        ] {
            assert!(before.iter().any(|row| row.starts_with(table)), "{table} has nothing of theirs");
        }
        assert!(before.iter().any(|row| row.contains(CANARY)));
    })
    .await;
}

/// An account is named in a header, too.
#[actix_web::test]
async fn nobody_sells_on_anothers_account() {
    on_each_store(async |world| {
        for account in [world.other.account.to_string(), testkit::sample::account_id(9).to_string()] {
            let request = Request::post("/v1/payments", &world.one.key, SALE).and("merchant-account", account);

            let answer = world.send(&request).await;

            let told = (404, "merchant_account_not_found".to_owned(), Some("merchant-account".to_owned()));
            assert_eq!(answer.error(), told);
        }
    })
    .await;
}

/// A new operation needs a row.
#[test]
fn every_operation_has_a_row() {
    let described: Value = serde_json::from_str(wire::openapi()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in described["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().iter().filter(|(_, it)| it["operationId"].is_string());
        operations.extend(methods.map(|(method, _)| format!("{method} {path}")));
    }
    operations.retain(|it| !["get /healthz", "get /readyz"].contains(&it.as_str()));
    operations.sort();

    let mut rows: Vec<&str> = ROWS.iter().map(|it| it.operation).collect();
    rows.sort_unstable();
    assert_eq!(rows, operations);
}

/// What the other merchant has, by the names in braces under which rows speak of it.
struct Theirs {
    names: Vec<(&'static str, String)>,
}

impl Theirs {
    fn fill(&self, text: &str) -> String {
        let text = text.replace("{ordinal}", "1");
        self.names.iter().fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}

/// Gives the other merchant something of everything, then turns the world so that the first merchant asks.
async fn furnish(world: &World) -> Theirs {
    let admin = app::operators::create_key(&world.ports, &world.other.tenant, domain::credential::Role::Admin).await;
    let admin = admin.unwrap();
    let tell = async |request: Request| {
        let answer = world.send(&request).await;
        assert!(answer.status < 300, "{} {}: {}", request.method, request.target, answer.text());
        answer
    };
    let account = world.other.account.to_string();
    let credentials = format!(r#"{{"provider":"simulator","credentials":{{"secret":"{CANARY}"}}}}"#);
    tell(Request::put(format!("/v1/merchant_accounts/{account}/credentials"), &admin, credentials)).await;
    let endpoint = format!(r#"{{"url":"https://{CANARY}.example/hook","enabledEvents":["*"]}}"#);
    let endpoint = tell(Request::post("/v1/webhook_endpoints", &admin, endpoint)).await;
    let marked = |field: &str| with(SALE, field, &format!("\"{CANARY}\""));
    let sale = with(&marked("saleReference"), "fiscalDocument.lines.0.description", &format!("\"{CANARY}\""));
    let open = tell(Request::post("/v1/payments", &world.other.key, sale.clone())).await;
    let split = format!("/v1/payments/{}/split", open.field("/id"));
    tell(Request::post(split, &world.other.key, equally(2))).await;
    let paid = tell(Request::post("/v1/payments", &world.other.key, sale)).await;
    let wish = token_request(&paid.field("/checkoutReference"), "pay");
    let token = tell(Request::post("/v1/checkout_tokens", &world.other.key, wish)).await.field("/token");
    let submit = format!("/v1/payments/{}/card-submissions", paid.field("/id"));
    tell(Request::post(submit, &token, crate::support::card(APPROVED_CARD))).await;
    let document = domain::FiscalDocumentId::parse(&paid.field("/fiscalDocument/id")).unwrap();
    app::issue_document(&world.ports, &world.other.tenant, &document).await.unwrap();
    let deliveries = format!("/v1/fiscal_documents/{document}/deliveries");
    let recipient = format!(r#"{{"recipientEmail":"rosa@{CANARY}.example"}}"#);
    tell(Request::post(deliveries, &world.other.key, recipient)).await;
    let events = tell(Request::get("/v1/events", &world.other.key)).await;
    Theirs {
        names: vec![
            ("paymentId", open.field("/id")),
            ("paidId", paid.field("/id")),
            ("fiscalDocumentId", document.to_string()),
            ("merchantAccountId", account),
            ("webhookEndpointId", endpoint.field("/id")),
            ("eventId", events.field("/data/0/id")),
            ("reference", open.field("/checkoutReference")),
        ],
    }
}

async fn credentials(world: &World) -> [(&'static str, String); 7] {
    let (open, paid) = (world.sale(SALE).await, world.issued(SALE, APPROVED_CARD).await);
    let secrets = [
        world.one.key.clone(),
        world.admin().await,
        world.restricted().await,
        world.token(&open, "pay").await,
        world.token(&paid, "receipt").await,
        world.live().await,
        world.forgotten().await,
    ];
    let mut names = CREDENTIALS.into_iter();
    secrets.map(|it| (names.next().unwrap(), it))
}

fn request(method: &str, path: &str, credential: &str, body: &str) -> Request {
    match method {
        "get" => Request::get(path, credential),
        "post" => Request::post(path, credential, body),
        "patch" => Request::patch(path, credential, body),
        "put" => Request::put(path, credential, body),
        "delete" => Request::delete(path, credential),
        _ => panic!("no operation is asked by {method}"),
    }
}

/// What is wrong with the answer, if anything. Of one about the caller's own it matters that there is one.
fn check(what: &str, answer: &TestResponse, told: Option<&Told>) -> Option<String> {
    let is_right = match told {
        None => answer.status < 300,
        Some(&(status, code, param)) => {
            answer.status >= 400 && answer.error() == (status, code.to_owned(), param.map(str::to_owned))
        }
    };
    (!is_right).then(|| format!("{what}: {} {}", answer.status, answer.text()))
}

fn of_other(world: &World, rows: Vec<String>) -> Vec<String> {
    let merchant = world.other.tenant.merchant.as_str();
    rows.into_iter().filter(|it| it.contains(merchant)).collect()
}
