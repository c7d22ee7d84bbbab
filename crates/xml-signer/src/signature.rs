use base64::{Engine, engine::general_purpose::STANDARD};
use uppsala::{Document, NodeId, NodeKind};

use crate::{
    canonical::Method,
    certificate::end_entity,
    document::{is_signature, nodes},
    profile,
    refusal::Refusal,
};

/// A signature in an accepted form.
pub(crate) struct Accepted<'a> {
    /// The element `Signature`.
    pub(crate) node: NodeId,
    pub(crate) signed_info: NodeId,
    /// Canonicalization method of `SignedInfo`.
    pub(crate) canonicalization: Method<'a>,
    /// Canonicalizations of the document, after the removal of the signature.
    pub(crate) transforms: Vec<Method<'a>>,
    pub(crate) digest: Vec<u8>,
    pub(crate) value: Vec<u8>,
    /// DER certificate of the signer.
    pub(crate) certificate: Vec<u8>,
}

/// The signature has an accepted form, but does not belong to the document or to the certificate.
pub(crate) const ALTERED: Refusal = Refusal("the document or its signature was altered");

/// Returns the parts of the document's only signature.
///
/// Checks every property of the signature that cryptography does not prove: it is the only one, stands at the end of
/// the root, covers the whole document with one reference, and uses accepted algorithms.
///
/// Accepts variants of the authority's profile that other systems write: each canonicalization [`Method`], further
/// transforms with them, namespace prefixes, comments between elements, `Object` elements and a certificate chain.
/// `Object` is not covered by the signature, and no reader uses the content.
pub(crate) fn check<'a>(document: &'a Document<'a>) -> Result<Accepted<'a>, Refusal> {
    let node = only_signature(document)?;
    let form = Form { document };

    let parts = form.elements(node)?;
    let (required, objects) = parts.split_at_checked(3).ok_or(PARTS)?;
    let [signed_info, value, key_info] =
        form.named(required, ["SignedInfo", "SignatureValue", "KeyInfo"]).ok_or(PARTS)?;
    if !objects.iter().all(|&node| form.is_named(node, "Object")) {
        return Err(PARTS);
    }
    let (canonicalization, method, reference) = form.signed_info(signed_info)?;

    let canonicalization = form.canonicalization(canonicalization)?;
    form.algorithm(method, profile::SIGNATURE_METHOD).map_err(|_| Refusal("the signature method is not rsa-sha256"))?;
    let (transforms, digest) = form.reference(reference)?;
    let value = form.base64(value, ALTERED)?;
    let certificate = form.signer(key_info)?;
    Ok(Accepted { node, signed_info, canonicalization, transforms, digest, value, certificate })
}

fn only_signature(document: &Document<'_>) -> Result<NodeId, Refusal> {
    let mut signatures = nodes(document).filter(|&node| is_signature(document, node));
    let signature = signatures.next().ok_or(Refusal("the document is not signed"))?;
    if signatures.next().is_some() {
        return Err(Refusal("the document has more than one signature"));
    }

    const LAST: Refusal = Refusal("the signature is not the last child of the root");
    let root = document.document_element().ok_or(LAST)?;
    let last = document.children_iter(root).rfind(|&node| document.element(node).is_some());
    if last != Some(signature) {
        return Err(LAST);
    }
    if !document.element(signature).is_some_and(|it| it.matches_name_ns(profile::NAMESPACE, "Signature")) {
        return Err(Refusal("the signature is not in the namespace of XMLDSig"));
    }
    Ok(signature)
}

const PARTS: Refusal =
    Refusal("the signature does not consist of SignedInfo, SignatureValue, KeyInfo and optional Object elements");
const SIGNED_INFO: Refusal =
    Refusal("SignedInfo does not consist of CanonicalizationMethod, SignatureMethod and Reference");
const REFERENCE: Refusal =
    Refusal("the Reference of the signature does not consist of Transforms, DigestMethod and DigestValue");
const METHOD: Refusal = Refusal("an algorithm of the signature has an unknown attribute or parameter");
/// Maximum number of certificates in a signature: twice a chain of a signer's certificate and three CA certificates.
const MAX_CERTIFICATES: usize = 8;
/// Maximum number of canonicalizations among the transforms: each one parses the whole document again.
const MAX_CANONICALIZATIONS: usize = 4;

