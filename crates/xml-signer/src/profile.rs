//! The form of signature that the tax authority requires, and the variants that other systems write.
//!
//! Our form is enveloped XMLDSig over the whole document, last child of the root, without namespace prefix and without
//! white space; no XAdES, no time stamp, no `KeyValue`. The authority removes white space between elements before the
//! verification, so a signature without white space is safe.

pub(crate) const NAMESPACE: &str = "http://www.w3.org/2000/09/xmldsig#";
pub(crate) const CANONICALIZATION: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
/// Canonicalization methods that other systems use: XML 1.0 and 1.1, inclusive and exclusive, with and without
/// comments.
pub(crate) const CANONICALIZATIONS: [&str; 6] = [
    CANONICALIZATION,
    "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
    "http://www.w3.org/2006/12/xml-c14n11",
    "http://www.w3.org/2006/12/xml-c14n11#WithComments",
    EXCLUSIVE,
    "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
];
/// Exclusive canonicalization; also the namespace of its `InclusiveNamespaces`.
pub(crate) const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
pub(crate) const SIGNATURE_METHOD: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
pub(crate) const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
pub(crate) const DIGEST_METHOD: &str = "http://www.w3.org/2001/04/xmlenc#sha256";

/// Returns a signature without digest and value.
///
/// Empty elements have an end tag, as in canonical XML, so that the signed text is readable in the document.
pub(crate) fn signature_template(certificate: &str) -> String {
    format!(
        "<Signature xmlns=\"{NAMESPACE}\"><SignedInfo>\
         <CanonicalizationMethod Algorithm=\"{CANONICALIZATION}\"></CanonicalizationMethod>\
         <SignatureMethod Algorithm=\"{SIGNATURE_METHOD}\"></SignatureMethod>\
         <Reference URI=\"\"><Transforms><Transform Algorithm=\"{ENVELOPED}\"></Transform></Transforms>\
         <DigestMethod Algorithm=\"{DIGEST_METHOD}\"></DigestMethod><DigestValue></DigestValue></Reference></SignedInfo>\
         <SignatureValue></SignatureValue><KeyInfo><X509Data><X509Certificate>{certificate}</X509Certificate></X509Data>\
         </KeyInfo></Signature>"
    )
}

/// Returns the signature of a document that we signed, in base64.
pub(crate) fn signature_value(signed: &str) -> Option<&str> {
    let (_, from_value) = signed.rsplit_once("<SignatureValue>")?;
    let (value, _) = from_value.split_once("</SignatureValue>")?;
    Some(value)
}
