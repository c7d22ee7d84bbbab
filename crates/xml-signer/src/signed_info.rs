//! `SignedInfo` with comments that are signed.

use bergshamra_c14n::{C14nMode, canonicalize_doc};
use bergshamra_xml::NodeSet;
use kryptering::{Error, SignatureAlgorithm, Verifier};
use uppsala::{Document, NodeKind};

use crate::{refusal::Refusal, rsa::PublicRsaKey, signature::Accepted};

/// Returns the canonical form of `SignedInfo` if the canonicalization method keeps its comments. The verification
/// library leaves them out, although XMLDSig (3.2.2 and 4.4.1) and `xmlsec1` sign them. `None` if there are none.
fn with_comments(document: &Document<'_>, signature: &Accepted) -> Result<Option<Vec<u8>>, Refusal> {
    const METHOD: Refusal = Refusal("SignedInfo cannot be canonicalized");
    let method = document.element(signature.canonicalization).ok_or(METHOD)?;
    let mode = method.get_attribute("Algorithm").and_then(C14nMode::from_uri).ok_or(METHOD)?;
    let nodes = document.descendants(signature.signed_info);
    let has_comment = nodes.into_iter().any(|it| matches!(document.node_kind(it), Some(NodeKind::Comment(_))));
    if !mode.with_comments() || !has_comment {
        return Ok(None);
    }
    let parameters = document.children(signature.canonicalization).into_iter().filter_map(|it| document.element(it));
    let lists = parameters.filter_map(|it| it.get_attribute("PrefixList"));
    let prefixes: Vec<&str> = lists.flat_map(str::split_whitespace).collect();
    let nodes = NodeSet::tree_with_comments(signature.signed_info, document);
    canonicalize_doc(document, mode, Some(&nodes), &prefixes).map(Some).map_err(|_| METHOD)
}

/// Returns the verifier of a signature value, with the signer's key and no key that the document names.
pub(crate) fn verifier(
    document: &Document<'_>,
    signature: &Accepted,
    key: PublicRsaKey,
) -> Result<Box<dyn Verifier>, Refusal> {
    Ok(match with_comments(document, signature)? {
        Some(signed_info) => Box::new(CommentedVerifier { key, signed_info }),
        None => Box::new(key),
    })
}

/// Verifies a signature over `SignedInfo` with comments.
struct CommentedVerifier {
    key: PublicRsaKey,
    signed_info: Vec<u8>,
}

impl Verifier for CommentedVerifier {
    fn algorithm(&self) -> SignatureAlgorithm {
        self.key.algorithm()
    }

    /// The data is `SignedInfo` without the comments.
    fn verify(&self, _data: &[u8], signature: &[u8]) -> Result<bool, Error> {
        self.key.verify(&self.signed_info, signature)
    }
}
