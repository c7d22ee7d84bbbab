//! The answers that refuse.

use domain::RequestId;
use serde_json::{Map, Value, json};

use super::{
    codes::{self, Row},
    headers,
    schema::reference,
};
use crate::answer::{ErrorBody, Site};

/// Answers of which every operation has the same, by name.
pub(super) fn shared() -> Map<String, Value> {
    let families = [
        (
            "Unauthenticated",
            401,
            &["api_key_missing", "api_key_invalid", "checkout_token_invalid", "checkout_token_expired"][..],
        ),
        ("RateLimited", 429, &["rate_limit_exceeded"]),
        ("InternalError", 500, &["internal_error"]),
    ];
    let families = families.map(|(name, status, codes)| (name, refusing(status, &rows_at(status, codes))));
    let bodies = [
        ("BodyTooLong", 413, "The body has more than 512 KiB."),
        ("OtherMediaType", 415, "The body is not plain application/json, or it is encoded."),
    ];
    let bodies = bodies.map(|(name, status, meaning)| {
        let mut answer = refusing(status, &rows_at(400, &["parameter_invalid"]));
        answer["description"] = json!(meaning);
        (name, answer)
    });
    families.into_iter().chain(bodies).map(|(name, answer)| (name.to_owned(), answer)).collect()
}

/// What only a body can bring about.
pub(super) fn of_bodies() -> Map<String, Value> {
    [(413, "BodyTooLong"), (415, "OtherMediaType")]
        .map(|(status, name)| (status.to_string(), kept(name)))
        .into_iter()
        .collect()
}

/// One answer for each status that these codes have.
pub(super) fn error_responses(codes: &[&str]) -> Map<String, Value> {
    let mut by_status: Vec<(u16, Vec<Row>)> = Vec::new();
    for row in codes::rows_of(codes) {
        match by_status.iter_mut().find(|(status, _)| *status == row.status) {
            Some((_, rows)) => rows.push(row),
            None => by_status.push((row.status, vec![row])),
        }
    }
    let answer = |(status, rows): (u16, Vec<Row>)| {
        let answer = match status {
            401 => kept("Unauthenticated"),
            429 => kept("RateLimited"),
            500 => kept("InternalError"),
            _ => refusing(status, &rows),
        };
        (status.to_string(), answer)
    };
    by_status.into_iter().map(answer).collect()
}

fn rows_at(status: u16, codes: &[&str]) -> Vec<Row> {
    codes::rows_of(codes).into_iter().filter(|row| row.status == status).collect()
}

fn kept(name: &str) -> Value {
    json!({"$ref": format!("#/components/responses/{name}")})
}

/// The answer of that status, with one of the codes of `rows`.
fn refusing(status: u16, rows: &[Row]) -> Value {
    let codes: Vec<&str> = rows.iter().map(|row| row.code).collect();
    let narrowed = json!({"properties": {"error": {"properties": {"code": {"enum": codes}}}}});
    let mut names = vec!["Request-Id", "Cache-Control", "RateLimit", "RateLimit-Policy"];
    names.extend(match status {
        401 => Some("WWW-Authenticate"),
        409 | 429 | 503 => Some("Retry-After"),
        _ => None,
    });
    json!({
        "description": meaning(status),
        "headers": headers::references(&names),
        "content": {"application/json": {
            "schema": {"allOf": [reference("Error"), narrowed]},
            "examples": rows.first().map(|row| json!({row.code: {"value": example(*row)}})),
        }},
    })
}

fn example(row: Row) -> Value {
    let request = RequestId::parse("request_01jqzm4v8n2x5y7t3c6d9f0g1h").expect("a well-formed identifier");
    let site = Site { checkout_base_url: String::new(), docs_url: "https://docs.example".to_owned() };
    let message = "A sentence for people.";
    json!(ErrorBody::new(row.kind, row.code, message, None, &request, &site))
}

const fn meaning(status: u16) -> &'static str {
    match status {
        400 => "The request is malformed, whatever the state.",
        401 => "There is no credential, or none that is valid.",
        403 => "The credential is valid, but may not do this.",
        404 => "There is nothing of that name within the caller's tenant and mode.",
        409 => "The request contradicts the current state, or an earlier request under the same key.",
        410 => "The payer's retention period is over.",
        422 => "The request is well formed and cannot be carried out.",
        429 => "There were too many requests. Send it again after the interval in Retry-After, with the same key.",
        500 => "We failed before there was an outcome. Send it again with the same key.",
        502 => "The provider failed before anything was submitted. Send it again with the same key.",
        503 => "Something that is needed did not answer. Send it again after the interval in Retry-After.",
        _ => "The request was refused.",
    }
}
