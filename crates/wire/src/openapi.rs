//! Parts of the OpenAPI document (3.1): schemas, examples, parameters, headers and error responses.
//!
//! `rest` adds the operations. Readers of requests and types of responses describe themselves, and the examples are the
//! files that tests compare responses with.

mod codes;
mod errors;
mod examples;
mod headers;
mod parameters;
mod schemas;
mod webhooks;

use serde_json::{Map, Value, json};

use crate::schema;

pub use errors::{body_error_responses, error_responses};
pub use headers::references as headers;

/// Returns the document with these operations by path.
pub fn document(paths: Map<String, Value>, security_schemes: Value) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": info(),
        "servers": [{"url": "/", "description": "Host that serves this document."}],
        "tags": tags(),
        "paths": paths,
        "webhooks": webhooks::webhooks(),
        "components": {
            "securitySchemes": security_schemes,
            "parameters": parameters::all(),
            "headers": headers::all(),
            "responses": errors::shared(),
            "schemas": schemas::all(),
            "examples": Map::from_iter(examples::of_operations().into_iter().chain(errors::examples())),
        },
    })
}

/// Returns the reference to a header or query parameter, or to the parameter of a path.
pub fn parameter(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}

/// Returns a body of the schema with its examples.
pub fn request_body(schema: &str) -> Value {
    let examples = examples::of_request(schema);
    json!({
        "required": true,
        "content": {"application/json": {"schema": schema::reference(schema), "examples": examples}},
    })
}

/// Returns JSON content of the schema with examples by name.
pub fn json_content(schema: &str, names: &[&str]) -> Value {
    json!({"application/json": {"schema": schema::reference(schema), "examples": examples::references(names)}})
}

fn info() -> Value {
    json!({
        "title": "Cobro",
        "version": "v1",
        "summary": "Payments that end in a fiscal document",
        "description": "Unknown request fields are rejected. Responses may gain fields, and values if the description \
                        of the field states this: ignore unknown ones. Integers have no fraction and no exponent. Every operation that \
                        changes data requires an `idempotency-key`. Branch on codes, never on messages.",
        "contact": {"name": "The operator of this server"},
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    })
}

fn tags() -> Value {
    json!([
        {"name": "Payments", "description": "Sales, from creation to the end of the payment."},
        {"name": "Splits", "description": "One bill, 2 to 10 payers: each part is reserved, then all parts are charged together."},
        {"name": "Refunds", "description": "Money back to the payers, and the credit notes (E34) of the returned part."},
        {"name": "Fiscal documents", "description": "Electronic fiscal documents (e-CF) of the sales."},
        {"name": "Merchant", "description": "Profile and provider accounts of a merchant."},
        {"name": "Events", "description": "Events and the webhook endpoints that receive them."},
        {"name": "Webhooks", "description": "Requests that Cobro sends to webhook endpoints."},
        {"name": "Health", "description": "Health checks for operators."},
    ])
}
