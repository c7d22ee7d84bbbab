use bergshamra_dsig::{DsigContext, verify::verify_document_with_source};
use bergshamra_keys::KeysManager;
use ports::{Signatory, SignatureInvalid};

use crate::{certificate::Certificate, document, refused::Refused, signature};

/// Whether the signature holds over the document exactly as it was received, and whose it is.
///
/// Whether the signer may be trusted, and the certificate was in force, is for the caller to say.
pub(crate) fn verify(bytes: &[u8]) -> Result<Signatory, SignatureInvalid> {
    let text = std::str::from_utf8(bytes).map_err(|_| Refused("the document is not UTF-8"))?;
    // Parsed once: what is checked here is what the library computes with.
    let document = document::parse(text)?;
    let certificate = signature::certificate(&document)?;
    let Certificate { subject, not_before, not_after, public_key, .. } = Certificate::parse(&certificate)?;

    // No keys to choose from: the verifier is the certificate's key, whatever the document says.
    let context = DsigContext::new(KeysManager::new()).with_hsm_verifier(Box::new(public_key));
    match verify_document_with_source(&context, &document, Some(text)) {
        Ok(result) if result.all_reference_digests_verified() => {
            Ok(Signatory { subject, certificate, not_before, not_after })
        }
        _ => Err(Refused("the document or its signature was altered").into()),
    }
}
