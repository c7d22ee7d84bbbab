//! Bodies: bounded in size and in time, and of one media type.

use std::time::Duration;

use actix_web::{
    http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, TRANSFER_ENCODING},
    web::Payload,
};
use domain::{InvalidRequest, Refusal};
use futures_util::StreamExt;
use tokio::time::timeout;
use wire::Json;
use zeroize::Zeroizing;

use crate::problem::Problem;

/// Maximum time in which a body arrives.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a body. The returned bytes are wiped when dropped, because they may contain a card.
pub(crate) async fn read(headers: &HeaderMap, payload: Payload) -> Result<Zeroizing<Vec<u8>>, Problem> {
    // A compressed body could expand a thousandfold.
    if headers.contains_key(CONTENT_ENCODING) || !is_json(headers) {
        return Err(Problem::UnsupportedMediaType);
    }
    let length = announced_length(headers);
    if length > Json::MAX_BYTES {
        return Err(Problem::BodyTooLong);
    }
    timeout(TIMEOUT, collect(payload, length)).await.map_err(|_| Problem::BodyTimeout)?
}

/// Whether the request has a body.
pub(crate) fn is_sent(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING) || announced_length(headers) > 0
}

async fn collect(mut payload: Payload, length: usize) -> Result<Zeroizing<Vec<u8>>, Problem> {
    // Allocated at once: a vector that grows leaves copies in memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(length));
    while let Some(chunk) = payload.next().await {
        // The library does not distinguish a wrongly framed body from a disconnect by the client.
        let broken = |_| {
            Refusal::of(InvalidRequest::ParameterInvalid).with_message("The body ended before its announced length.")
        };
        let chunk = chunk.map_err(broken)?;
        if bytes.len().saturating_add(chunk.len()) > Json::MAX_BYTES {
            return Err(Problem::BodyTooLong);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn announced_length(headers: &HeaderMap) -> usize {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    length.unwrap_or_default()
}

/// Whether the only media type is JSON in UTF-8. JSON has no parameters (RFC 8259, 11): others are ignored, and so are
/// empty ones, as in `application/json;` (RFC 9110, 5.6.6).
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE);
    let (Some(only), None) = (types.next(), types.next()) else { return false };
    let mut parts = only.to_str().unwrap_or_default().split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|media| media.eq_ignore_ascii_case("application/json"));
    is_json && !parts.any(is_other_charset)
}

fn is_other_charset(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return false };
    let value = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    name.eq_ignore_ascii_case("charset") && !["utf-8", "utf8"].iter().any(|name| value.eq_ignore_ascii_case(name))
}
