//! The one form of signature that the tax authority knows.
//!
//! Enveloped XMLDSig over the whole document, last child of its root, without namespace prefix
//! and without white space; nothing from XAdES, no time stamp, no `KeyValue`. The authority strips
//! white space between elements before it verifies, so a signature that has none is safe.

pub(crate) const NAMESPACE: &str = "http://www.w3.org/2000/09/xmldsig#";
pub(crate) const CANONICALIZATION: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
pub(crate) const SIGNATURE_METHOD: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
pub(crate) const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
pub(crate) const DIGEST_METHOD: &str = "http://www.w3.org/2001/04/xmlenc#sha256";

/// The signature before it is made: digest and value are empty, `certificate` is base64.
///
/// Start and end tags stand apart because that is how canonical XML writes an empty element:
/// what is signed can then be read in the document itself.
pub(crate) fn unsigned(certificate: &str) -> String {
    [
        &open("Signature", "xmlns", NAMESPACE),
        "<SignedInfo>",
        &empty("CanonicalizationMethod", CANONICALIZATION),
        &empty("SignatureMethod", SIGNATURE_METHOD),
        &open("Reference", "URI", ""),
        "<Transforms>",
        &empty("Transform", ENVELOPED),
        "</Transforms>",
        &empty("DigestMethod", DIGEST_METHOD),
        "<DigestValue></DigestValue>",
        "</Reference>",
        "</SignedInfo>",
        "<SignatureValue></SignatureValue>",
        "<KeyInfo><X509Data><X509Certificate>",
        certificate,
        "</X509Certificate></X509Data></KeyInfo>",
        "</Signature>",
    ]
    .concat()
}

/// The base64 text of the signature in a document that we signed.
pub(crate) fn signature_value(signed: &str) -> Option<&str> {
    let (_, from_value) = signed.rsplit_once("<SignatureValue>")?;
    let (value, _) = from_value.split_once("</SignatureValue>")?;
    Some(value)
}

fn open(element: &str, attribute: &str, value: &str) -> String {
    format!("<{element} {attribute}=\"{value}\">")
}

fn empty(element: &str, algorithm: &str) -> String {
    format!("{}</{element}>", open(element, "Algorithm", algorithm))
}
