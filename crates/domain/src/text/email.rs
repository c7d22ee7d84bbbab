use std::fmt;

use email_address::{EmailAddress, Options};

use super::{has_length, stands_in_a_word};

/// E-mail address of at most 320 characters: one line, and one `@` with text on both sides.
///
/// That rule makes an address harmless in a header or on a page, and holds for stored addresses. New addresses follow
/// the grammar as well: [`Email::written`]. Personal data: [`Debug`](fmt::Debug) shows the domain only.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// The most characters: 64 for the mailbox, 255 for the domain (RFC 3696 as corrected).
    pub const MAX: usize = 320;
    /// Maximum length of a recipient's address (RFC 5321, 4.5.3.1.3, without its brackets).
    pub const MAX_RECIPIENT: usize = 254;

    /// Parses an address by the loose rule.
    pub fn parse(text: &str) -> Option<Self> {
        let (mailbox, domain) = text.split_once('@')?;
        let has_both_sides = !mailbox.is_empty() && !domain.is_empty() && !domain.contains('@');
        let is_address = has_both_sides && has_length(text, 3, Self::MAX) && text.chars().all(stands_in_a_word);
        is_address.then(|| Self(text.to_owned()))
    }

    /// Parses an address by RFC 5321 and RFC 6531. Its domain must have two names or more. A display name, a quoted
    /// mailbox (RFC 5321 advises against one, and mail servers refuse it) or an encoded word (RFC 2047) is refused: mail
    /// readers decode the latter.
    ///
    /// ```
    /// use cobro_domain::text::Email;
    ///
    /// assert!(Email::written("o'brien+mesa7@peluquería.example").is_some());
    /// assert_eq!(Email::written("rosa@localhost"), None);
    /// assert_eq!(Email::written("rosa@[127.0.0.1]"), None);
    /// assert_eq!(Email::written(r#""rosa"@b.do"#), None);
    /// assert_eq!(Email::written("=?utf-8?q?=0d=0abcc?=@b.do"), None);
    /// ```
    pub fn written(text: &str) -> Option<Self> {
        let strict = Options::default().with_required_tld().without_display_text().without_domain_literal();
        let is_address = EmailAddress::parse_with_options(text, strict).is_ok() && !has_encoded_word(text);
        Self::parse(text).filter(|_| is_address && !text.starts_with('"'))
    }

    /// Parses an address as [`written`](Self::written), and short enough for a recipient.
    pub fn recipient(text: &str) -> Option<Self> {
        Self::written(text).filter(|_| has_length(text, 3, Self::MAX_RECIPIENT))
    }

    /// Returns the text as received.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a mail reader decodes a part of the text as an encoded word: `=?charset?b or q?text?=` (RFC 2047, 2).
pub fn has_encoded_word(text: &str) -> bool {
    text.split("=?").skip(1).any(|rest| {
        let mut parts = rest.splitn(4, '?').skip(1);
        let is_encoding = parts.next().is_some_and(|it| it.eq_ignore_ascii_case("b") || it.eq_ignore_ascii_case("q"));
        is_encoding && parts.next().is_some() && parts.next().is_some_and(|end| end.starts_with('='))
    })
}

impl AsRef<str> for Email {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let domain = self.0.split('@').next_back().unwrap_or_default();
        write!(f, "Email(…@{domain})")
    }
}
