//! What AZUL gave a merchant, as one JSON object of texts.

use std::{collections::BTreeMap, mem};

use domain::Mode;
use ports::CredentialFault::{self, Invalid, Missing, Unknown};
use serde::Deserialize;
use x509_parser::{pem::Pem, x509::X509Version};
use zeroize::Zeroizing;

use crate::AzulAccount;

/// A text that is wiped when it is dropped.
#[derive(Default, Deserialize)]
#[serde(from = "String")]
struct Secret(Zeroizing<String>);

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

/// What a field has to be, and how to tell.
struct Rule {
    words: &'static str,
    is_kept: fn(&str) -> bool,
}

const NUMBER: Rule = Rule { words: "The value must be 1 to 15 digits.", is_kept: is_number };
const WORD: Rule = Rule { words: "The value must be 1 to 8 letters or digits.", is_kept: is_word };
const HEADER: Rule = Rule { words: "The value must be 1 to 256 printable characters of ASCII.", is_kept: is_header };
const YES_OR_NO: Rule = Rule { words: "The value must be yes or no.", is_kept: |it| ["yes", "no"].contains(&it) };
// AZUL takes no more of the two texts that it prints.
const PRINTED: Rule = Rule {
    words: "The value must be at most 32 characters, without quotes, backslashes and control characters.",
    is_kept: is_printed,
};
const CERTIFICATE: Rule = Rule {
    words: "The value must be X.509 certificates of version 3 in PEM, the account's own first and no key among them.",
    is_kept: is_certificate,
};
const KEY: Rule = Rule { words: "The value must be one private key in PEM.", is_kept: is_key };
/// What the key has to be beyond its form.
pub(crate) const PAIR: CredentialFault = Invalid(
    "privateKey",
    "The key must be the one of the certificate, in a form that can be used: PKCS #8, PKCS #1 or SEC 1.",
);

/// What the number of the merchant cannot be once something was sold under another.
const ELSEWHERE: CredentialFault = Invalid(
    "merchantId",
    "An account that sells or has sold stays at its store: another store needs an account of its own.",
);

/// Whether credentials are of the same store, as far as both can be read.
pub(crate) fn stay(before: &[u8], after: &[u8]) -> Result<(), CredentialFault> {
    match (store(before), store(after)) {
        (Some(before), Some(after)) if before != after => Err(ELSEWHERE),
        _ => Ok(()),
    }
}

/// The store that credentials are of, whatever else is in them.
fn store(credentials: &[u8]) -> Option<String> {
    let mut fields = Fields(serde_json::from_slice(credentials).ok()?);
    fields.plain("merchantId", None, &NUMBER).ok()
}

/// The account that those credentials are of.
pub(crate) fn read(mode: Mode, version: u32, credentials: &[u8]) -> Result<AzulAccount, CredentialFault> {
    let mut fields = Fields(serde_json::from_slice(credentials).map_err(|_| Unknown)?);
    let account = AzulAccount {
        version,
        mode,
        store: fields.plain("merchantId", None, &NUMBER)?,
        channel: fields.plain("channel", Some("EC"), &WORD)?,
        auth1: fields.needed("auth1", &HEADER)?,
        auth2: fields.needed("auth2", &HEADER)?,
        identity: fields.identity()?,
        has_3ds: fields.plain("threeDSecure", Some("no"), &YES_OR_NO)? == "yes",
        has_vault: fields.plain("dataVault", Some("no"), &YES_OR_NO)? == "yes",
        phone: fields.plain("customerServicePhone", Some(""), &PRINTED)?,
        shop: fields.plain("shopUrl", Some(""), &PRINTED)?,
    };
    if fields.0.is_empty() { Ok(account) } else { Err(Unknown) }
}

/// Those that were not read yet.
struct Fields(BTreeMap<String, Secret>);

impl Fields {
    fn needed(&mut self, name: &'static str, rule: &Rule) -> Result<Zeroizing<String>, CredentialFault> {
        let mut secret = self.0.remove(name).ok_or(Missing(name))?;
        if (rule.is_kept)(&secret.0) { Ok(mem::take(&mut secret.0)) } else { Err(Invalid(name, rule.words)) }
    }

    /// A text that is no secret.
    fn plain(&mut self, name: &'static str, otherwise: Option<&str>, rule: &Rule) -> Result<String, CredentialFault> {
        match (self.0.contains_key(name), otherwise) {
            (false, Some(otherwise)) => Ok(otherwise.to_owned()),
            _ => self.needed(name, rule).map(|it| it.to_string()),
        }
    }

    /// The certificate with its chain, and the key after it.
    fn identity(&mut self) -> Result<Zeroizing<Vec<u8>>, CredentialFault> {
        let certificate = self.needed("certificate", &CERTIFICATE)?;
        let key = self.needed("privateKey", &KEY)?;
        let mut identity = Zeroizing::new(Vec::with_capacity(certificate.len() + 1 + key.len()));
        identity.extend_from_slice(certificate.as_bytes());
        identity.push(b'\n');
        identity.extend_from_slice(key.as_bytes());
        Ok(identity)
    }
}

fn is_number(text: &str) -> bool {
    (1..=15).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    (1..=8).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_alphanumeric())
}

fn is_header(text: &str) -> bool {
    (1..=256).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_graphic() || it == b' ')
}

fn is_printed(text: &str) -> bool {
    text.chars().count() <= 32 && !text.contains(['"', '\\']) && !text.chars().any(char::is_control)
}

/// Whether it is PEM of certificates alone, of which the first can be read and shown: TLS shows none of an older version.
fn is_certificate(text: &str) -> bool {
    let blocks: Result<Vec<Pem>, _> = Pem::iter_from_buffer(text.as_bytes()).collect();
    let blocks = blocks.unwrap_or_default();
    blocks.iter().all(|it| it.label == "CERTIFICATE")
        && blocks.first().is_some_and(|it| it.parse_x509().is_ok_and(|it| it.version() == X509Version::V3))
}

/// Whether it may be a key. Whether it is one, and that of the certificate, is seen where both are used.
fn is_key(text: &str) -> bool {
    let begins = text.trim_start().strip_prefix("-----BEGIN ");
    let label = begins.and_then(|it| it.split_once("-----")).map(|(label, _)| label);
    label.is_some_and(|it| it.ends_with("PRIVATE KEY")) && text.matches("-----BEGIN ").count() == 1
}
