//! Addresses of mail and of pages. They are judged by grammar and kept as they were sent.

use domain::text::{Email, WebUrl};
use email_address::{EmailAddress, Options};
use url::Url;

use crate::read::Value;

/// The longest address that a message can be handed over for (RFC 5321, 4.5.3.1.3, without its brackets).
pub(super) const MAX_RECIPIENT: usize = 254;

/// An e-mail address of at most `most` characters, with a top-level domain, without a name beside it.
pub(super) fn email(value: Value<'_>, most: usize) -> Option<Email> {
    let strict = Options::default().with_required_tld().without_display_text().without_domain_literal();
    value.parsed(
        |text| {
            let is_short = text.chars().count() <= most;
            Email::parse(text).filter(|_| is_short && EmailAddress::parse_with_options(text, strict).is_ok())
        },
        "The value must be an e-mail address.",
    )
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
