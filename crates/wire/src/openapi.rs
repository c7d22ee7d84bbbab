//! OpenAPI document (3.1) of the API.
//!
//! Readers of requests and types of responses describe themselves, and the examples are the files that tests compare
//! responses with. So the document cannot differ from the API.

mod answers;
mod codes;
mod examples;
mod headers;
mod operation;
mod operations;
mod parameters;
mod schemas;
mod webhooks;

use crate::schema;
use std::sync::LazyLock;

use serde_json::{Value, json};

/// Returns the document as JSON.
pub fn openapi() -> &'static str {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());
    &DOCUMENT
}

fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": info(),
        "servers": [{"url": "/", "description": "Host that serves this document."}],
        "tags": tags(),
        "paths": operations::paths(),
        "webhooks": webhooks::webhooks(),
        "components": {
            "securitySchemes": security_schemes(),
            "parameters": parameters::all(),
            "headers": headers::all(),
            "responses": answers::shared(),
            "schemas": schemas::all(),
            "examples": examples::all(),
        },
    })
}

fn info() -> Value {
    json!({
        "title": "Cobro",
        "version": "v1",
        "summary": "Payments that end in a fiscal document",
        "description": "Unknown request fields are rejected. Responses may gain fields, and values where a field says \
                        so: ignore what you do not know. Integers have no fraction and no exponent. Every operation that \
                        changes data requires an `idempotency-key`. Branch on codes, never on messages.",
        "contact": {"name": "The operator of this server"},
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    })
}

fn tags() -> Value {
    json!([
        {"name": "Payments", "description": "Sales, from creation to the end of the payment."},
        {"name": "Splits", "description": "One bill, 2 to 10 payers: each part is reserved, then all parts are charged together."},
        {"name": "Fiscal documents", "description": "Electronic fiscal documents (e-CF) of the sales."},
        {"name": "Merchant", "description": "Profile and provider accounts of a merchant."},
        {"name": "Events", "description": "Events and the webhook endpoints that receive them."},
        {"name": "Webhooks", "description": "Requests that Cobro sends to webhook endpoints."},
        {"name": "Health", "description": "Health checks for operators."},
    ])
}

/// Returns one scheme for each role of a key and each scope of a token: OpenAPI has no scopes for bearer credentials.
fn security_schemes() -> Value {
    let bearer = |description: &str| json!({"type": "http", "scheme": "bearer", "description": description});
    json!({
        "merchantKey": bearer("API key of any role. Its prefix shows the mode: `gk_test_…` or `gk_live_…`."),
        "adminKey": bearer("API key of the role admin, which sets up profile, accounts and webhooks."),
        "payToken": bearer("Checkout token of one payment, `ct_test_…` or `ct_live_…`, with the scope `pay`."),
        "organizerToken": bearer("Checkout token with the scope `organizer`: the payer who split the payment."),
        "receiptToken": bearer("Checkout token with the scope `receipt`: reads a payment and its document."),
    })
}
