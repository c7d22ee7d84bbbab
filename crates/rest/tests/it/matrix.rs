//! Every operation with every kind of credential, about data of another merchant.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    openapi::document,
    support::{
        APPROVED_CARD, ExpectedError, Request, SALE, TestResponse, World, equally, on_each_store, token_request, with,
    },
};

/// Text in every field of the other merchant that is chosen freely.
const CANARY: &str = "CANARY";

/// Kinds of credentials.
const CREDENTIALS: [&str; 7] = ["standard", "admin", "restricted", "pay", "receipt", "live", "unknown"];

const UNKNOWN: ExpectedError = (401, "api_key_invalid", None);
const DENIED: ExpectedError = (403, "operation_not_permitted_for_checkout_token", None);
const NOT_ADMIN: ExpectedError = (403, "merchant_account_admin_required", None);
const NOT_REFUNDING: ExpectedError = (403, "refund_not_permitted", None);
const NOT_LIVE: ExpectedError = (403, "live_mode_not_enabled", None);
const NOT_ELIGIBLE: ExpectedError = (422, "no_eligible_provider", None);
const NO_REFERENCE: ExpectedError = (400, "checkout_reference_invalid", Some("checkoutReference"));

/// Response to an identifier of another merchant, by the parameter of the path.
const NOT_FOUND: [(&str, ExpectedError); 6] = [
    ("{paymentId}", (404, "payment_not_found", Some("paymentId"))),
    ("{fiscalDocumentId}", (404, "fiscal_document_not_found", Some("fiscalDocumentId"))),
    ("{merchantAccountId}", (404, "merchant_account_not_found", Some("merchantAccountId"))),
    ("{refundId}", (404, "refund_not_found", Some("refundId"))),
    ("{eventId}", (404, "event_not_found", Some("eventId"))),
    ("{webhookEndpointId}", (404, "webhook_endpoint_not_found", Some("webhookEndpointId"))),
];

/// Refund of a part.
const REFUND: &str = r#"{"scope":"amount","reason":"other","amount":{"currency":"DOP","minorUnits":11800}}"#;

