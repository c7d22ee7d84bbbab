use uppsala::{Document, NodeKind, Parser};

use crate::{bounds, refused::Refused};

/// Reads a document that means the same to whoever reads it.
///
/// A signature covers what canonical XML keeps. Comments are dropped, entities are replaced, and
/// readers disagree about both: a document that has them can be signed as one thing and read as
/// another. None of the authority's documents has any.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, Refused> {
    bounds::check(text)?;
    let parser = Parser::new().with_forbid_dtd(true);
    let document = parser.parse(text).map_err(|_| Refused("the document is not well-formed XML, or has a DOCTYPE"))?;

    let declared = document.xml_declaration.as_ref();
    if declared.is_some_and(|it| it.version != "1.0") {
        return Err(Refused("the document is not XML 1.0"));
    }
    if declared.and_then(|it| it.encoding.as_ref()).is_some_and(|it| !it.eq_ignore_ascii_case("utf-8")) {
        return Err(Refused("the document declares another encoding than UTF-8"));
    }

    for node in document.descendants(document.root()) {
        match document.node_kind(node) {
            Some(NodeKind::Comment(_)) => return Err(Refused("the document has a comment")),
            Some(NodeKind::ProcessingInstruction(_)) => {
                return Err(Refused("the document has a processing instruction"));
            }
            // Parsers differ on which of them become spaces.
            Some(NodeKind::Element(it)) if it.attributes.iter().any(|it| it.value.contains(['\t', '\n', '\r'])) => {
                return Err(Refused("the document has a tab or a line break in an attribute"));
            }
            _ => {}
        }
    }
    Ok(document)
}

/// The place right before the end tag of the root.
pub(crate) fn end_of_content(text: &str) -> Result<usize, Refused> {
    let document = parse(text)?;
    if document.descendants(document.root()).into_iter().any(|it| is_signature(&document, it)) {
        return Err(Refused("the document is signed already"));
    }

    let root = document.document_element().and_then(|it| document.node_range(it));
    let root = root.and_then(|range| text.get(..range.end)).unwrap_or_default();
    if root.ends_with("/>") {
        return Err(Refused("the document is empty"));
    }
    root.rfind("</").ok_or(Refused("the document has no end"))
}

/// Whether a node is an element of this name, in whatever namespace.
pub(crate) fn is_signature(document: &Document<'_>, node: uppsala::NodeId) -> bool {
    document.element(node).is_some_and(|it| it.name.local_name == "Signature")
}
