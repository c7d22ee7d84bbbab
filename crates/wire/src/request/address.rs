//! Addresses of mail and of pages. They are judged by grammar and kept as they were sent.

use domain::text::{Email, WebUrl};
use url::Url;

use crate::read::Value;

/// An e-mail address, which `read` makes of a text.
pub(super) fn email(value: Value<'_>, read: fn(&str) -> Option<Email>) -> Option<Email> {
    value.parsed(read, "The value must be an e-mail address.")
}

/// Where the payer is offered to go afterwards. It becomes a link on a page, so it can neither run nor mislead.
pub(super) fn web_url(value: Value<'_>) -> Option<WebUrl> {
    value.parsed(
        |text| WebUrl::parse(text).filter(|_| is_web_page(text)),
        "The value must be an http or https address without credentials, of at most 2048 characters.",
    )
}

/// Whether a browser would go where a reader of `text` thinks.
fn is_web_page(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
    })
}