/// Bodies that differ from the examples of the document. Names in braces are resources of the other merchant.
const BODIES: [(&str, &str); 6] = [
    ("createPayment", SALE),
    ("createCheckoutToken", r#"{"checkoutReference":"{reference}","purpose":"pay"}"#),
    (
        "putMerchantProfile",
        r#"{"legalName":"Comedor Nuevo, S.R.L.","rnc":"101000007","displayName":"El Nuevo","supportPhone":"809-555-0101","statementDescriptor":"EL NUEVO","paymentWindowSeconds":900}"#,
    ),
    ("createMerchantAccount", r#"{"provider":"simulator"}"#),
    ("setAccountCredentials", r#"{"provider":"simulator","credentials":{"merchantId":"m-1"}}"#),
    ("replayWebhooks", r#"{"eventId":"{eventId}"}"#),
];

#[actix_web::test]
async fn no_credential_reads_or_changes_data_of_another_merchant() {
    on_each_store(async |world| {
        let other = furnish(&world).await;
        let credentials = credentials(&world).await;
        let mut tables = world.home.table_reader().await;
        let before = of_other(&world, tables.rows().await);

        let mut wrong = Vec::new();
        for operation in operations() {
            for (name, credential) in &credentials {
                let request = operation.request(&other, credential);
                let response = world.send(&request).await;

                wrong.extend(check(&format!("{} by {name}", operation.id), &response, operation.expected(name)));
                for secret in other.names.iter().map(|(_, value)| value.as_str()).chain([CANARY, &world.other.key]) {
                    let headers = format!("{:?}", response.headers);
                    assert!(!response.text().contains(secret), "{} by {name}: {}", operation.id, response.text());
                    assert!(!headers.contains(secret), "{} by {name}: {headers}", operation.id);
                }
            }
        }

        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(of_other(&world, tables.rows().await), before);
        for table in [
            "payments",
            "fiscal_documents",
            "document_emails",
            "events",
            "artifacts",
            "webhook_endpoints",
            "webhook_deliveries",
            "account_credentials",
            "refunds",
        ] {
            assert!(before.iter().any(|row| row.starts_with(table)), "{table} has no row of the other merchant");
        }
        assert!(before.iter().any(|row| row.contains(CANARY)));
    })
    .await;
}

/// The `merchant-account` header names an account, too.
#[actix_web::test]
async fn no_key_sells_on_an_account_of_another_merchant() {
    on_each_store(async |world| {
        for account in [world.other.account.to_string(), testkit::sample::account_id(9).to_string()] {
            let request = Request::post("/v1/payments", &world.one.key, SALE).and("merchant-account", account);

            let response = world.send(&request).await;

            let refusal = (404, "merchant_account_not_found".to_owned(), Some("merchant-account".to_owned()));
            assert_eq!(response.error(), refusal);
        }
    })
    .await;
}

/// An operation of the document.
struct Operation {
    id: String,
    method: String,
    path: String,
    /// Security schemes.
    schemes: BTreeSet<String>,
    /// Whether a live key needs the live mode to be enabled.
    needs_live_mode: bool,
    /// Whether a standard key needs the right to refund.
    needs_refund_right: bool,
    body: String,
}

fn operations() -> Vec<Operation> {
    let document = document();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        if path.starts_with("/v1/") {
            let methods = item.as_object().unwrap().iter();
            operations.extend(methods.map(|(method, operation)| read(&document, path, method, operation)));
        }
    }
    assert!(operations.len() > 35, "{}", operations.len());
    // Later commands change the caller's own profile and accounts, so that a payment would be refused.
    operations.sort_by_key(|operation| (operation.method != "get", operation.id != "createPayment"));
    operations
}

fn read(document: &Value, path: &str, method: &str, operation: &Value) -> Operation {
    let id = operation["operationId"].as_str().unwrap().to_owned();
    let schemes =
        operation["security"].as_array().unwrap().iter().flat_map(|scheme| scheme.as_object().unwrap().keys());
    let forbidden = &operation["responses"]["403"]["content"]["application/json"]["examples"];
    let examples = operation["requestBody"]["content"]["application/json"]["examples"].as_object();
    let example = examples.and_then(|examples| examples.values().next()?["$ref"].as_str()?.strip_prefix('#'));
    let example = example.map(|pointer| document.pointer(pointer).unwrap()["value"].to_string());
    let body = BODIES.iter().find(|(name, _)| *name == id).map(|(_, body)| (*body).to_owned());
    Operation {
        schemes: schemes.cloned().collect(),
        needs_live_mode: forbidden.get("live_mode_not_enabled").is_some(),
        needs_refund_right: forbidden.get("refund_not_permitted").is_some(),
        body: body.or(example).unwrap_or_default(),
        id,
        method: method.to_owned(),
        path: path.to_owned(),
    }
}

impl Operation {
    fn request(&self, other: &Other, credential: &str) -> Request {
        let (path, body) = (other.fill(&self.path), other.fill(&self.body));
        match self.method.as_str() {
            "get" => Request::get(path, credential),
            "post" => Request::post(path, credential, body),
            "patch" => Request::patch(path, credential, body),
            "put" => Request::put(path, credential, body),
            "delete" => Request::delete(path, credential),
            method => panic!("{method} is no method of an operation"),
        }
    }

    /// Returns the expected refusal; `None` if the operation succeeds on the caller's own data.
    fn expected(&self, credential: &str) -> Option<ExpectedError> {
        let takes = |scheme: &str| self.schemes.contains(scheme);
        let needs_admin = !takes("merchantKey") && takes("adminKey");
        match credential {
            "unknown" => return Some(UNKNOWN),
            "pay" if !takes("payToken") => return Some(DENIED),
            "receipt" if !takes("receiptToken") => return Some(DENIED),
            "pay" | "receipt" => {}
            _ if !takes("merchantKey") && !needs_admin => return Some(DENIED),
            "live" if self.needs_live_mode => return Some(NOT_LIVE),
            "standard" if needs_admin => return Some(NOT_ADMIN),
            "standard" if self.needs_refund_right => return Some(NOT_REFUNDING),
            // A key that is restricted to some accounts sets the credentials of those.
            "restricted" if needs_admin && self.id != "setAccountCredentials" => return Some(NOT_ADMIN),
            "restricted" if self.id == "createPayment" => return Some(NOT_ELIGIBLE),
            _ => {}
        }
        if self.id == "createCheckoutToken" {
            return Some(NO_REFERENCE);
        }
        NOT_FOUND.iter().find(|(parameter, _)| self.path.contains(parameter)).map(|(_, refusal)| *refusal)
    }
}

/// Resources of the other merchant, by the name of their parameter.
struct Other {
    names: Vec<(&'static str, String)>,
}

impl Other {
    fn fill(&self, text: &str) -> String {
        let text = text.replace("{ordinal}", "1");
        self.names.iter().fold(text, |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}

/// Creates one resource of each kind for the other merchant.
async fn furnish(world: &World) -> Other {
    let admin = app::operators::create_key(&world.ports, &world.other.tenant, domain::credential::Role::Admin).await;
    let admin = admin.unwrap();
    let send = async |request: Request| {
        let response = world.send(&request).await;
        assert!(response.status < 300, "{} {}: {}", request.method, request.target, response.text());
        response
    };
    let account = world.other.account.to_string();
    let secrets = format!(r#"{{"provider":"simulator","credentials":{{"secret":"{CANARY}"}}}}"#);
    send(Request::put(format!("/v1/merchant_accounts/{account}/credentials"), &admin, secrets)).await;
    let endpoint = format!(r#"{{"url":"https://{CANARY}.example/hook","enabledEvents":["*"]}}"#);
    let endpoint = send(Request::post("/v1/webhook_endpoints", &admin, endpoint)).await;
    let marked = |field: &str| with(SALE, field, &format!("\"{CANARY}\""));
    let sale = with(&marked("saleReference"), "fiscalDocument.lines.0.description", &format!("\"{CANARY}\""));
    let open = send(Request::post("/v1/payments", &world.other.key, sale.clone())).await;
    let split = format!("/v1/payments/{}/split", open.field("/id"));
    send(Request::post(split, &world.other.key, equally(2))).await;
    let paid = send(Request::post("/v1/payments", &world.other.key, sale)).await;
    let token = token_request(&paid.field("/checkoutReference"), "pay");
    let token = send(Request::post("/v1/checkout_tokens", &world.other.key, token)).await.field("/token");
    let submit = format!("/v1/payments/{}/card-submissions", paid.field("/id"));
    send(Request::post(submit, &token, crate::support::card(APPROVED_CARD))).await;
    let document = domain::FiscalDocumentId::parse(&paid.field("/fiscalDocument/id")).unwrap();
    app::issue_document(&world.ports, &world.other.tenant, &document).await.unwrap();
    let deliveries = format!("/v1/fiscal_documents/{document}/deliveries");
    let recipient = format!(r#"{{"recipientEmail":"rosa@{CANARY}.example"}}"#);
    send(Request::post(deliveries, &world.other.key, recipient)).await;
    let refund = with(REFUND, "refundReference", &format!("\"{CANARY}\""));
    let refund = send(Request::post(format!("/v1/payments/{}/refunds", paid.field("/id")), &admin, refund)).await;
    let events = send(Request::get("/v1/events", &world.other.key)).await;
    Other {
        names: vec![
            ("paymentId", open.field("/id")),
            ("paidId", paid.field("/id")),
            ("fiscalDocumentId", document.to_string()),
            ("merchantAccountId", account),
            ("webhookEndpointId", endpoint.field("/id")),
            ("eventId", events.field("/data/0/id")),
            ("refundId", refund.field("/id")),
            ("noteId", refund.field("/creditNote/id")),
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
    secrets.map(|secret| (names.next().unwrap(), secret))
}

/// Returns a description of an unexpected response. A response about the caller's own data must succeed.
fn check(request: &str, response: &TestResponse, expected: Option<ExpectedError>) -> Option<String> {
    let is_right = match expected {
        None => response.status < 300,
        Some((status, code, param)) => {
            response.status >= 400 && response.error() == (status, code.to_owned(), param.map(str::to_owned))
        }
    };
    (!is_right).then(|| format!("{request}: {} {}", response.status, response.text()))
}

fn of_other(world: &World, rows: Vec<String>) -> Vec<String> {
    let merchant = world.other.tenant.merchant.as_str();
    rows.into_iter().filter(|row| row.contains(merchant)).collect()
}
