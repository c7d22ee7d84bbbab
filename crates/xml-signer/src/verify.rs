use bergshamra_dsig::{DsigContext, verify::verify_document_with_source};
use bergshamra_keys::KeysManager;
use domain::text::{UnsupportedEncoding, decode_xml};
use ports::{Signatory, SignatureInvalid};

use crate::{certificate::Certificate, document, refusal::Refusal, signature, signed_info};

/// Verifies the signature of a document as received, and returns the signer. Documents in other encodings are decoded
/// first, because canonical XML is UTF-8.
///
/// The caller checks the trust and the validity of the certificate.
pub(crate) fn verify(bytes: &[u8]) -> Result<Signatory, SignatureInvalid> {
    let text = decode_xml(bytes).map_err(|UnsupportedEncoding(reason)| Refusal(reason))?;
    // The library verifies the same parsed document that was checked.
    let document = document::parse(&text)?;
    let signature = signature::check(&document)?;
    let Certificate { subject, not_before, not_after, public_key, .. } = Certificate::parse(&signature.certificate)?;

    // The only key is that of the certificate: no key in the document is used.
    let verifier = signed_info::verifier(&document, &signature, public_key)?;
    let context = DsigContext::new(KeysManager::new()).with_hsm_verifier(verifier);
    match verify_document_with_source(&context, &document, Some(&text)) {
        Ok(result) if result.all_reference_digests_verified() => {
            Ok(Signatory { subject, certificate: signature.certificate, not_before, not_after })
        }
        _ => Err(Refusal("the document or its signature was altered").into()),
    }
}
