//! The headers that a command binds itself to.

use actix_web::http::header::{HeaderMap, HeaderValue};
use domain::{InvalidRequest, Refusal};

/// The idempotency key: 1 to 255 printable characters of ASCII, not all of them spaces.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<String, Refusal> {
    const NAME: &str = "idempotency-key";
    let value = single(headers, NAME)?.ok_or_else(|| Refusal::at(InvalidRequest::ParameterMissing, NAME))?;
    let bytes = value.as_bytes();
    let is_key = (1..=255).contains(&bytes.len())
        && bytes.iter().all(|it| (0x20..=0x7e).contains(it))
        && bytes.iter().any(|it| *it != b' ');
    let key = if is_key { std::str::from_utf8(bytes).ok() } else { None };
    let rule = "The header must be 1 to 255 printable characters of ASCII, not all of them spaces.";
    key.map(str::to_owned).ok_or_else(|| invalid(NAME).saying(rule))
}

/// A header that may be left out. Whatever it says is a name, if not one that anybody has.
pub(crate) fn name(headers: &HeaderMap, header: &'static str) -> Result<Option<String>, Refusal> {
    let value = single(headers, header)?;
    Ok(value.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()))
}

fn single<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a HeaderValue>, Refusal> {
    let mut values = headers.get_all(name);
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(invalid(name).saying("The header may be sent once.")),
    }
}

fn invalid(name: &'static str) -> Refusal {
    Refusal::at(InvalidRequest::ParameterInvalid, name)
}
