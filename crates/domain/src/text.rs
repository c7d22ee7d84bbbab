//! Bounded text, stored as received.
//!
//! Lengths count Unicode scalar values: an emoji is one character. Input is neither trimmed nor normalized, so that
//! the API returns the exact text. Text that could break a line, falsify a display or damage a signed document is
//! refused.

mod email;
mod xml;

pub use email::{Email, has_encoded_word};
pub use xml::{UnsupportedEncoding, decode_xml};

/// One line of text of `MIN` to `MAX` characters.
///
/// Refused: control characters (tabs and line breaks among them), characters that XML 1.0 cannot
/// carry, marks that reverse the reading order, and invisible text. A `MIN` of 0 allows
/// no text at all.
///
/// ```
/// use cobro_domain::text::BoundedText;
///
/// let dish = BoundedText::<1, 80>::parse("  Mofongo con camarón 🍤 ").unwrap();
///
/// assert_eq!(dish.as_str(), "  Mofongo con camarón 🍤 ");
/// assert_eq!(dish.trimmed(), "Mofongo con camarón 🍤");
/// assert_eq!(BoundedText::<1, 80>::parse("two\nlines"), None);
/// assert_eq!(BoundedText::<1, 80>::parse("   "), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundedText<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> BoundedText<MIN, MAX> {
    /// Parses a line of text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_line = has_length(text, MIN, MAX) && text.chars().all(stands_in_a_line) && !is_blank(text);
        is_line.then(|| Self(text.to_owned()))
    }

    /// A text of our own, which is known to be a line.
    pub(crate) fn of(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the text without surrounding white space, for documents and pages.
    pub fn trimmed(&self) -> &str {
        self.0.trim()
    }
}

/// `MIN` to `MAX` digits, as text: a number that is a name. Leading zeros count.
///
/// ```
/// use cobro_domain::text::Digits;
///
/// assert_eq!(Digits::<1, 20>::parse("0042").unwrap().as_str(), "0042");
/// assert_eq!(Digits::<1, 20>::parse("١٢"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digits<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Digits<MIN, MAX> {
    /// Parses digits. Only `0` to `9` are digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digits = has_length(text, MIN, MAX) && text.bytes().all(|it| it.is_ascii_digit());
        is_digits.then(|| Self(text.to_owned()))
    }
}

/// Up to 500 characters that may run over lines: the value of a metadata property. May be empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prose(String);

impl Prose {
    /// The most characters.
    pub const MAX: usize = 500;

    /// Parses prose.
    pub fn parse(text: &str) -> Option<Self> {
        let stands = |symbol| matches!(symbol, '\t' | '\n' | '\r') || can_be_shown(symbol);
        let is_prose = has_length(text, 0, Self::MAX) && text.chars().all(stands) && !is_blank(text);
        is_prose.then(|| Self(text.to_owned()))
    }
}

/// Web address of at most 2048 characters, over `http` or `https`, without credentials.
///
/// White space, control characters and backslashes are refused: browsers parse them differently. The caller checks the
/// rest of the grammar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WebUrl(String);

impl WebUrl {
    /// The most characters.
    pub const MAX: usize = 2048;

    /// Parses an address.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let names_a_host = !authority.is_empty() && !authority.starts_with(':') && !authority.contains('@');
        // Two readers may take these for two things (RFC 3986, appendix C).
        let stands = |symbol| stands_in_a_word(symbol) && !r#"\<>"{}|^`"#.contains(symbol);
        let is_url = names_a_host && has_length(text, 1, Self::MAX) && text.chars().all(stands);
        is_url.then(|| Self(text.to_owned()))
    }
}

/// Gives a kind of text back as text.
macro_rules! readable {
    ($([$($generics:tt)*] $name:ty;)+) => { $(
        impl<$($generics)*> $name {
            /// Returns the text as received.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<$($generics)*> AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    )+ };
}

readable! {
    [const MIN: usize, const MAX: usize] BoundedText<MIN, MAX>;
    [const MIN: usize, const MAX: usize] Digits<MIN, MAX>;
    [] Prose;
    [] WebUrl;
}

fn has_length(text: &str, minimum: usize, maximum: usize) -> bool {
    (minimum..=maximum).contains(&text.chars().count())
}

/// Whether the text has no visible character.
fn is_blank(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_whitespace() || is_invisible(it))
}

/// Whether a character has no visible form. Beside others it may join or part them.
///
/// Source: Unicode, `Default_Ignorable_Code_Point`.
fn is_invisible(symbol: char) -> bool {
    matches!(
        symbol,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

fn stands_in_a_word(symbol: char) -> bool {
    stands_in_a_line(symbol) && !symbol.is_whitespace()
}

fn stands_in_a_line(symbol: char) -> bool {
    can_be_shown(symbol) && !matches!(symbol, '\u{2028}' | '\u{2029}')
}

/// Whether a character can be stored, shown and signed.
fn can_be_shown(symbol: char) -> bool {
    match symbol {
        // These reverse the reading order: a payer would read another text than the signed one.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => false,
        // Beside controls and surrogates, the only characters that XML 1.0 cannot carry (2.2, `Char`).
        '\u{FFFE}' | '\u{FFFF}' => false,
        _ => !symbol.is_control(),
    }
}
