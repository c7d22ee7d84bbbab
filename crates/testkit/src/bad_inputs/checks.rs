//! Checks of every response, regardless of the request.

use std::time::Duration;

use super::{Placeholders, RawResponse, case_request::CaseRequest, placeholders::expand_text};
use crate::response::TestResponse;

/// Maximum time until the end of a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Traces of internal errors.
const INTERNAL_TRACES: [&str; 20] = [
    "::",
    ".rs",
    "src/",
    "panicked",
    "thread '",
    "backtrace",
    "0x",
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "SQLITE",
    "sqlite",
    "postgres",
    "diesel",
    "serde",
    "actix",
    "tokio",
    "line 1",
    "column",
    "/home",
];

/// Checks a response, and returns the parsed response; `None` if there is no final response.
///
/// # Errors
///
/// A description of the unexpected or forbidden content.
pub(super) fn check_response(
    request: &CaseRequest,
    response: &RawResponse,
    sent_values: &[String],
    placeholders: &Placeholders,
) -> Result<Option<TestResponse>, String> {
    let text = String::from_utf8_lossy(&response.bytes);
    if response.took >= RESPONSE_TIMEOUT {
        return Err(format!("the response took {:?}: {text}", response.took));
    }
    let (summary, parsed) = summarize(response)?;
    let expected: Vec<&str> = request.expect.split(" | ").collect();
    if !expected.contains(&summary.as_str()) {
        return Err(format!("the response is {summary:?} instead of {expected:?}: {text}"));
    }
    if let Some(parsed) = &parsed {
        if parsed.status >= 400 {
            check_no_leak(parsed, sent_values)?;
        }
        check_values(request, parsed, placeholders)?;
    }
    match request.forbidden_texts.iter().map(|it| expand_text(it, placeholders)).find(|it| text.contains(it)) {
        Some(found) => Err(format!("the response contains {found}: {text}")),
        None => Ok(parsed),
    }
}

/// Summarizes the responses in the notation of the data: status of the first response with the code and the field of
/// its error, `400 -` without a code, and the number of further responses.
fn summarize(response: &RawResponse) -> Result<(String, Option<TestResponse>), String> {
    let text = String::from_utf8_lossy(&response.bytes);
    if response.bytes.is_empty() {
        return if response.is_over { Ok(("hung up".to_owned(), None)) } else { Err("no response".to_owned()) };
    }
    // A client that sent `Expect` may receive this line before the response.
    if text == "HTTP/1.1 100 Continue\r\n\r\n" {
        return Ok(("100".to_owned(), None));
    }
    let parsed = TestResponse::read(&response.bytes).ok_or_else(|| format!("no HTTP response: {text}"))?;
    let further = match text.matches("HTTP/1.1 ").count() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let is_error =
        parsed.header("content-type") == "application/json" && parsed.status >= 400 && !parsed.body.is_empty();
    let is_bare = parsed.status >= 400 && parsed.body.is_empty() && parsed.header("request-id").is_empty();
    let summary = if is_error {
        let (status, code, param) = parsed.parse_error().map_err(|fault| format!("{fault}: {text}"))?;
        format!("{status} {code}{}", param.map(|it| format!(" {it}")).unwrap_or_default())
    } else if is_bare {
        if !response.is_over {
            return Err(format!("the connection stays open: {text}"));
        }
        format!("{} -", parsed.status)
    } else {
        if !parsed.has_request_id() {
            return Err(format!("the request id or a header against caching is missing: {text}"));
        }
        parsed.status.to_string()
    };
    Ok((summary + &further, Some(parsed)))
}

/// Checks that an error repeats no value of the request and no internal detail.
fn check_no_leak(response: &TestResponse, sent_values: &[String]) -> Result<(), String> {
    let text = without_style_and_script(&String::from_utf8_lossy(&response.body));
    if let Some(trace) = INTERNAL_TRACES.into_iter().find(|it| text.contains(it)) {
        return Err(format!("the message shows {trace:?}: {text}"));
    }
    let json: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let message = json.pointer("/error/message").and_then(serde_json::Value::as_str).unwrap_or_default();
    match sent_values.iter().find(|it| message.contains(it.as_str())) {
        Some(echo) => Err(format!("the message repeats {echo:?}: {message}")),
        None => Ok(()),
    }
}

/// Removes style and script: both are equal in all pages, and contain words that look like internal details.
fn without_style_and_script(page: &str) -> String {
    let mut text = page.to_owned();
    for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let content = text.split_once(start).and_then(|(_, rest)| Some(rest.split_once(end)?.0.to_owned()));
        text = content.map_or_else(|| text.clone(), |it| text.replace(&it, ""));
    }
    text
}

fn check_values(request: &CaseRequest, response: &TestResponse, placeholders: &Placeholders) -> Result<(), String> {
    for (location, expected) in &request.expected_values {
        let (value, expected) = (value_at(response, location), expand_text(expected, placeholders));
        let is_expected = match expected.strip_suffix('*') {
            Some(prefix) => value.starts_with(prefix) && value.len() > prefix.len(),
            None => value == expected,
        };
        if !is_expected {
            return Err(format!("{location} is {value:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

/// Returns the value at a JSON pointer in the body, or of a header; empty if missing.
pub(super) fn value_at(response: &TestResponse, location: &str) -> String {
    if !location.starts_with('/') {
        return response.header(location).to_owned();
    }
    let json: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
    match json.pointer(location) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}
