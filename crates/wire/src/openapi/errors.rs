//! Error responses.

use domain::RequestId;
use serde_json::{Map, Value, json};

use super::{
    codes::{self, Row},
    examples, headers,
    schema::reference,
    schemas::response_name,
};
use crate::{
    Json,
    response::{ErrorResponse, PublicUrls},
};

/// Returns the error responses that operations share, by name.
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
    let body_too_long = format!("The body is longer than {} KiB.", Json::MAX_BYTES / 1024);
    let malformed = [
        ("BodyNotArrived", 408, "The body did not arrive within 10 seconds."),
        ("BodyTooLong", 413, body_too_long.as_str()),
        ("OtherMediaType", 415, "The media type is not application/json, or the body is compressed."),
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

/// Returns examples of error responses: each published code of an operation, by name of the example.
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
        400 => "The request is malformed.",
        401 => "The credential is missing or invalid.",
        403 => "The credential does not permit this operation.",
        404 => "The resource does not exist for this merchant and mode.",
        409 => "The request conflicts with the current state, or with an earlier request with the same key.",
        410 => "The retention period for payers has ended.",
        412 => "The resource has changed. The request had no effect: retrieve the resource again.",
        422 => "The request is well formed, but cannot be executed.",
        429 => "Too many requests. Retry after `Retry-After`, with the same key.",
        500 => "Internal error before an outcome. Retry with the same key.",
        502 => "The provider failed before the submission. Retry with the same key.",
        503 => "A required service is unavailable. Retry after `Retry-After`.",
        _ => "The request was refused.",
    }
}
