use base64::{Engine, engine::general_purpose::STANDARD};
use uppsala::{Document, NodeId, NodeKind};

use crate::{certificate::end_entity, document::is_signature, profile, refused::Refused};

/// Returns the DER certificate of the signer of the document's only signature.
///
/// Checks every property of the signature that cryptography does not prove: it is the only one, stands at the end of
/// the root, covers the whole document, and uses accepted algorithms. A verification library would trust the document
/// in all of these.
///
/// Accepts variants of the authority's profile that other systems write: each method of `CANONICALIZATIONS`, a second
/// transform with one of them, namespace prefixes, and a certificate chain.
pub(crate) fn certificate(document: &Document<'_>) -> Result<Vec<u8>, Refused> {
    let signature = the_only_one(document)?;
    let form = Form { document };

    let [signed_info, value, key_info] = form.children(signature, ["SignedInfo", "SignatureValue", "KeyInfo"])?;
    let [canonicalization, method, reference] =
        form.children(signed_info, ["CanonicalizationMethod", "SignatureMethod", "Reference"])?;
    let [transforms, digest_method, digest] =
        form.children(reference, ["Transforms", "DigestMethod", "DigestValue"])?;

    form.attribute(reference, "URI", "")?;
    form.canonicalization(canonicalization)?;
    form.algorithm(method, profile::SIGNATURE_METHOD)?;
    form.transforms(transforms)?;
    form.algorithm(digest_method, profile::DIGEST_METHOD)?;
    form.text(digest)?;
    form.text(value)?;
    form.signer(key_info)
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
const ALGORITHM: Refused = Refused("the signature uses another algorithm");
/// Maximum number of certificates in a signature: twice a signer's and those of three authorities.
const MAX_CERTIFICATES: usize = 8;

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

    /// The transforms are the enveloped signature, and optionally one canonicalization.
    fn transforms(&self, transforms: NodeId) -> Result<(), Refused> {
        if let Ok([enveloped]) = self.children(transforms, ["Transform"]) {
            return self.algorithm(enveloped, profile::ENVELOPED);
        }
        let [enveloped, canonicalization] = self.children(transforms, ["Transform", "Transform"])?;
        self.algorithm(enveloped, profile::ENVELOPED)?;
        self.canonicalization(canonicalization)
    }

    /// Accepts a canonicalization method. An exclusive one may list prefixes to treat inclusively.
    fn canonicalization(&self, node: NodeId) -> Result<(), Refused> {
        let algorithm = profile::CANONICALIZATIONS.iter().find(|uri| self.attribute(node, "Algorithm", uri).is_ok());
        let algorithm = algorithm.ok_or(ALGORITHM)?;
        let is_prefix_list = |node: &NodeId| {
            let element = self.document.element(*node);
            let is_named = element.is_some_and(|it| it.matches_name_ns(profile::EXCLUSIVE, "InclusiveNamespaces"));
            algorithm.starts_with(profile::EXCLUSIVE) && is_named && self.document.children(*node).is_empty()
        };
        let mut children = self.document.children(node);
        children.retain(|&child| !self.is_white_space(child));
        match children.as_slice() {
            [] => Ok(()),
            [only] if is_prefix_list(only) => Ok(()),
            _ => Err(FORM),
        }
    }

    fn algorithm(&self, node: NodeId, algorithm: &str) -> Result<(), Refused> {
        let [] = self.children(node, [])?;
        self.attribute(node, "Algorithm", algorithm).map_err(|_| ALGORITHM)
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

    /// Returns the signer's certificate: the only one of the chain that issued no other (XMLDSig 4.5.4). Other key
    /// information proves nothing and is ignored.
    fn signer(&self, key_info: NodeId) -> Result<Vec<u8>, Refused> {
        let is_certificate = |node: &NodeId| {
            self.document.element(*node).is_some_and(|it| it.matches_name_ns(profile::NAMESPACE, "X509Certificate"))
        };
        let nodes = self.document.descendants(key_info).into_iter().filter(is_certificate).take(MAX_CERTIFICATES + 1);
        let chain = nodes.map(|node| self.certificate(node)).collect::<Result<Vec<_>, _>>()?;
        if chain.len() > MAX_CERTIFICATES {
            return Err(Refused("the signature carries too many certificates"));
        }
        end_entity(chain)
    }

    fn certificate(&self, node: NodeId) -> Result<Vec<u8>, Refused> {
        let mut base64 = self.text(node)?.to_owned();
        base64.retain(|it| !it.is_ascii_whitespace());
        STANDARD.decode(base64).map_err(|_| FORM)
    }
}
