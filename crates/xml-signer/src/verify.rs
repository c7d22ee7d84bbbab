use aws_lc_rs::digest::{SHA256, digest};
use domain::text::{UnsupportedEncoding, decode_xml};
use ports::{Signatory, SignatureInvalid};
use uppsala::Document;

use crate::{
    canonical::Method,
    certificate::Certificate,
    document,
    refusal::Refusal,
    signature::{self, ALTERED, Accepted},
};

/// Verifies the signature of a document as received, and returns the signer. Documents in other encodings are decoded
/// first, because canonical XML is UTF-8.
///
/// The caller checks the trust and the validity of the certificate.
pub(crate) fn verify(bytes: &[u8]) -> Result<Signatory, SignatureInvalid> {
    let text = decode_xml(bytes).map_err(|UnsupportedEncoding(reason)| Refusal(reason))?;
    let document = document::parse(&text)?;
    let signature = signature::check(&document)?;
    // The only key is that of the certificate: no other key in the document is used.
    let Certificate { subject, not_before, not_after, public_key, .. } = Certificate::parse(&signature.certificate)?;

    let signed_info = signature.canonicalization.element(&document, signature.signed_info);
    let covered = covered_content(&document, &signature)?;
    let is_digest_right = digest(&SHA256, covered.as_bytes()).as_ref() == signature.digest;
    if !is_digest_right || !public_key.verifies(signed_info.as_bytes(), &signature.value) {
        return Err(ALTERED.into());
    }
    Ok(Signatory { subject, certificate: signature.certificate, not_before, not_after })
}

/// Returns the bytes that the digest covers: the document without the signature, after the canonicalizations among the
/// transforms. Without any of them it is canonicalized by the default method (XMLDSig 4.4.3.2).
fn covered_content(document: &Document<'_>, signature: &Accepted<'_>) -> Result<String, Refusal> {
    let default = [Method::default()];
    let methods = if signature.transforms.is_empty() { &default[..] } else { &signature.transforms };
    let mut content = String::new();
    for (index, method) in methods.iter().enumerate() {
        content = match index {
            0 => method.document(document, Some(signature.node)),
            _ => method.document(&document::parse_canonical(&content)?, None),
        };
    }
    Ok(content)
}
