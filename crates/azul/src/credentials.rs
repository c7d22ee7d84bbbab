//! Credentials of an account: one JSON object of texts.

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

/// Rule for the value of a field.
struct Rule {
    text: &'static str,
    is_valid: fn(&str) -> bool,
}

const NUMBER: Rule = Rule { text: "The value must be 1 to 15 digits.", is_valid: is_number };
const WORD: Rule = Rule { text: "The value must be 1 to 8 letters or digits.", is_valid: is_word };
const HEADER: Rule = Rule { text: "The value must be 1 to 256 printable characters of ASCII.", is_valid: is_header };
const YES_OR_NO: Rule = Rule { text: "The value must be yes or no.", is_valid: |it| ["yes", "no"].contains(&it) };
const ONCE: Rule = Rule {
    text: "The value must be once; without the field a charge takes several refunds.",
    is_valid: |it| it == "once",
};
// AZUL's limit for the two texts that it prints.
const PRINTED: Rule = Rule {
    text: "The value must be at most 32 characters, without quotes, backslashes and control characters.",
    is_valid: is_printed,
};
const CERTIFICATE: Rule = Rule {
    text: "The value must be X.509 certificates of version 3 in PEM, the account's own first and no key among them.",
    is_valid: is_certificate,
};
const KEY: Rule = Rule { text: "The value must be one private key in PEM.", is_valid: is_key };
/// Fault of a private key that does not belong to the certificate.
pub(crate) const KEY_PAIR: CredentialFault = Invalid(
    "privateKey",
    "The key must be the one of the certificate, in a form that can be used: PKCS #8, PKCS #1 or SEC 1.",
);

/// Fault of another merchant number, once the account has sales.
const OTHER_STORE: CredentialFault = Invalid(
    "merchantId",
    "An account that sells or has sold stays at its store: another store needs an account of its own.",
);

/// Refuses credentials of another store, as far as both can be parsed.
pub(crate) fn check_same_store(before: &[u8], after: &[u8]) -> Result<(), CredentialFault> {
    match (store(before), store(after)) {
        (Some(before), Some(after)) if before != after => Err(OTHER_STORE),
        _ => Ok(()),
    }
}

/// Returns the store of credentials, even if other fields are invalid.
fn store(credentials: &[u8]) -> Option<String> {
    let mut fields = Fields(serde_json::from_slice(credentials).ok()?);
    fields.plain("merchantId", None, &NUMBER).ok()
}

/// Parses credentials.
pub(crate) fn read(mode: Mode, version: u32, credentials: &[u8]) -> Result<AzulAccount, CredentialFault> {
    let mut fields = Fields(serde_json::from_slice(credentials).map_err(|_| Unknown)?);
    let account = AzulAccount {
        version,
        mode,
        store: fields.plain("merchantId", None, &NUMBER)?,
        channel: fields.plain("channel", Some("EC"), &WORD)?,
        auth1: fields.required("auth1", &HEADER)?,
        auth2: fields.required("auth2", &HEADER)?,
        identity: fields.identity()?,
        has_3ds: fields.plain("threeDSecure", Some("no"), &YES_OR_NO)? == "yes",
        has_vault: fields.plain("dataVault", Some("no"), &YES_OR_NO)? == "yes",
        takes_one_refund: fields.optional("refunds", &ONCE)?.is_some(),
        phone: fields.plain("customerServicePhone", Some(""), &PRINTED)?,
        shop: fields.plain("shopUrl", Some(""), &PRINTED)?,
    };
    if fields.0.is_empty() { Ok(account) } else { Err(Unknown) }
}

/// Fields that are not parsed yet.
struct Fields(BTreeMap<String, Secret>);

impl Fields {
    fn required(&mut self, name: &'static str, rule: &Rule) -> Result<Zeroizing<String>, CredentialFault> {
        let mut secret = self.0.remove(name).ok_or(Missing(name))?;
        if (rule.is_valid)(&secret.0) { Ok(mem::take(&mut secret.0)) } else { Err(Invalid(name, rule.text)) }
    }

    /// Removes a text that is not secret.
    fn plain(&mut self, name: &'static str, default: Option<&str>, rule: &Rule) -> Result<String, CredentialFault> {
        match (self.0.contains_key(name), default) {
            (false, Some(default)) => Ok(default.to_owned()),
            _ => self.required(name, rule).map(|it| it.to_string()),
        }
    }

    fn optional(&mut self, name: &'static str, rule: &Rule) -> Result<Option<Zeroizing<String>>, CredentialFault> {
        self.0.contains_key(name).then(|| self.required(name, rule)).transpose()
    }

    /// Returns the certificate chain and the key, concatenated.
    fn identity(&mut self) -> Result<Zeroizing<Vec<u8>>, CredentialFault> {
        let certificate = self.required("certificate", &CERTIFICATE)?;
        let key = self.required("privateKey", &KEY)?;
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

/// Whether the text is PEM of certificates alone, and the first of them is readable and of version 3: TLS clients
/// cannot use an older version.
fn is_certificate(text: &str) -> bool {
    let blocks: Result<Vec<Pem>, _> = Pem::iter_from_buffer(text.as_bytes()).collect();
    let blocks = blocks.unwrap_or_default();
    blocks.iter().all(|it| it.label == "CERTIFICATE")
        && blocks.first().is_some_and(|it| it.parse_x509().is_ok_and(|it| it.version() == X509Version::V3))
}

/// Whether the text looks like a private key. The TLS client checks the key itself.
fn is_key(text: &str) -> bool {
    let begins = text.trim_start().strip_prefix("-----BEGIN ");
    let label = begins.and_then(|it| it.split_once("-----")).map(|(label, _)| label);
    label.is_some_and(|it| it.ends_with("PRIVATE KEY")) && text.matches("-----BEGIN ").count() == 1
}
