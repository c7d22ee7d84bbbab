//! Headers of responses.

use serde_json::{Map, Value, json};

/// Returns the headers, by name.
pub(super) fn all() -> Map<String, Value> {
    let text = |description: &str, example: &str| json!({"description": description, "schema": {"type": "string"}, "example": example});
    let headers = [
        ("Request-Id", text("Identifier of the request, as in logs and errors.", "request_01jqzm4v8n2x5y7t3c6d9f0g1h")),
        ("Cache-Control", text("Responses must not be stored.", "no-store")),
        ("ETag", text("Version of the resource, as a strong entity tag.", "\"3-2\"")),
        ("Content-Disposition", text("Name of the file.", "attachment; filename=\"E320000000001.xml\"")),
        ("WWW-Authenticate", text("Scheme of the credential (RFC 6750).", "Bearer error=\"invalid_token\"")),
        ("RateLimit-Policy", text("Rate limit of the credential.", "\"default\";q=100;w=1")),
        ("RateLimit", text("Remaining requests, and seconds until the reset.", "\"default\";r=57;t=1")),
        (
            "Idempotent-Replayed",
            json!({
                "description": "Present if the key was used before: this is the first response again, byte for byte.",
                "schema": {"type": "string", "const": "true"},
            }),
        ),
        (
            "Retry-After",
            json!({"description": "Seconds to wait before the next attempt.", "schema": {"type": "integer", "minimum": 1}, "example": 1}),
        ),
    ];
    headers.into_iter().map(|(name, header)| (name.to_owned(), header)).collect()
}

/// Returns references to these headers.
pub fn references(names: &[&str]) -> Map<String, Value> {
    let reference = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    names.iter().map(reference).collect()
}
