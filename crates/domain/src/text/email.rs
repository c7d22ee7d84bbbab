use std::fmt;

use super::{has_length, stands_in_a_word};

/// An e-mail address of at most 320 characters: one line, and one `@` with something on both sides.
///
/// That much keeps it harmless in a header or on a page, and is what was ever kept. What somebody writes now is held to the
/// grammar of addresses as well: [`Email::written`]. Personal data: [`Debug`](fmt::Debug) shows the domain alone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// The most characters: 64 for the mailbox, 255 for the domain (RFC 3696 as corrected).
    pub const MAX: usize = 320;
    /// The most characters of an address that a message can be handed over for (RFC 5321, 4.5.3.1.3, without its brackets).
    pub const MAX_RECIPIENT: usize = 254;

    /// The address in `text`, if it may be one.
    pub fn parse(text: &str) -> Option<Self> {
        let (mailbox, domain) = text.split_once('@')?;
        let has_both_sides = !mailbox.is_empty() && !domain.is_empty() && !domain.contains('@');
        let is_address = has_both_sides && has_length(text, 3, Self::MAX) && text.chars().all(stands_in_a_word);
        is_address.then(|| Self(text.to_owned()))
    }

    /// The address in `text`, if it is one by the grammar of addresses (RFC 5321, RFC 6531), at a domain of two names or
    /// more, and with no name beside it.
    ///
    /// ```
    /// use cobro_domain::text::Email;
    ///
    /// assert!(Email::written("o'brien+mesa7@peluquería.example").is_some());
    /// assert_eq!(Email::written("rosa@localhost"), None);
    /// assert_eq!(Email::written("rosa@[127.0.0.1]"), None);
    /// ```
    pub fn written(text: &str) -> Option<Self> {
        let email = Self::parse(text)?;
        let (mailbox, domain) = text.split_once('@')?;
        (is_mailbox(mailbox) && is_domain(domain)).then_some(email)
    }

    /// The address in `text`, if it is [written](Self::written) as one, and short enough to be sent anything.
    pub fn recipient(text: &str) -> Option<Self> {
        Self::written(text).filter(|_| has_length(text, 3, Self::MAX_RECIPIENT))
    }

    /// The text, exactly as it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Words with dots between them, or anything in quotes. Lengths of addresses are of bytes.
fn is_mailbox(text: &str) -> bool {
    let quoted = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let is_known = match quoted {
        Some(quoted) => !quoted.is_empty() && is_quoted(quoted),
        None => text.split('.').all(is_word),
    };
    is_known && text.len() <= 64
}

/// Each quote and backslash within has a backslash before it.
fn is_quoted(text: &str) -> bool {
    let mut symbols = text.chars();
    while let Some(symbol) = symbols.next() {
        let stands = match symbol {
            '\\' => symbols.next().is_some_and(|it| it.is_ascii_graphic()),
            symbol => symbol != '"',
        };
        if !stands {
            return false;
        }
    }
    true
}

fn is_domain(text: &str) -> bool {
    let is_name = |name: &str| {
        let is_bounded = name.starts_with(char::is_alphanumeric) && name.ends_with(char::is_alphanumeric);
        is_bounded && is_word(name) && name.len() <= 63
    };
    text.contains('.') && text.split('.').all(is_name) && text.len() <= 254
}

/// Letters, digits and a few signs (RFC 5322, `atext`), or whatever is not ASCII.
fn is_word(text: &str) -> bool {
    let stands = |it: char| it.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(it) || !it.is_ascii();
    !text.is_empty() && text.chars().all(stands)
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
