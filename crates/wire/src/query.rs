//! What a list is asked for: every parameter at most once, known, and well formed.
//!
//! A query is read as a body is. It becomes one flat tree of text first, and then the reader of an operation walks it.

mod events;
mod filters;
mod instant;
mod payments;
mod revisions;
mod webhooks;

pub use events::{EventQuery, events};
pub use payments::{PaymentQuery, payments};
pub use revisions::revisions;
pub use webhooks::{PageQuery, WebhookDeliveryQuery, webhook_deliveries, webhook_endpoints};

pub(crate) use instant::instant;

use domain::{InvalidRequest, Refusal};
use zeroize::Zeroizing;

use crate::{
    json::{Json, repeated_key},
    param::Path,
    read::{Object, Value},
};

/// The parameters of a query as they come off the request line, decoded (`application/x-www-form-urlencoded`).
fn parameters(raw: &str) -> Result<Json, Refusal> {
    let mut parameters = Vec::new();
    for pair in raw.split('&').filter(|it| !it.is_empty()) {
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

/// The text that is meant. Libraries replace what they cannot read; here it is refused.
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
    char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok())
}

fn invalid(path: &Path<'_>, rule: &str) -> Refusal {
    Refusal { param: path.param(), ..Refusal::of(InvalidRequest::ParameterInvalid).saying(rule) }
}

/// How many items one part of a list has, unless the query says so.
const DEFAULT_LIMIT: u16 = 20;
/// The most that it may say.
const MAX_LIMIT: u16 = 100;
/// No cursor of ours is longer.
const MAX_CURSOR: usize = 512;

fn limit(object: &mut Object<'_>) -> Option<u16> {
    let parse = |text: &str| {
        let is_plain = text.bytes().all(|it| it.is_ascii_digit()) && !text.starts_with('0');
        text.parse().ok().filter(|it| is_plain && *it <= MAX_LIMIT)
    };
    let limit = object.optional("limit", |value| value.parsed(parse, "The value must be a number from 1 to 100."));
    limit.map(|it| it.unwrap_or(DEFAULT_LIMIT))
}

/// The cursor as sent. Only who made it can tell whether it is one.
fn cursor(value: Value<'_>) -> Option<String> {
    let is_bounded = |text: &&str| (1..=MAX_CURSOR).contains(&text.chars().count());
    let parse = |text: &str| Some(text).filter(is_bounded).map(str::to_owned);
    value.parsed(parse, "The value must be a cursor that an earlier part of the list came with.")
}
