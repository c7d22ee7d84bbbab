//! The interface as one document (OpenAPI 3.1).
//!
//! It is written from the same spellings and bounds that requests are read by, and its examples are the files that
//! answers are compared with. Tests hold both against it, so it says what is served and what is taken.

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

/// The document, as JSON.
pub fn openapi() -> &'static str {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());
    &DOCUMENT
}

fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": info(),
        "servers": [{"url": "/", "description": "Where this document is served."}],
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
        "description": "Requests are closed: a field that is not listed is refused. Answers are open: ignore fields \
                        that you do not know, and bear with new values where a field says so. Whole numbers are written \
                        without fraction and exponent. Every operation that changes something takes an \
                        idempotency-key. Branch on codes, never on messages.",
        "contact": {"name": "The operator of this server"},
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    })
}

fn tags() -> Value {
    json!([
        {"name": "Payments", "description": "One for each sale: from its creation to its end."},
        {"name": "Splits", "description": "One bill, 2 to 10 payers: each share is reserved, then all are charged together."},
        {"name": "Fiscal documents", "description": "What the tax authority gets of each sale."},
        {"name": "Merchant", "description": "What a merchant sets up for itself."},
        {"name": "Events", "description": "What happened, to be sent and to be read again."},
        {"name": "Webhooks", "description": "What Cobro sends to the endpoints of a merchant."},
        {"name": "Health", "description": "For whoever runs the service."},
    ])
}

/// One scheme for each role of a key and each scope of a token: OpenAPI has no scopes for bearer credentials.
fn security_schemes() -> Value {
    let bearer = |description: &str| json!({"type": "http", "scheme": "bearer", "description": description});
    json!({
        "merchantKey": bearer("A merchant's key of any role, `gk_test_…` or `gk_live_…`: the mode is in it."),
        "adminKey": bearer("A merchant's key of the role admin, which sets up what the merchant needs."),
        "payToken": bearer("A checkout token of one payment, `ct_test_…` or `ct_live_…`, with the scope pay."),
        "organizerToken": bearer("A checkout token with the scope organizer: of the payer who split the payment."),
        "receiptToken": bearer("A checkout token with the scope receipt: it reads a payment and its document."),
    })
}
