//! Headers of requests that write.

use actix_web::http::header::{HeaderMap, HeaderValue};
use app::IfMatch;
use domain::{InvalidRequest, Refusal};

/// Returns the idempotency key: 1 to 255 printable ASCII characters, not all of them spaces.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<String, Refusal> {
    const NAME: &str = "idempotency-key";
    let value = single(headers, NAME)?.ok_or_else(|| Refusal::at(InvalidRequest::ParameterMissing, NAME))?;
    let bytes = value.as_bytes();
    let is_key = (1..=255).contains(&bytes.len())
        && bytes.iter().all(|byte| (0x20..=0x7e).contains(byte))
        && bytes.iter().any(|byte| *byte != b' ');
    let key = if is_key { std::str::from_utf8(bytes).ok() } else { None };
    let rule = "The header must have 1 to 255 printable ASCII characters, not all of them spaces.";
    key.map(str::to_owned).ok_or_else(|| invalid(NAME).with_message(rule))
}

/// Parses `If-Match`: `*`, or a list of entity tags (RFC 9110, 13.1.1). Weak tags never match.
pub(crate) fn if_match(headers: &HeaderMap) -> Result<Option<IfMatch>, Refusal> {
    const NAME: &str = "if-match";
    let values: Vec<&[u8]> = headers.get_all(NAME).map(HeaderValue::as_bytes).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let list = values.join(&b", "[..]);
    if list.trim_ascii() == b"*" {
        return Ok(Some(IfMatch::Any));
    }
    let rule = "The header must be * or a list of entity tags in double quotes.";
    strong_tags(&list).map(|tags| Some(IfMatch::OneOf(tags))).ok_or_else(|| invalid(NAME).with_message(rule))
}

/// Returns the strong tags of a well-formed list of at least one tag.
fn strong_tags(list: &[u8]) -> Option<Vec<String>> {
    let (mut strong, mut count, mut rest) = (Vec::new(), 0, list.trim_ascii_start());
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
            continue;
        }
        let opaque = rest.strip_prefix(b"W/").unwrap_or(rest);
        let inner = opaque.strip_prefix(b"\"")?;
        let end = inner.iter().position(|&byte| byte == b'"')?;
        let (tag, after) = (inner.get(..end)?, inner.get(end + 1..)?.trim_ascii_start());
        if !tag.iter().all(|&byte| byte == b'!' || byte > b'"' && byte != 0x7f)
            || !(after.is_empty() || after.starts_with(b","))
        {
            return None;
        }
        if opaque.len() == rest.len() {
            strong.push(String::from_utf8_lossy(tag).into_owned());
        }
        (count, rest) = (count + 1, after);
    }
    (count > 0).then_some(strong)
}

/// Returns an optional header. Bytes that are not UTF-8 are replaced: such a value names no resource.
pub(crate) fn optional(headers: &HeaderMap, header: &'static str) -> Result<Option<String>, Refusal> {
    let value = single(headers, header)?;
    Ok(value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()))
}

fn single<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a HeaderValue>, Refusal> {
    let mut values = headers.get_all(name);
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(invalid(name).with_message("The header may occur once.")),
    }
}

fn invalid(name: &'static str) -> Refusal {
    Refusal::at(InvalidRequest::ParameterInvalid, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_strong_tags_of_a_well_formed_list_match() {
        let tags = |of: &[&str]| Some(of.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>());
        for (list, expected) in [
            (r#""0-0""#, tags(&["0-0"])),
            (r#" "0-0" ,"1-1", , W/"2-2""#, tags(&["0-0", "1-1"])),
            (r#"W/"0-0""#, tags(&[])),
            (r#""""#, tags(&[""])),
            (r#""a,b""#, tags(&["a,b"])),
            ("", None),
            (",", None),
            ("0-0", None),
            (r#""0-0"#, None),
            (r#""0-0" "1-1""#, None),
            (r#""0 0""#, None),
            (r#"w/"0-0""#, None),
            (r#"W/ "0-0""#, None),
            (r#"*, "0-0""#, None),
            (r#""0-0";x"#, None),
        ] {
            assert_eq!(strong_tags(list.as_bytes()), expected, "{list}");
        }
    }
}
