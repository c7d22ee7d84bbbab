//! Form fields: limited in size and time, and wiped from memory after use.

use std::time::Duration;

use actix_web::{rt::time::timeout, web::Payload};
use domain::Card;
use futures_util::StreamExt;
use zeroize::Zeroizing;

use crate::{expiry::parse_expiry, texts::Texts};

/// Maximum size of a form in bytes.
const LIMIT: usize = 8 * 1024;
const TIMEOUT: Duration = Duration::from_secs(10);

/// Fields of a form. They may contain a card, so that the type has no `Debug` and no `Clone`.
pub(crate) struct Fields(Zeroizing<Vec<u8>>);

impl Fields {
    /// Reads a form; `None` if it is too long, too slow or interrupted.
    pub(crate) async fn read(payload: Payload) -> Option<Self> {
        timeout(TIMEOUT, collect(payload)).await.ok().flatten().map(Self)
    }

    /// Returns the first field of that name without surrounding spaces, empty if there is none.
    pub(crate) fn get(&self, name: &str) -> Zeroizing<String> {
        let pairs = self.0.split(|it| *it == b'&');
        let value = pairs.filter_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")).next();
        let text = Zeroizing::new(unescape(value.unwrap_or_default()));
        Zeroizing::new(String::from_utf8_lossy(&text).trim().to_owned())
    }
}

async fn collect(mut payload: Payload) -> Option<Zeroizing<Vec<u8>>> {
    // Full capacity at once: growth would leave copies in memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LIMIT));
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.ok()?;
        if bytes.len().saturating_add(chunk.len()) > LIMIT {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}

/// Decodes `a+b%2Fc`. An invalid escape stays unchanged.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let escaped = escape.filter(|_| first == b'%').and_then(|it| u8::from_str_radix(it, 16).ok());
        bytes.push(escaped.unwrap_or(if first == b'+' { b' ' } else { first }));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes
}

/// Faults of a typed card, each shown at its field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CardFaults {
    pub(crate) number: Option<&'static str>,
    pub(crate) expiry: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
}

pub(crate) fn parse_card(fields: &Fields, texts: &Texts) -> Result<Card, CardFaults> {
    let number = without_separators(&fields.get("number"));
    let code = fields.get("code");
    let expiry = parse_expiry(&fields.get("expiry"));
    let faults = CardFaults {
        number: (!Card::is_number(&number)).then_some(texts.wrong_number),
        expiry: expiry.is_none().then_some(texts.wrong_expiry),
        code: (!Card::is_security_code(&code)).then_some(texts.wrong_code),
    };
    let (month, year) = expiry.unwrap_or_default();
    Card::new(number, code, month, year, None).ok_or(faults)
}

fn without_separators(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.chars().filter(|it| !matches!(it, ' ' | '-' | '\u{a0}')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn form(text: &str) -> Fields {
        Fields(Zeroizing::new(text.as_bytes().to_vec()))
    }

    #[test]
    fn fields_are_decoded() {
        let fields = form("note=+caf%C3%A9+%26+t%C3%A9%2&empty=&twice=1&twice=2");

        assert_eq!(*fields.get("note"), "café & té%2");
        assert_eq!(*fields.get("twice"), "1");
        for name in ["empty", "absent", "not"] {
            assert_eq!(*fields.get(name), "", "{name}");
        }
    }

    #[test]
    fn a_card_is_parsed_with_separators_and_any_usual_expiry() {
        for expiry in ["12/35", "12%2F2035", "12+%2F+35", "1235", "12-35"] {
            let fields = form(&format!("number=4222+2200+0000+0008&expiry={expiry}&code=123"));
            let card = parse_card(&fields, Language::Spanish.texts());

            let Ok(card) = card else { panic!("{expiry}") };
            assert_eq!((card.expose_number(), card.expiration()), ("4222220000000008", (12, 2035)), "{expiry}");
        }
    }

    #[test]
    fn each_fault_is_at_its_field() {
        let texts = Language::English.texts();
        let faults = |text: &str| parse_card(&form(text), texts).err().unwrap();

        let number = faults("number=4222220000000009&expiry=12%2F35&code=123");
        assert_eq!(number, CardFaults { number: Some(texts.wrong_number), ..CardFaults::default() });
        for expiry in ["13/35", "0/35", "12/5", "12/235", "%2B1/35", "", "1"] {
            let faults = faults(&format!("number=4222220000000008&expiry={expiry}&code=123"));
            assert_eq!(faults, CardFaults { expiry: Some(texts.wrong_expiry), ..CardFaults::default() }, "{expiry}");
        }
        let all = faults("");
        assert!(all.number.is_some() && all.expiry.is_some() && all.code.is_some());
    }
}
