//! The form of signature that the tax authority requires, and the variants that other systems write.
//!
//! Our form is enveloped XMLDSig over the whole document, last child of the root, without namespace prefix and without
//! white space; no XAdES, no time stamp, no `KeyValue`. The authority removes white space between elements before the
//! verification, so a signature without white space is safe.

use uppsala::{Element, QName};

pub(crate) const NAMESPACE: &str = "http://www.w3.org/2000/09/xmldsig#";
pub(crate) const CANONICALIZATION: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
/// Exclusive canonicalization; also the namespace of its `InclusiveNamespaces`.
pub(crate) const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
pub(crate) const SIGNATURE_METHOD: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
pub(crate) const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
pub(crate) const DIGEST_METHOD: &str = "http://www.w3.org/2001/04/xmlenc#sha256";

/// Returns `SignedInfo` with a digest in base64.
///
/// Empty elements have an end tag: apart from the start tag this is canonical XML already.
pub(crate) fn signed_info(digest: &str) -> String {
    format!(
        "<SignedInfo><CanonicalizationMethod Algorithm=\"{CANONICALIZATION}\"></CanonicalizationMethod>\
         <SignatureMethod Algorithm=\"{SIGNATURE_METHOD}\"></SignatureMethod>\
         <Reference URI=\"\"><Transforms><Transform Algorithm=\"{ENVELOPED}\"></Transform></Transforms>\
         <DigestMethod Algorithm=\"{DIGEST_METHOD}\"></DigestMethod><DigestValue>{digest}</DigestValue></Reference>\
         </SignedInfo>"
    )
}

/// Returns the element `SignedInfo` as the signature declares its namespace.
pub(crate) fn signed_info_element() -> Element<'static> {
    Element {
        name: QName::with_namespace(NAMESPACE, "SignedInfo"),
        attributes: Vec::new(),
        namespace_declarations: vec![("".into(), NAMESPACE.into())],
    }
}

/// Returns the signature with this `SignedInfo`, the value and the certificate, both in base64.
pub(crate) fn signature(signed_info: &str, value: &str, certificate: &str) -> String {
    format!(
        "<Signature xmlns=\"{NAMESPACE}\">{signed_info}<SignatureValue>{value}</SignatureValue><KeyInfo><X509Data>\
         <X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo></Signature>"
    )
}
