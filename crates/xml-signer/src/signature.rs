use base64::{Engine, engine::general_purpose::STANDARD};
use uppsala::{Document, NodeId, NodeKind};

use crate::{document::is_signature, profile, refused::Refused};

/// The certificate, DER, that the one signature of a document names as its signer's.
///
/// Everything about the signature that arithmetic does not prove is decided here: that it is
/// alone, where it stands, that it covers the whole document, and by which algorithms. A library
/// that is asked to verify would follow what the document says.
pub(crate) fn certificate(document: &Document<'_>) -> Result<Vec<u8>, Refused> {
    let signature = the_only_one(document)?;
    let form = Form { document };

    let [signed_info, value, key_info] = form.children(signature, ["SignedInfo", "SignatureValue", "KeyInfo"])?;
    let [canonicalization, method, reference] =
        form.children(signed_info, ["CanonicalizationMethod", "SignatureMethod", "Reference"])?;
    let [transforms, digest_method, digest] =
        form.children(reference, ["Transforms", "DigestMethod", "DigestValue"])?;
    let [transform] = form.children(transforms, ["Transform"])?;

    form.attribute(reference, "URI", "")?;
    form.algorithm(canonicalization, profile::CANONICALIZATION)?;
    form.algorithm(method, profile::SIGNATURE_METHOD)?;
    form.algorithm(transform, profile::ENVELOPED)?;
    form.algorithm(digest_method, profile::DIGEST_METHOD)?;
    form.text(digest)?;
    form.text(value)?;
    form.certificate(key_info)
}

fn the_only_one(document: &Document<'_>) -> Result<NodeId, Refused> {
    let all = document.descendants(document.root());
    let mut signatures = all.into_iter().filter(|&node| is_signature(document, node));
    let signature = signatures.next().ok_or(Refused("the document is not signed"))?;
    if signatures.next().is_some() {
        return Err(Refused("the document has more than one signature"));
    }

    let root = document.document_element().ok_or(FORM)?;
    let last = document.children(root).into_iter().rfind(|&node| document.element(node).is_some());
    if last != Some(signature) {
        return Err(Refused("the signature is not the last child of the root"));
    }
    if !document.element(signature).is_some_and(|it| it.matches_name_ns(profile::NAMESPACE, "Signature")) {
        return Err(FORM);
    }
    Ok(signature)
}

const FORM: Refused = Refused("the signature is not of the authority's form");

/// Compares a signature with the profile, element by element.
struct Form<'a> {
    document: &'a Document<'a>,
}

impl Form<'_> {
    /// The children of an element: these, in this order, with nothing but white space between.
    fn children<const N: usize>(&self, parent: NodeId, names: [&str; N]) -> Result<[NodeId; N], Refused> {
        let mut children = self.document.children(parent);
        children.retain(|&node| !self.is_white_space(node));

        let children: [NodeId; N] = children.try_into().map_err(|_| FORM)?;
        let is_named = |(&node, name): (&NodeId, &str)| {
            self.document.element(node).is_some_and(|it| it.matches_name_ns(profile::NAMESPACE, name))
        };
        if children.iter().zip(names).all(is_named) { Ok(children) } else { Err(FORM) }
    }

    fn is_white_space(&self, node: NodeId) -> bool {
        matches!(self.document.node_kind(node), Some(NodeKind::Text(text)) if text.trim().is_empty())
    }

    /// The element has this attribute and no other.
    fn attribute(&self, node: NodeId, name: &str, value: &str) -> Result<(), Refused> {
        match self.document.element(node).map(|it| it.attributes.as_slice()) {
            Some([it]) if it.name.matches(None, name) && it.value == value => Ok(()),
            _ => Err(FORM),
        }
    }

    fn algorithm(&self, node: NodeId, algorithm: &str) -> Result<(), Refused> {
        let [] = self.children(node, [])?;
        self.attribute(node, "Algorithm", algorithm).map_err(|_| Refused("the signature uses another algorithm"))
    }

    /// The text of an element that has nothing else: readers that stop at the first piece of text
    /// and readers that join all pieces see the same.
    fn text(&self, node: NodeId) -> Result<&str, Refused> {
        match self.document.children(node).as_slice() {
            [only] => match self.document.node_kind(*only) {
                Some(NodeKind::Text(text)) => Ok(text),
                _ => Err(FORM),
            },
            _ => Err(FORM),
        }
    }

    /// The signer's certificate. Other hints may stand beside it: they prove nothing, and are not read.
    fn certificate(&self, key_info: NodeId) -> Result<Vec<u8>, Refused> {
        let is_certificate = |node: &NodeId| {
            self.document.element(*node).is_some_and(|it| it.matches_name_ns(profile::NAMESPACE, "X509Certificate"))
        };
        let mut found = self.document.descendants(key_info).into_iter().filter(is_certificate);
        let (Some(certificate), None) = (found.next(), found.next()) else {
            return Err(Refused("the signature does not carry exactly one certificate"));
        };

        let mut base64 = self.text(certificate)?.to_owned();
        base64.retain(|it| !it.is_ascii_whitespace());
        STANDARD.decode(base64).map_err(|_| FORM)
    }
}
