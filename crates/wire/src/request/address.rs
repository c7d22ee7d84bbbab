//! E-mail addresses and URLs. They are stored exactly as sent.

use domain::text::{Email, WebUrl};
use serde_json::json;
use url::Url;

use crate::{read::Value, schema};

/// Reads an e-mail address of at most `Email::MAX` characters to which a document is sent.
pub(super) fn email(value: Value<'_>) -> Option<Email> {
    parse_email(value, Email::MAX, Email::written)
}

/// Reads an e-mail address that the mail server of a recipient accepts.
pub(super) fn recipient(value: Value<'_>) -> Option<Email> {
    parse_email(value, Email::MAX_RECIPIENT, Email::recipient)
}

fn parse_email(value: Value<'_>, most: usize, parse: fn(&str) -> Option<Email>) -> Option<Email> {
    let schema = || schema::with(schema::email(most), [("pattern", json!(r"^[^@\s]+@[^@\s]+\.[^@\s]+$"))]);
    value.parsed(schema, parse, "The value must be an e-mail address.")
}

/// Reads the URL to which the payer returns. The link on a page must neither run code nor mislead.
pub(super) fn web_url(value: Value<'_>) -> Option<WebUrl> {
    const PATTERN: &str = r#"^https?://[^/?#:@\\\s<>"{}|^`][^/?#@\\\s<>"{}|^`]*([/?#][^\\\s<>"{}|^`]*)?$"#;

    let schema = || schema::with(schema::url(), [("maxLength", json!(WebUrl::MAX)), ("pattern", json!(PATTERN))]);
    value.parsed(
        schema,
        |text| WebUrl::parse(text).filter(|_| is_web_page(text)),
        format_args!(
            "The value must be an http or https address without credentials, of at most {} characters.",
            WebUrl::MAX
        ),
    )
}

fn is_web_page(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
    })
}
