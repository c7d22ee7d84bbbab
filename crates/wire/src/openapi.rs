//! Parts of the OpenAPI document (OpenAPI 3.1): schemas, examples, parameters, headers and error responses.
//!
//! `rest` adds the operations. Tests compare the schemas with the readers of requests, and the examples with responses.

mod codes;
mod errors;
mod examples;
mod headers;
mod parameters;
mod schema;
mod schemas;
mod webhooks;

use serde_json::{Map, Value, json};

pub use errors::{body_error_responses, error_responses};
pub use headers::references as headers;

/// Returns the document with these operations by path.
pub fn document(paths: Map<String, Value>, security_schemes: Value) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": info(),
        "servers": [{"url": "/", "description": "Where this document is served."}],
        "tags": tags(),
        "paths": paths,
        "webhooks": webhooks::webhooks(),
        "components": {
            "securitySchemes": security_schemes,
            "parameters": parameters::all(),
            "headers": headers::all(),
            "responses": errors::shared(),
            "schemas": schemas::all(),
            "examples": examples::all(),
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
