//! Readers of list queries: every parameter at most once, known, and well formed.
//!
//! A query becomes a flat tree of text, which the same readers walk as a body.

pub(crate) mod events;
mod filters;
pub(crate) mod payments;
mod period;
pub(crate) mod refunds;
mod revisions;
pub(crate) mod webhooks;

pub use events::events;
pub use payments::payments;
pub use refunds::refunds;
pub use revisions::revisions;
pub use webhooks::{webhook_deliveries, webhook_endpoints};

use domain::{InvalidRequest, Refusal, listing::PageRequest};
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    json::{Json, repeated_key},
    param::Path,
    read::{self, Object},
    schema,
};

/// Decodes the parameters of a query (`application/x-www-form-urlencoded`).
fn parameters(raw: &str) -> Result<Json, Refusal> {
    let mut parameters = Vec::new();
    for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decoded(name).ok_or_else(|| invalid(&Path::Root, MALFORMED))?;
        let value = decoded(value).ok_or_else(|| invalid(&Path::Field(&Path::Root, &name), MALFORMED))?;
        parameters.push((name, Json::String(Zeroizing::new(value))));
    }
    if let Some(name) = repeated_key(&parameters) {
        return Err(invalid(&Path::Field(&Path::Root, name), "The query names this parameter twice."));
    }
    Ok(Json::Object(parameters))
}

const MALFORMED: &str = "A percent sign must introduce two hexadecimal digits, and all bytes together must be UTF-8.";

/// Decodes percent signs and plus signs. Returns `None` for malformed text, which libraries would replace.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => hex_digit(rest.next()?)? << 4 | hex_digit(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn invalid(path: &Path<'_>, rule: &str) -> Refusal {
    Refusal { param: path.param(), ..Refusal::of(InvalidRequest::ParameterInvalid).with_message(rule) }
}

/// Default size of a page.
const DEFAULT_LIMIT: u16 = 20;
/// Maximum size of a page.
const MAX_LIMIT: u16 = 100;
/// Maximum length of a cursor.
pub(crate) const MAX_CURSOR: usize = 512;

/// Parses the page of a list without filters. The canonical text `filters` names the list.
fn only_page(raw: &str, filters: String) -> Result<PageRequest, Refusal> {
    Ok(PageRequest { filters, ..read::request(&parameters(raw)?, page)? })
}

/// Reads the page, without the canonical text of the filters.
fn page(query: &mut Object<'_>) -> Option<PageRequest> {
    let parse = |text: &str| {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        text.parse().ok().filter(|limit| is_plain && *limit <= MAX_LIMIT)
    };
    let limit = query.optional("limit", "Maximum number of items in the response.", |value| {
        let schema = || json!({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT});
        value.parsed(schema, parse, format_args!("The value must be a number from 1 to {MAX_LIMIT}."))
    });
    // The use case that made a cursor also checks the cursor.
    let is_bounded = |text: &&str| (1..=MAX_CURSOR).contains(&text.chars().count());
    let cursor = query.optional("cursor", "The `nextCursor` of an earlier page with the same filters.", |value| {
        value.parsed(
            || schema::text(1..=MAX_CURSOR),
            |text| Some(text).filter(is_bounded).map(str::to_owned),
            "The value must be a cursor that an earlier part of the list came with.",
        )
    });
    Some(PageRequest { limit: limit?.unwrap_or(DEFAULT_LIMIT), cursor: cursor?, filters: String::new() })
}
