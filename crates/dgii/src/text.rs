//! Texts as the authority takes them.
//!
//! Merchants get their texts back as they sent them; only here are they trimmed, and the names and
//! the address of the issuer and the name of the buyer cut to the length of their elements. Lengths
//! count Unicode scalar values, as the schema does.

use std::borrow::Cow;

use ports::Malformed;
use quick_xml::escape::escape;

use crate::rules::ensure;

/// The most characters of a name (`RazonSocialEmisor`, `RazonSocialComprador`, `NombreComercial`).
pub(crate) const LEGAL_NAME: usize = 150;

/// The most characters of an e-mail address (`CorreoComprador`).
pub(crate) const EMAIL: usize = 80;

/// For values whose length is bounded by what they are.
pub(crate) const ANY: usize = usize::MAX;

/// The first `at_most` characters of `value`, white space around it not counted.
pub(crate) fn cut(value: &str, at_most: usize) -> &str {
    let value = value.trim();
    let end = value.char_indices().nth(at_most).map_or(value.len(), |(index, _)| index);
    value.get(..end).unwrap_or(value).trim_end()
}

/// Whether an element can hold `value`.
pub(crate) fn check(element: &'static str, value: &str, at_most: usize) -> Result<(), Malformed> {
    ensure(!value.is_empty(), element, "an element is never empty")?;
    let is_short = value.len() <= at_most || value.chars().count() <= at_most;
    ensure(is_short, element, "a text is as short as its element asks")?;
    ensure(value.chars().all(can_be_carried), element, "a text is one line of characters that XML 1.0 can carry")
}

/// `value` with everything escaped that the authority asks for: the five of XML by name, and the
/// symbols for copyright, registered trade mark and euro by number.
///
/// Source: DGII, *Descripción técnica de facturación electrónica*, "Restricciones", as amended in
/// April 2025.
pub(crate) fn escaped(value: &str) -> Cow<'_, str> {
    let by_name = escape(value);
    if value.is_ascii() || !by_name.contains(['©', '®', '€']) {
        return by_name;
    }
    Cow::Owned(by_name.replace('©', "&#169;").replace('®', "&#174;").replace('€', "&#8364;"))
}

/// Whether the schema takes `address`: `\w+([-+.]\w+)*@\w+([-.]\w+)*\.\w+([-.]\w+)*`, 80 characters
/// at most.
///
/// To a schema `\w` is whatever is not punctuation, so an underscore is out. It leaves some symbols
/// in that no one would miss; counting only Latin letters and digits as words stays on the safe
/// side of every implementation of Unicode.
pub(crate) fn is_schema_email(address: &str) -> bool {
    let words = |text: &str, separators: &[char]| text.split(separators).all(is_word);
    let Some((mailbox, domain)) = address.split_once('@') else { return false };
    address.chars().count() <= EMAIL
        && words(mailbox, &['-', '+', '.'])
        && words(domain, &['-', '.'])
        && domain.contains('.')
}

fn is_word(text: &str) -> bool {
    let is_latin = |it: char| it.is_ascii_alphanumeric() || (('À'..='ɏ').contains(&it) && it.is_alphabetic());
    !text.is_empty() && text.chars().all(is_latin)
}

/// XML 1.0, 2.2, `Char`, without tabs and line breaks: a reader would not give those back as sent.
fn can_be_carried(symbol: char) -> bool {
    symbol >= ' ' && !matches!(symbol, '\u{FFFE}' | '\u{FFFF}')
}
