//! OpenAPI document of the API, made from the table of operations and the schemas of `wire`.

use std::sync::LazyLock;

use domain::rights::{Credential, KeyCondition};
use serde_json::{Map, Value, json};
use wire::openapi as spelling;

use crate::{
    operations::{
        self,
        operation::{Content, Operation, Success},
    },
    paths::{HEALTH, READINESS},
    request::Effect,
};

/// Codes of every operation.
const COMMON: &[&str] = &[
    "parameter_invalid",
    "api_key_missing",
    "api_key_invalid",
    "checkout_token_invalid",
    "checkout_token_expired",
    "rate_limit_exceeded",
    "internal_error",
];

/// Codes of every operation with an idempotency key.
const COMMON_TO_WRITES: &[&str] =
    &["parameter_missing", "idempotency_key_reused", "idempotency_request_in_progress", "idempotency_key_expired"];

/// Returns the document as JSON.
pub fn openapi() -> &'static str {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| spelling::document(paths(), security_schemes()).to_string());
    &DOCUMENT
}

fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    for (tag, operation) in operations::all() {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.input.method.as_str().to_lowercase()] = describe(tag, operation);
    }
    paths.extend([(HEALTH.to_owned(), liveness()), (READINESS.to_owned(), readiness())]);
    paths
}

/// One scheme for each kind of credential, because OpenAPI has no scopes for bearer tokens.
fn security_schemes() -> Value {
    let schemes = Credential::ALL.into_iter().map(|credential| {
        let (name, description) = scheme(credential);
        (name.to_owned(), json!({"type": "http", "scheme": "bearer", "description": description}))
    });
    schemes.collect()
}

/// Returns the name and the description of a scheme.
const fn scheme(credential: Credential) -> (&'static str, &'static str) {
    match credential {
        Credential::Key => {
            ("merchantKey", "A merchant's key of any role, `gk_test_…` or `gk_live_…`: the mode is in it.")
        }
        Credential::AdminKey => {
            ("adminKey", "A merchant's key of the role admin, which sets up what the merchant needs.")
        }
        Credential::PayToken => {
            ("payToken", "A checkout token of one payment, `ct_test_…` or `ct_live_…`, with the scope pay.")
        }
        Credential::OrganizerToken => {
            ("organizerToken", "A checkout token with the scope organizer: of the payer who split the payment.")
        }
        Credential::ReceiptToken => {
            ("receiptToken", "A checkout token with the scope receipt: it reads a payment and its document.")
        }
    }
}

fn describe(tag: &str, operation: &Operation) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "tags": [tag],
        "summary": operation.summary,
        "description": operation.description,
        "security": security(operation),
        "responses": responses(operation),
    });
    let parameters = parameters(operation);
    if !parameters.is_empty() {
        described["parameters"] = json!(parameters);
    }
    if let Some(body) = operation.input.body {
        described["requestBody"] = spelling::request_body(body);
    }
    described
}

/// Returns the schemes of which a request needs one. A standard key is any key, so an admin key needs no entry.
fn security(operation: &Operation) -> Vec<Value> {
    let credentials = operation.right.grant().credentials;
    let is_any_key = credentials.contains(&Credential::Key);
    let listed = credentials.iter().filter(|credential| !(is_any_key && **credential == Credential::AdminKey));
    listed.map(|credential| json!({scheme(*credential).0: []})).collect()
}

fn parameters(operation: &Operation) -> Vec<Value> {
    let key = (operation.input.effect != Effect::Read).then(|| "IdempotencyKey".to_owned());
    let condition = (operation.input.effect == Effect::Change).then(|| "IfMatch".to_owned());
    let in_path = operation.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path.map(|name| name[..1].to_uppercase() + &name[1..]);
    let others = operation.input.parameters.iter().map(|name| (*name).to_owned());
    let names = key.into_iter().chain(condition).chain(in_path).chain(others);
    names.map(|name| spelling::parameter(&name)).collect()
}

fn responses(operation: &Operation) -> Map<String, Value> {
    let mut codes = [&operation.refusals.concat(), COMMON].concat();
    if operation.input.effect != Effect::Read {
        codes.extend(COMMON_TO_WRITES);
    }
    if operation.input.effect == Effect::Change {
        codes.push("precondition_failed");
    }
    codes.extend(missing_rights(operation));
    let mut responses = spelling::error_responses(&codes);
    if operation.input.body.is_some() {
        responses.extend(spelling::body_error_responses());
    }
    let Success { status, .. } = operation.success;
    responses.insert(status.to_string(), success(operation));
    responses
}

/// Returns the codes for a credential without the right.
fn missing_rights(operation: &Operation) -> Vec<&'static str> {
    let grant = operation.right.grant();
    let is_for_all = Credential::ALL.iter().all(|credential| grant.credentials.contains(credential));
    let is_for_admins = grant.credentials == [Credential::AdminKey];
    let needs_live_mode = grant.conditions.contains(&KeyCondition::LiveModeEnabled);
    let is_for_refunds = grant.conditions.contains(&KeyCondition::MayRefund);
    [
        (!is_for_all).then_some("operation_not_permitted_for_checkout_token"),
        is_for_admins.then_some("merchant_account_admin_required"),
        needs_live_mode.then_some("live_mode_not_enabled"),
        is_for_refunds.then_some("refund_not_permitted"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn success(operation: &Operation) -> Value {
    let Success { status, content, has_etag } = operation.success;
    let mut headers = vec!["Request-Id", "Cache-Control", "RateLimit", "RateLimit-Policy"];
    if has_etag {
        headers.push("ETag");
    }
    if operation.input.effect != Effect::Read {
        headers.push("Idempotent-Replayed");
    }
    let description = match status {
        201 => "Made.",
        202 => "Taken on: it is done later.",
        _ => "Done.",
    };
    let file = |media: &str, example: &str| json!({media: {"schema": {"type": "string", "format": "binary"}, "example": example}});
    let content = match content {
        Content::Json(schema, examples) => spelling::json_content(schema, examples),
        Content::Pdf => file("application/pdf", "%PDF-1.7 …"),
        Content::Xml => file("application/xml", "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF>…</ECF>"),
    };
    if !content["application/json"].is_object() {
        headers.push("Content-Disposition");
    }
    json!({"description": description, "headers": spelling::headers(&headers), "content": content})
}

fn liveness() -> Value {
    let about = "Asks nothing else: a database that is away changes nothing.";
    let responses = [("200", "The process serves requests.", "alive\n")];
    health("isAlive", "Check that the process serves", about, &responses)
}

fn readiness() -> Value {
    let responses =
        [("200", "The database answers.", "ready\n"), ("503", "The database does not answer.", "not ready\n")];
    health("isReady", "Check that the process may take traffic", "Asks the database.", &responses)
}

/// Returns a health check, with status, description and example of each response.
fn health(id: &str, summary: &str, description: &str, described: &[(&str, &str, &str)]) -> Value {
    let mut responses = spelling::error_responses(&["parameter_invalid"]);
    responses["400"]["description"] = json!("The Host header names no host, or is missing.");
    responses.extend(described.iter().map(|(status, description, example)| {
        let content = json!({"text/plain": {"schema": {"type": "string"}, "example": example}});
        ((*status).to_owned(), json!({"description": description, "content": content}))
    }));
    json!({"get": {
        "operationId": id, "tags": ["Health"], "summary": summary, "description": description, "security": [],
        "responses": responses,
    }})
}
