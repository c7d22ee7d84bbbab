use uppsala::{Document, Element, NodeId, NodeKind, Parser};

use crate::{limits, refusal::Refusal};

const MALFORMED: Refusal = Refusal("the document is not well-formed XML, or has a DOCTYPE");

/// Parses a document. Refuses content that readers interpret differently.
///
/// A signature covers what canonical XML retains: comments are dropped and entities are replaced. With a comment inside
/// a text, a reader could return only the first half of a signed amount, so comments are accepted only between
/// elements.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, Refusal> {
    limits::check(text)?;
    let document = parse_canonical(text)?;

    let declared = document.xml_declaration.as_ref();
    if declared.is_some_and(|it| it.version != "1.0") {
        return Err(Refusal("the document is not XML 1.0"));
    }
    if declared.and_then(|it| it.encoding.as_ref()).is_some_and(|it| !it.eq_ignore_ascii_case("utf-8")) {
        return Err(Refusal("the document declares another encoding than UTF-8"));
    }

    let mut has_comment = false;
    for node in nodes(&document) {
        match document.node_kind(node) {
            Some(NodeKind::Comment(_) | NodeKind::ProcessingInstruction(_)) => has_comment = true,
            Some(NodeKind::Element(element)) if has_line_break_in_attribute(element) => {
                return Err(Refusal("the document has a tab or a line break in an attribute"));
            }
            _ => {}
        }
    }
    if has_comment && nodes(&document).any(|node| splits_text(&document, node)) {
        return Err(Refusal("a comment or a processing instruction of the document splits a text"));
    }
    Ok(document)
}

/// Parses the output of a canonicalization, which was checked before.
pub(crate) fn parse_canonical(text: &str) -> Result<Document<'_>, Refusal> {
    Parser::new().with_forbid_dtd(true).parse(text).map_err(|_| MALFORMED)
}

/// Returns all nodes of a document as parsed, in the order of the document.
pub(crate) fn nodes(document: &Document<'_>) -> impl Iterator<Item = NodeId> {
    // The parser numbers the nodes in this order.
    (0..).map(NodeId::new).take_while(|&node| document.node_kind(node).is_some())
}

/// Whether an attribute or a namespace has a tab or a line break: parsers differ on which white space they normalize.
fn has_line_break_in_attribute(element: &Element<'_>) -> bool {
    let namespaces = element.namespace_declarations.iter().map(|(_, uri)| uri);
    element.attributes.iter().map(|it| &it.value).chain(namespaces).any(|value| value.contains(['\t', '\n', '\r']))
}

/// Whether a node has a comment or a processing instruction next to text other than white space.
fn splits_text(document: &Document<'_>, node: NodeId) -> bool {
    let (mut has_text, mut has_other) = (false, false);
    for child in document.children_iter(node) {
        match document.node_kind(child) {
            Some(NodeKind::Text(text) | NodeKind::CData(text)) => has_text |= !text.trim().is_empty(),
            Some(NodeKind::Comment(_) | NodeKind::ProcessingInstruction(_)) => has_other = true,
            _ => {}
        }
    }
    has_text && has_other
}

/// Returns the position right before the end tag of a document to be signed, which has content, and no comment or
/// signature.
pub(crate) fn end_of_content(document: &Document<'_>) -> Result<usize, Refusal> {
    for node in nodes(document) {
        match document.node_kind(node) {
            Some(NodeKind::Comment(_)) => return Err(Refusal("the document has a comment")),
            Some(NodeKind::ProcessingInstruction(_)) => {
                return Err(Refusal("the document has a processing instruction"));
            }
            _ if is_signature(document, node) => return Err(Refusal("the document is signed already")),
            _ => {}
        }
    }

    let root = document.document_element().and_then(|it| document.node_range(it));
    let root = root.and_then(|range| document.input_text().get(..range.end)).unwrap_or_default();
    if root.ends_with("/>") {
        return Err(Refusal("the document is empty"));
    }
    root.rfind("</").ok_or(Refusal("the document has no end"))
}

/// Whether a node is a `Signature` element in any namespace.
pub(crate) fn is_signature(document: &Document<'_>, node: NodeId) -> bool {
    document.element(node).is_some_and(|it| it.name.local_name == "Signature")
}
