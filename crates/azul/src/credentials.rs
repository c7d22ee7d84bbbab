//! What AZUL gave a merchant, as one JSON object of texts.

use std::{collections::BTreeMap, mem};

use domain::Mode;
use ports::CredentialFault::{self, Invalid, Missing, Unknown};
use serde::Deserialize;
use x509_parser::pem::Pem;
use zeroize::Zeroizing;

use crate::Account;

/// A text that is wiped when it is dropped.
#[derive(Default, Deserialize)]
#[serde(from = "String")]
struct Secret(Zeroizing<String>);

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

/// AZUL takes no more of the two texts that it prints.
const PRINTED: usize = 32;

/// The account that those credentials are of.
pub(crate) fn read(mode: Mode, version: u32, credentials: &[u8]) -> Result<Account, CredentialFault> {
    let mut fields = Fields(serde_json::from_slice(credentials).map_err(|_| Unknown)?);
    let account = Account {
        version,
        mode,
        store: fields.plain("merchantId", None, is_number)?,
        channel: fields.plain("channel", Some("EC"), is_word)?,
        auth1: fields.needed("auth1", is_header)?,
        auth2: fields.needed("auth2", is_header)?,
        identity: fields.identity()?,
        has_3ds: fields.plain("threeDSecure", Some("no"), |it| ["yes", "no"].contains(&it))? == "yes",
        phone: fields.plain("customerServicePhone", Some(""), is_printed)?,
        shop: fields.plain("shopUrl", Some(""), is_printed)?,
    };
    if fields.0.is_empty() { Ok(account) } else { Err(Unknown) }
}

/// Those that were not read yet.
struct Fields(BTreeMap<String, Secret>);

impl Fields {
    fn needed(&mut self, name: &'static str, is_valid: fn(&str) -> bool) -> Result<Zeroizing<String>, CredentialFault> {
        let mut secret = self.0.remove(name).ok_or(Missing(name))?;
        if is_valid(&secret.0) { Ok(mem::take(&mut secret.0)) } else { Err(Invalid(name)) }
    }

    /// A text that is no secret.
    fn plain(
        &mut self,
        name: &'static str,
        otherwise: Option<&str>,
        is_valid: fn(&str) -> bool,
    ) -> Result<String, CredentialFault> {
        match (self.0.contains_key(name), otherwise) {
            (false, Some(otherwise)) => Ok(otherwise.to_owned()),
            _ => self.needed(name, is_valid).map(|it| it.to_string()),
        }
    }

    /// The certificate with its chain, and the key after it.
    fn identity(&mut self) -> Result<Zeroizing<Vec<u8>>, CredentialFault> {
        let certificate = self.needed("certificate", is_certificate)?;
        let key = self.needed("privateKey", is_key)?;
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
    text.chars().count() <= PRINTED && !text.contains(['"', '\\']) && !text.chars().any(char::is_control)
}

/// Whether it is PEM of certificates alone, of which the first can be read.
fn is_certificate(text: &str) -> bool {
    let blocks: Result<Vec<Pem>, _> = Pem::iter_from_buffer(text.as_bytes()).collect();
    let blocks = blocks.unwrap_or_default();
    blocks.iter().all(|it| it.label == "CERTIFICATE") && blocks.first().is_some_and(|it| it.parse_x509().is_ok())
}

/// Whether it may be a key. Whether it is one, and that of the certificate, is seen where both are used.
fn is_key(text: &str) -> bool {
    let begins = text.trim_start().strip_prefix("-----BEGIN ");
    let label = begins.and_then(|it| it.split_once("-----")).map(|(label, _)| label);
    label.is_some_and(|it| it.ends_with("PRIVATE KEY")) && text.matches("-----BEGIN ").count() == 1
}
