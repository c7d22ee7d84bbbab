//! The form of signature that the tax authority asks for, and the variants of it that other systems write.
//!
//! Ours is enveloped XMLDSig over the whole document, last child of its root, without namespace prefix
//! and without white space; nothing from XAdES, no time stamp, no `KeyValue`. The authority strips
//! white space between elements before it verifies, so a signature that has none is safe.

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

/// The texts of a signature, each in base64; digest and value are empty before it is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts<'a> {
    pub(crate) digest: &'a str,
    pub(crate) value: &'a str,
    pub(crate) certificate: &'a str,
}

impl<'a> Texts<'a> {
    /// The signature of a document.
    ///
    /// Start and end tags stand apart because that is how canonical XML writes an empty element:
    /// what is signed can then be read in the document itself.
    pub(crate) fn written(self) -> String {
        let head = ["<Signature xmlns=\"", NAMESPACE, "\"><SignedInfo>"];
        let tail = [
            "<SignatureValue>",
            self.value,
            "</SignatureValue><KeyInfo><X509Data><X509Certificate>",
            self.certificate,
            "</X509Certificate></X509Data></KeyInfo></Signature>",
        ];
        [&head[..], &signed_info(self.digest), &tail].concat().concat()
    }

    /// What the private key signs: `SignedInfo` in its canonical form.
    pub(crate) fn signed(self) -> String {
        let head = ["<SignedInfo xmlns=\"", NAMESPACE, "\">"];
        [&head[..], &signed_info(self.digest)].concat().concat()
    }

    /// The texts of a signature that is written so, and not otherwise.
    pub(crate) fn read(signature: &'a str) -> Option<Self> {
        let of = |element| text_of(element, signature);
        let texts =
            Self { digest: of("DigestValue")?, value: of("SignatureValue")?, certificate: of("X509Certificate")? };
        (texts.written() == signature).then_some(texts)
    }
}

/// The base64 text of the signature in a document that we signed.
pub(crate) fn signature_value(signed: &str) -> Option<&str> {
    let (_, from_value) = signed.rsplit_once("<SignatureValue>")?;
    let (value, _) = from_value.split_once("</SignatureValue>")?;
    Some(value)
}

/// All of `SignedInfo` but its start tag, in pieces.
const fn signed_info(digest: &str) -> [&str; 11] {
    [
        "<CanonicalizationMethod Algorithm=\"",
        CANONICALIZATION,
        "\"></CanonicalizationMethod><SignatureMethod Algorithm=\"",
        SIGNATURE_METHOD,
        "\"></SignatureMethod><Reference URI=\"\"><Transforms><Transform Algorithm=\"",
        ENVELOPED,
        "\"></Transform></Transforms><DigestMethod Algorithm=\"",
        DIGEST_METHOD,
        "\"></DigestMethod><DigestValue>",
        digest,
        "</DigestValue></Reference></SignedInfo>",
    ]
}

fn text_of<'a>(element: &str, within: &'a str) -> Option<&'a str> {
    let (_, from_text) = within.split_once(&*format!("<{element}>"))?;
    let (text, _) = from_text.split_once("</")?;
    Some(text)
}
