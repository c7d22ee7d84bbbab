//! Texts in the authority's format.
//!
//! The API returns merchants' texts unchanged. Here they are trimmed, and name and address of the issuer and name of
//! the buyer are truncated to the length of their elements. Lengths count Unicode scalar values, as in the schema.

use std::borrow::Cow;

use ports::Malformed;
use quick_xml::escape::escape;

use crate::ensure::ensure;

/// Maximum length of a name (`RazonSocialEmisor`, `RazonSocialComprador`, `NombreComercial`).
pub(crate) const LEGAL_NAME: usize = 150;

/// Maximum length of an e-mail address (`CorreoComprador`).
pub(crate) const EMAIL: usize = 80;

/// For values with a limited length of their own.
pub(crate) const ANY: usize = usize::MAX;

/// Returns the first `at_most` characters, without surrounding white space.
pub(crate) fn cut(value: &str, at_most: usize) -> &str {
    let value = value.trim();
    let end = value.char_indices().nth(at_most).map_or(value.len(), |(index, _)| index);
    value.get(..end).unwrap_or(value).trim_end()
}

/// Checks that an element can hold `value`.
pub(crate) fn check(element: &'static str, value: &str, at_most: usize) -> Result<(), Malformed> {
    ensure(!value.is_empty(), element, "an element is never empty")?;
    let is_short = value.len() <= at_most || value.chars().count() <= at_most;
    ensure(is_short, element, "a text is as short as its element asks")?;
    ensure(value.chars().all(can_be_carried), element, "a text is one line of characters that XML 1.0 can carry")
}

/// Escapes all characters that the authority requires: the five of XML by name; copyright, registered trade mark and
/// euro by number.
///
/// Source: DGII, *Descripción técnica de facturación electrónica*, "Restricciones", as amended in April 2025.
pub(crate) fn escaped(value: &str) -> Cow<'_, str> {
    let by_name = escape(value);
    if value.is_ascii() || !by_name.contains(['©', '®', '€']) {
        return by_name;
    }
    Cow::Owned(by_name.replace('©', "&#169;").replace('®', "&#174;").replace('€', "&#8364;"))
}

/// Whether the schema allows `address`: `\w+([-+.]\w+)*@\w+([-.]\w+)*\.\w+([-.]\w+)*`, at most 80 characters.
///
/// In a schema, `\w` is any character except punctuation, so an underscore is not allowed. Only Latin letters and
/// digits count here, which every implementation of Unicode accepts.
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

/// XML 1.0, 2.2, `Char`, without tabs and line breaks, which parsers normalize.
fn can_be_carried(symbol: char) -> bool {
    symbol >= ' ' && !matches!(symbol, '\u{FFFE}' | '\u{FFFF}')
}
