//! What holds for every answer, whatever was asked.

use std::time::Duration;

use super::{Placeholders, RawResponse, exchange::Exchange, words::expand_text};
use crate::response::TestResponse;

/// Nobody waits longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What tells from which house an error comes.
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

/// The answer in `said`, if it is one of those that are expected.
///
/// # Errors
///
/// It is another, or says what it must not.
pub(super) fn judge(
    exchange: &Exchange,
    said: &RawResponse,
    sent: &[String],
    names: &Placeholders,
) -> Result<Option<TestResponse>, String> {
    let text = String::from_utf8_lossy(&said.bytes);
    if said.took >= PATIENCE {
        return Err(format!("it took {:?}: {text}", said.took));
    }
    let (told, answer) = told(said)?;
    let expected: Vec<&str> = exchange.expect.split(" | ").collect();
    if !expected.contains(&told.as_str()) {
        return Err(format!("told {told:?} and not {expected:?}: {text}"));
    }
    if let Some(answer) = &answer {
        if answer.status >= 400 {
            discreet(answer, sent)?;
        }
        says(exchange, answer, names)?;
    }
    match exchange.lacks.iter().map(|it| expand_text(it, names)).find(|it| text.contains(it)) {
        Some(found) => Err(format!("it says {found}: {text}")),
        None => Ok(answer),
    }
}

/// What was told, in the words of the data: the status of the first answer with the code and the
/// field of its error, `400 -` for one without a word, and how many more answers there were.
fn told(said: &RawResponse) -> Result<(String, Option<TestResponse>), String> {
    let text = String::from_utf8_lossy(&said.bytes);
    if said.bytes.is_empty() {
        return if said.is_over { Ok(("hung up".to_owned(), None)) } else { Err("silence".to_owned()) };
    }
    // Whoever was asked whether to go on may be told so before the answer.
    if text == "HTTP/1.1 100 Continue\r\n\r\n" {
        return Ok(("100".to_owned(), None));
    }
    let answer = TestResponse::read(&said.bytes).ok_or_else(|| format!("no answer: {text}"))?;
    let further = match text.matches("HTTP/1.1 ").count() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let is_error =
        answer.header("content-type") == "application/json" && answer.status >= 400 && !answer.body.is_empty();
    let is_bare = answer.status >= 400 && answer.body.is_empty() && answer.header("request-id").is_empty();
    let told = if is_error {
        let (status, code, param) = answer.parse_error().map_err(|fault| format!("{fault}: {text}"))?;
        format!("{status} {code}{}", param.map(|it| format!(" {it}")).unwrap_or_default())
    } else if is_bare {
        if !said.is_over {
            return Err(format!("it does not hang up: {text}"));
        }
        format!("{} -", answer.status)
    } else {
        if !answer.has_request_id() {
            return Err(format!("it has no name, or somebody keeps it: {text}"));
        }
        answer.status.to_string()
    };
    Ok((told + &further, Some(answer)))
}

/// A message repeats nothing of what was sent, and tells nothing of the house.
fn discreet(answer: &TestResponse, sent: &[String]) -> Result<(), String> {
    let text = without_dress(&String::from_utf8_lossy(&answer.body));
    if let Some(trace) = TRACES.into_iter().find(|it| text.contains(it)) {
        return Err(format!("it shows {trace:?}: {text}"));
    }
    let json: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let message = json.pointer("/error/message").and_then(serde_json::Value::as_str).unwrap_or_default();
    match sent.iter().find(|it| message.contains(it.as_str())) {
        Some(echo) => Err(format!("it repeats {echo:?}: {message}")),
        None => Ok(()),
    }
}

/// A page without its style and its script, which are the same for everybody and speak another language.
fn without_dress(page: &str) -> String {
    let mut text = page.to_owned();
    for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let dress = text.split_once(start).and_then(|(_, rest)| Some(rest.split_once(end)?.0.to_owned()));
        text = dress.map_or_else(|| text.clone(), |it| text.replace(&it, ""));
    }
    text
}

fn says(exchange: &Exchange, answer: &TestResponse, names: &Placeholders) -> Result<(), String> {
    for (place, expected) in &exchange.says {
        let (found, expected) = (found(answer, place), expand_text(expected, names));
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

/// What a place of an answer holds: a value of its body, or a header.
pub(super) fn found(answer: &TestResponse, place: &str) -> String {
    if !place.starts_with('/') {
        return answer.header(place).to_owned();
    }
    let json: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match json.pointer(place) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}