/// Compares a signature with the profile, element by element.
struct Form<'a> {
    document: &'a Document<'a>,
}

impl<'a> Form<'a> {
    /// Returns the child elements. Comments, processing instructions and white space between elements are accepted.
    fn elements(&self, parent: NodeId) -> Result<Vec<NodeId>, Refusal> {
        let mut children = self.document.children(parent);
        children.retain(|&node| !self.is_ignored(node));
        match children.iter().all(|&node| self.document.element(node).is_some()) {
            true => Ok(children),
            false => Err(Refusal("the signature has text between elements")),
        }
    }

    fn is_ignored(&self, node: NodeId) -> bool {
        match self.document.node_kind(node) {
            Some(NodeKind::Text(text)) => text.trim().is_empty(),
            Some(NodeKind::Comment(_) | NodeKind::ProcessingInstruction(_)) => true,
            _ => false,
        }
    }

    /// Returns the elements if they have these names, in this order.
    fn named<const N: usize>(&self, elements: &[NodeId], names: [&str; N]) -> Option<[NodeId; N]> {
        let elements: [NodeId; N] = elements.try_into().ok()?;
        elements.iter().zip(names).all(|(&node, name)| self.is_named(node, name)).then_some(elements)
    }

    fn is_named(&self, node: NodeId, name: &str) -> bool {
        self.document.element(node).is_some_and(|it| it.matches_name_ns(profile::NAMESPACE, name))
    }

    /// Returns canonicalization method, signature method and the only reference.
    fn signed_info(&self, signed_info: NodeId) -> Result<(NodeId, NodeId, NodeId), Refusal> {
        let elements = self.elements(signed_info)?;
        let (methods, references) = elements.split_at_checked(2).ok_or(SIGNED_INFO)?;
        let [canonicalization, method] =
            self.named(methods, ["CanonicalizationMethod", "SignatureMethod"]).ok_or(SIGNED_INFO)?;
        match references {
            [only] if self.is_named(*only, "Reference") => Ok((canonicalization, method, *only)),
            [_, _, ..] => Err(Refusal("the signature has more than one Reference")),
            _ => Err(SIGNED_INFO),
        }
    }

    /// Returns canonicalizations and digest of a reference to the whole document without the signature. `Id` and `Type`
    /// have no effect on it.
    fn reference(&self, reference: NodeId) -> Result<(Vec<Method<'a>>, Vec<u8>), Refusal> {
        let attributes = self.document.element(reference).map(|it| it.attributes.as_slice()).unwrap_or_default();
        if !attributes.iter().all(|it| ["URI", "Id", "Type"].iter().any(|name| it.name.matches(None, name))) {
            return Err(Refusal("the Reference of the signature has an attribute other than URI, Id and Type"));
        }
        let uri = attributes.iter().find(|it| it.name.matches(None, "URI")).map(|it| &*it.value);
        match uri.ok_or(Refusal("the Reference of the signature has no URI"))? {
            "" => {}
            uri if uri.starts_with("#xpointer") => {
                return Err(Refusal("the Reference of the signature is an XPointer instead of an empty URI"));
            }
            uri if uri.starts_with('#') => {
                return Err(Refusal("the Reference of the signature is to one element instead of the whole document"));
            }
            _ => return Err(Refusal("the Reference of the signature is to another document")),
        }

        let [transforms, digest_method, digest] =
            self.named(&self.elements(reference)?, ["Transforms", "DigestMethod", "DigestValue"]).ok_or(REFERENCE)?;
        let transforms = self.transforms(transforms)?;
        let is_sha256 = self.algorithm(digest_method, profile::DIGEST_METHOD);
        is_sha256.map_err(|_| Refusal("the digest method of the signature is not sha256"))?;
        Ok((transforms, self.base64(digest, ALTERED)?))
    }

