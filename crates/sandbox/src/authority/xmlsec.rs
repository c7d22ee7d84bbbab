//! Signature checks by an independent program.

use std::process::{Command, Stdio};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::text::{UnsupportedEncoding, decode_xml};
use ports::{DocumentSigner, Signatory, SignatureInvalid, SignedXml, SigningFailed, SigningIdentity};
use x509_parser::{parse_x509_certificate, time::ASN1Time};

use super::{element, parsed, schemas::succeeds};
use crate::blocking::run_blocking;

/// The command `xmlsec1` as a verifier, independent of the signing code. Signing is not supported.
#[derive(Clone, Copy, Debug)]
pub struct Xmlsec(());

impl Xmlsec {
    /// Returns the verifier, if the command is installed.
    pub fn find() -> Option<Self> {
        let status = Command::new("xmlsec1").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|it| it.success()).then_some(Self(()))
    }
}

#[async_trait]
impl DocumentSigner for Xmlsec {
    async fn sign(&self, _identity: &SigningIdentity, _document: String) -> Result<SignedXml, SigningFailed> {
        Err(SigningFailed("who verifies does not sign".into()))
    }

    async fn verify(&self, document: &[u8]) -> Result<Signatory, SignatureInvalid> {
        let document = document.to_vec();
        let verified = run_blocking(true, move || verify(&document)).await;
        verified.unwrap_or(Err(SignatureInvalid { reason: "the verification was interrupted" }))
    }
}

fn verify(document: &[u8]) -> Result<Signatory, SignatureInvalid> {
    let invalid = |reason| SignatureInvalid { reason };
    let document = decode_xml(document).map_err(|UnsupportedEncoding(reason)| invalid(reason))?;
    let document = document.as_bytes();
    let root = element::read(document).map_err(|it| invalid(it.0))?;
    let signature = root.children.last().filter(|it| it.name == "Signature");
    let signature = signature.ok_or(invalid("the signature is not the last element"))?;
    let certificate = parsed::certificate(signature).map_err(|it| invalid(it.0))?;

    let mut command = Command::new("xmlsec1");
    // Checks the whole document by its own certificate, without the certificate chain.
    command.args(["--verify", "--insecure", "--enabled-reference-uris", "empty", "--enabled-key-data", "x509", "-"]);
    if !succeeds(command, document) {
        return Err(invalid("the document or its signature was altered"));
    }
    signatory(certificate).ok_or(invalid("the certificate cannot be read"))
}

fn signatory(certificate: Vec<u8>) -> Option<Signatory> {
    let (_, parsed) = parse_x509_certificate(&certificate).ok()?;
    let instant = |it: ASN1Time| DateTime::<Utc>::from_timestamp(it.timestamp(), 0);
    let (subject, validity) = (parsed.subject().to_string(), parsed.validity());
    let (not_before, not_after) = (instant(validity.not_before)?, instant(validity.not_after)?);
    Some(Signatory { subject, certificate, not_before, not_after })
}
