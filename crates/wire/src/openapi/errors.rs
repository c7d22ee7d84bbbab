//! Error responses.

use domain::RequestId;
use serde_json::{Map, Value, json};

use super::{
    codes::{self, Row},
    examples, headers,
    schema::reference,
    schemas::response_name,
};
use crate::response::{ErrorResponse, PublicUrls};

/// Error responses that are the same for every operation, by name.
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
    let families = families.map(|(name, status, codes)| (name, error(status, &codes::rows_of(codes))));
    let malformed = [
        ("BodyNotArrived", 408, "The body did not arrive whole within 10 seconds."),
        ("BodyTooLong", 413, "The body has more than 512 KiB."),
        ("OtherMediaType", 415, "The body is not plain application/json, or it is encoded."),
    ];
    let malformed = malformed.map(|(name, status, meaning)| {
        let mut response = error(status, &codes::rows_of(&["parameter_invalid"]));
        response["description"] = json!(meaning);
        (name, response)
    });
    families.into_iter().chain(malformed).map(|(name, response)| (name.to_owned(), response)).collect()
}

/// Returns the error responses of an operation that reads a body.
pub fn body_error_responses() -> Map<String, Value> {
    [(408, "BodyNotArrived"), (413, "BodyTooLong"), (415, "OtherMediaType")]
        .map(|(status, name)| (status.to_string(), shared_response(name)))
        .into_iter()
        .collect()
}

/// Returns one response for each status of these codes.
pub fn error_responses(codes: &[&str]) -> Map<String, Value> {
    let mut by_status: Vec<(u16, Vec<Row>)> = Vec::new();
    for row in codes::rows_of(codes) {
        match by_status.iter_mut().find(|(status, _)| *status == row.status) {
            Some((_, rows)) => rows.push(row),
            None => by_status.push((row.status, vec![row])),
        }
    }
    let response = |(status, rows): (u16, Vec<Row>)| {
        let response = match status {
            401 => shared_response("Unauthenticated"),
            429 => shared_response("RateLimited"),
            500 => shared_response("InternalError"),
            _ => error(status, &rows),
        };
        (status.to_string(), response)
    };
    by_status.into_iter().map(response).collect()
}

fn shared_response(name: &str) -> Value {
    json!({"$ref": format!("#/components/responses/{name}")})
}

/// Returns the response of a status. The schema is that of the family; the examples are the codes of `rows`.
///
/// # Panics
///
/// If the rows belong to several families: a status has one schema.
fn error(status: u16, rows: &[Row]) -> Value {
    let family = rows[0].family;
    assert!(rows.iter().all(|row| row.family == family), "status {status} has codes of several families");
    let mut names = vec!["Request-Id", "Cache-Control", "RateLimit", "RateLimit-Policy"];
    names.extend(match status {
        401 => Some("WWW-Authenticate"),
        409 | 429 | 500 | 503 => Some("Retry-After"),
        _ => None,
    });
    json!({
        "description": meaning(status),
        "headers": headers::references(&names),
        "content": {"application/json": {
            "schema": reference(&response_name(family)),
            "examples": rows.iter().map(|row| (row.code.to_owned(), examples::of_error(row.code))).collect::<Map<_, _>>(),
        }},
    })
}

/// Examples of error responses: each published code of an operation, by the name of the example.
pub(super) fn examples() -> Map<String, Value> {
    let of_unknown_paths = "endpoint_not_found";
    let rows = codes::rows().filter(|row| row.code != of_unknown_paths);
    rows.map(|row| (examples::error_name(row.code), json!({"value": example(row)}))).collect()
}

fn example(row: Row) -> Value {
    let request = RequestId::parse("request_01jqzm4v8n2x5y7t3c6d9f0g1h").expect("a well-formed identifier");
    let urls = PublicUrls { checkout_base_url: String::new(), docs_url: "https://docs.example".to_owned() };
    let message = "A sentence for people.";
    json!(ErrorResponse::new(row.kind, row.code, message, None, &request, &urls))
}

const fn meaning(status: u16) -> &'static str {
    match status {
        400 => "The request is malformed, in any state.",
        401 => "There is no credential, or none that is valid.",
        403 => "The credential is valid, but may not do this.",
        404 => "There is nothing of that name within the caller's tenant and mode.",
        409 => "The request contradicts the current state, or an earlier request under the same key.",
        410 => "The payer's retention period is over.",
        412 => "The resource is not, or no longer, as the request expects it. Nothing was changed: read it again.",
        422 => "The request is well formed and cannot be carried out.",
        429 => "There were too many requests. Send it again after the interval in Retry-After, with the same key.",
        500 => "We failed before there was an outcome. Send it again with the same key.",
        502 => "The provider failed before anything was submitted. Send it again with the same key.",
        503 => "Something that is needed did not answer. Send it again after the interval in Retry-After.",
        _ => "The request was refused.",
    }
}
