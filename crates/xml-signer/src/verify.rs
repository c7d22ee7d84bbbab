use std::sync::Arc;

use aws_lc_rs::{
    digest::{SHA256, digest},
    signature::ParsedPublicKey,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use bergshamra_dsig::{DsigContext, verify::verify_document_with_source};
use bergshamra_keys::KeysManager;
use domain::text::{UnsupportedEncoding, decode_xml};
use ports::{Signatory, SignatureInvalid};

use crate::{
    certificate::Certificate, document, plain, profile::Texts, recent::Recent, refused::Refused, signature, signed_info,
};

/// Whether the signature holds over the document exactly as it was received, and whose it is. Documents in other
/// encodings are decoded first: canonical XML is UTF-8 in any case.
///
/// Whether the signer may be trusted, and the certificate was in force, is for the caller to say.
pub(crate) fn verify(bytes: &[u8], signers: &Recent<KnownSigner>) -> Result<Signatory, SignatureInvalid> {
    if let Some(signatory) = verify_plain(bytes, signers) {
        return Ok(signatory);
    }
    let text = decode_xml(bytes).map_err(|UnsupportedEncoding(reason)| Refused(reason))?;
    // Parsed once: what is checked here is what the library computes with.
    let document = document::parse(&text)?;
    let signature = signature::check(&document)?;
    let Certificate { subject, not_before, not_after, public_key, .. } = Certificate::parse(&signature.certificate)?;

    // No keys to choose from: the verifier is the certificate's key, whatever the document says.
    let verifier = signed_info::verifier(&document, &signature, public_key)?;
    let context = DsigContext::new(KeysManager::new()).with_hsm_verifier(verifier);
    match verify_document_with_source(&context, &document, Some(&text)) {
        Ok(result) if result.all_reference_digests_verified() => {
            Ok(Signatory { subject, certificate: signature.certificate, not_before, not_after })
        }
        _ => Err(Refused("the document or its signature was altered").into()),
    }
}

/// Who signed plain documents before: the certificate as their signatures spell it, and what there is to know of it.
pub(crate) struct KnownSigner {
    base64: String,
    signatory: Signatory,
    key: ParsedPublicKey,
}

impl KnownSigner {
    fn read(base64: &str) -> Option<Self> {
        let der = STANDARD.decode(base64).ok()?;
        let Certificate { subject, not_before, not_after, public_key, .. } = Certificate::parse(&der).ok()?;
        let signatory = Signatory { subject, certificate: der, not_before, not_after };
        Some(Self { base64: base64.to_owned(), signatory, key: public_key.parsed()? })
    }
}

/// Who signed a plain document exactly as we do. `None` says nothing: what is written otherwise, or was altered, is to be
/// read as any XML is, which also tells why it is refused.
pub(crate) fn verify_plain(document: &[u8], signers: &Recent<KnownSigner>) -> Option<Signatory> {
    let text = std::str::from_utf8(document).ok()?;
    let (signature, end) = (text.rfind("<Signature ")?, text.rfind("</")?);
    let texts = Texts::read(text.get(signature..end)?)?;
    let canonical = plain::canonical(text.get(..signature)?, text.get(end..)?)?;
    if STANDARD.decode(texts.digest).ok()? != digest(&SHA256, canonical.as_bytes()).as_ref() {
        return None;
    }
    let known = signers.find(|it| it.base64 == texts.certificate);
    let signer = known.clone().or_else(|| KnownSigner::read(texts.certificate).map(Arc::new))?;
    signer.key.verify_sig(texts.signed().as_bytes(), &STANDARD.decode(texts.value).ok()?).ok()?;
    if known.is_none() {
        signers.keep(&signer);
    }
    Some(signer.signatory.clone())
}
