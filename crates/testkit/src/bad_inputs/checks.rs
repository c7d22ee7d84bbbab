//! Checks of every response, regardless of the request.

use std::time::Duration;

use super::{Placeholders, RawResponse, exchange::Exchange, placeholders::expand_text};
use crate::response::TestResponse;

/// Maximum time of a response.
const PATIENCE: Duration = Duration::from_secs(5);

/// Traces of internal errors.
const TRACES: [&str; 20] = [
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

/// Returns the response, if expected.
///
/// # Errors
///
/// A description of the unexpected or forbidden content.
pub(super) fn judge(
    exchange: &Exchange,
    response: &RawResponse,
    sent: &[String],
    names: &Placeholders,
) -> Result<Option<TestResponse>, String> {
    let text = String::from_utf8_lossy(&response.bytes);
    if response.took >= PATIENCE {
        return Err(format!("the response took {:?}: {text}", response.took));
    }
    let (summary, answer) = summarize(response)?;
    let expected: Vec<&str> = exchange.expect.split(" | ").collect();
    if !expected.contains(&summary.as_str()) {
        return Err(format!("the response is {summary:?} instead of {expected:?}: {text}"));
    }
    if let Some(answer) = &answer {
        if answer.status >= 400 {
            discreet(answer, sent)?;
        }
        check_places(exchange, answer, names)?;
    }
    match exchange.lacks.iter().map(|it| expand_text(it, names)).find(|it| text.contains(it)) {
        Some(found) => Err(format!("the response contains {found}: {text}")),
        None => Ok(answer),
    }
}

/// Summarizes the responses in the notation of the data: status of the first response with the code and the field of
/// its error, `400 -` without a code, and the number of further responses.
fn summarize(response: &RawResponse) -> Result<(String, Option<TestResponse>), String> {
    let text = String::from_utf8_lossy(&response.bytes);
    if response.bytes.is_empty() {
        return if response.is_over { Ok(("hung up".to_owned(), None)) } else { Err("silence".to_owned()) };
    }
    // A client that sent `Expect` may receive this line before the response.
    if text == "HTTP/1.1 100 Continue\r\n\r\n" {
        return Ok(("100".to_owned(), None));
    }
    let answer = TestResponse::read(&response.bytes).ok_or_else(|| format!("no answer: {text}"))?;
    let further = match text.matches("HTTP/1.1 ").count() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let is_error =
        answer.header("content-type") == "application/json" && answer.status >= 400 && !answer.body.is_empty();
    let is_bare = answer.status >= 400 && answer.body.is_empty() && answer.header("request-id").is_empty();
    let summary = if is_error {
        let (status, code, param) = answer.parse_error().map_err(|fault| format!("{fault}: {text}"))?;
        format!("{status} {code}{}", param.map(|it| format!(" {it}")).unwrap_or_default())
    } else if is_bare {
        if !response.is_over {
            return Err(format!("it does not hang up: {text}"));
        }
        format!("{} -", answer.status)
    } else {
        if !answer.has_request_id() {
            return Err(format!("the request id or a header against caching is missing: {text}"));
        }
        answer.status.to_string()
    };
    Ok((summary + &further, Some(answer)))
}

/// Checks that a message repeats no sent value and no internal detail.
fn discreet(response: &TestResponse, sent: &[String]) -> Result<(), String> {
    let text = without_dress(&String::from_utf8_lossy(&response.body));
    if let Some(trace) = TRACES.into_iter().find(|it| text.contains(it)) {
        return Err(format!("it shows {trace:?}: {text}"));
    }
    let json: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let message = json.pointer("/error/message").and_then(serde_json::Value::as_str).unwrap_or_default();
    match sent.iter().find(|it| message.contains(it.as_str())) {
        Some(echo) => Err(format!("it repeats {echo:?}: {message}")),
        None => Ok(()),
    }
}

/// Removes style and script, which are the same in every page and are not in the page's language.
fn without_dress(page: &str) -> String {
    let mut text = page.to_owned();
    for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let dress = text.split_once(start).and_then(|(_, rest)| Some(rest.split_once(end)?.0.to_owned()));
        text = dress.map_or_else(|| text.clone(), |it| text.replace(&it, ""));
    }
    text
}

fn check_places(exchange: &Exchange, response: &TestResponse, names: &Placeholders) -> Result<(), String> {
    for (place, expected) in &exchange.says {
        let (found, expected) = (found(response, place), expand_text(expected, names));
        let holds = match expected.strip_suffix('*') {
            Some(beginning) => found.starts_with(beginning) && found.len() > beginning.len(),
            None => found == expected,
        };
        if !holds {
            return Err(format!("{place} is {found:?} and not {expected:?}"));
        }
    }
    Ok(())
}

/// Returns a value of the body, or a header.
pub(super) fn found(response: &TestResponse, place: &str) -> String {
    if !place.starts_with('/') {
        return response.header(place).to_owned();
    }
    let json: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
    match json.pointer(place) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}