    /// Returns the URI of the algorithm of an element that has no other attribute.
    fn algorithm_of(&self, node: NodeId) -> Result<&'a str, Refusal> {
        match self.document.element(node).map(|it| it.attributes.as_slice()) {
            Some([it]) if it.name.matches(None, "Algorithm") => Ok(&it.value),
            _ => Err(METHOD),
        }
    }

    /// Accepts the enveloped signature once, then returns the canonicalizations. XPath and XSLT could leave out a part of the
    /// document. After a canonicalization the position of the signature is lost.
    fn transforms(&self, transforms: NodeId) -> Result<Vec<Method<'a>>, Refusal> {
        let elements = self.elements(transforms)?;
        if !elements.iter().all(|&node| self.is_named(node, "Transform")) {
            return Err(Refusal("the transforms of the signature have an unknown element"));
        }
        let Some((&enveloped, canonicalizations)) = elements.split_first() else {
            return Err(Refusal("the signature has no transform enveloped-signature"));
        };
        let is_enveloped = |node: NodeId| self.algorithm_of(node).is_ok_and(|uri| uri == profile::ENVELOPED);
        if canonicalizations.iter().any(|&node| is_enveloped(node)) {
            return Err(Refusal("the transform enveloped-signature is repeated or is not the first"));
        }
        let methods = canonicalizations.iter().map(|&node| {
            self.canonicalization(node).map_err(|refused| match refused {
                CANONICALIZATION => Refusal("a transform is neither enveloped-signature nor a canonicalization"),
                other => other,
            })
        });
        let methods = methods.collect::<Result<Vec<_>, _>>()?;
        if canonicalizations.len() > MAX_CANONICALIZATIONS {
            return Err(Refusal("the signature has more than four canonicalization transforms"));
        }
        let first = self.algorithm(enveloped, profile::ENVELOPED);
        first.map_err(|_| Refusal("the first transform of the signature is not enveloped-signature"))?;
        Ok(methods)
    }

    /// Returns a canonicalization method. An exclusive one may list prefixes to treat inclusively.
    fn canonicalization(&self, node: NodeId) -> Result<Method<'a>, Refusal> {
        let method = Method::from_uri(self.algorithm_of(node)?).ok_or(CANONICALIZATION)?;
        match self.elements(node)?.as_slice() {
            [] => Ok(method),
            &[only] if method.is_exclusive() && self.document.first_child(only).is_none() => {
                let element = self.document.element(only).ok_or(METHOD)?;
                let is_prefix_list = element.matches_name_ns(profile::EXCLUSIVE, "InclusiveNamespaces");
                let list = element.get_attribute("PrefixList").unwrap_or_default();
                if is_prefix_list { Ok(method.with_prefixes(list)) } else { Err(METHOD) }
            }
            _ => Err(METHOD),
        }
    }

    fn algorithm(&self, node: NodeId, algorithm: &str) -> Result<(), Refusal> {
        match self.elements(node)?.is_empty() && self.algorithm_of(node)? == algorithm {
            true => Ok(()),
            false => Err(METHOD),
        }
    }

    /// Returns the text of an element without other children: parsers that stop at the first text node and parsers that
    /// join all text nodes read the same.
    fn text(&self, node: NodeId) -> Result<&'a str, Refusal> {
        const TEXT: Refusal = Refusal("a value of the signature is not plain text");
        match self.document.children(node).as_slice() {
            [only] => match self.document.node_kind(*only) {
                Some(NodeKind::Text(text)) => Ok(text),
                _ => Err(TEXT),
            },
            _ => Err(TEXT),
        }
    }

    /// Returns the signer's certificate: the only one of the chain that issued no other (XMLDSig 4.5.4). Other key
    /// information is ignored.
    fn signer(&self, key_info: NodeId) -> Result<Vec<u8>, Refusal> {
        let descendants = self.document.descendants(key_info).into_iter();
        let nodes = descendants.filter(|&node| self.is_named(node, "X509Certificate")).take(MAX_CERTIFICATES + 1);
        let invalid = Refusal("a certificate of the signature is not base64");
        let chain = nodes.map(|node| self.base64(node, invalid)).collect::<Result<Vec<_>, _>>()?;
        if chain.len() > MAX_CERTIFICATES {
            return Err(Refusal("the signature carries too many certificates"));
        }
        end_entity(chain)
    }

    /// Decodes the text of an element, which may contain white space.
    fn base64(&self, node: NodeId, invalid: Refusal) -> Result<Vec<u8>, Refusal> {
        let mut base64 = self.text(node)?.to_owned();
        base64.retain(|it| !it.is_ascii_whitespace());
        STANDARD.decode(base64).map_err(|_| invalid)
    }
}

const CANONICALIZATION: Refusal = Refusal("the canonicalization method of the signature is not supported");
