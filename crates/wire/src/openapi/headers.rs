//! The headers of answers.

use serde_json::{Map, Value, json};

/// Each header, by its own name.
pub(super) fn all() -> Map<String, Value> {
    let text = |description: &str, example: &str| json!({"description": description, "schema": {"type": "string"}, "example": example});
    let headers = [
        ("Request-Id", text("Names the exchange, in logs as in errors.", "request_01jqzm4v8n2x5y7t3c6d9f0g1h")),
        ("Cache-Control", text("Nobody keeps an answer.", "no-store")),
        ("ETag", text("The version, as a strong entity tag.", "\"3-2\"")),
        ("Content-Disposition", text("A name for the file.", "attachment; filename=\"E320000000001.xml\"")),
        ("WWW-Authenticate", text("What to send (RFC 6750).", "Bearer error=\"invalid_token\"")),
        ("RateLimit-Policy", text("The threshold of the credential.", "\"default\";q=100;w=1")),
        ("RateLimit", text("What is left of it, and until when.", "\"default\";r=57;t=1")),
        (
            "Idempotent-Replayed",
            json!({
                "description": "There if the key was used before: this is the first answer again, byte for byte.",
                "schema": {"type": "string", "const": "true"},
            }),
        ),
        (
            "Retry-After",
            json!({"description": "Whole seconds.", "schema": {"type": "integer", "minimum": 1}, "example": 1}),
        ),
    ];
    headers.into_iter().map(|(name, header)| (name.to_owned(), header)).collect()
}

/// Returns references to these headers.
pub fn references(names: &[&str]) -> Map<String, Value> {
    let reference = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    names.iter().map(reference).collect()
}
