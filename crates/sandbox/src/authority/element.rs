//! XML of an untrusted sender as a tree.

use domain::text::{UnsupportedEncoding, decode_xml};
use quick_xml::{
    NsReader, XmlVersion,
    escape::resolve_xml_entity,
    events::{BytesStart, Event},
    name::{Namespace, ResolveResult},
};

/// An element: of e-CF documents either elements or text, never both.
#[derive(Debug, Default)]
pub(crate) struct XmlElement {
    /// The name without prefix, after its namespace in braces; the braces are omitted for no namespace and for that of
    /// signatures.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) children: Vec<Self>,
    /// Whether the element has attributes other than namespace declarations and those of schema instances (`xsi:`).
    pub(crate) has_attributes: bool,
}

/// The bytes are not a document. The text is for the authority's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MalformedXml(pub(crate) &'static str);

/// Ten times the size of the largest document, one of a thousand lines.
const MAX_BYTES: usize = 10 * 1024 * 1024;
/// No format of the authority exceeds a depth of ten.
const MAX_DEPTH: usize = 16;

/// Parses the root element of a document.
pub(crate) fn read(bytes: &[u8]) -> Result<XmlElement, MalformedXml> {
    if bytes.len() > MAX_BYTES {
        return Err(MalformedXml("the document is too large"));
    }
    let text = decode_xml(bytes).map_err(|UnsupportedEncoding(reason)| MalformedXml(reason))?;
    let mut reader = NsReader::from_str(&text);
    reader.config_mut().expand_empty_elements = true;

    // The outermost element contains the root.
    let mut open = vec![XmlElement::default()];
    loop {
        let event = reader.read_resolved_event().map_err(|_| MalformedXml("the XML is not well formed"))?;
        match event {
            (_, Event::Eof) => return root(open),
            (namespace, Event::Start(start)) => begin(&mut open, &namespace, &start)?,
            (_, event) => take(&mut open, event)?,
        }
    }
}

const SIGNATURE: Namespace<'_> = Namespace("http://www.w3.org/2000/09/xmldsig#");

fn begin(
    open: &mut Vec<XmlElement>,
    namespace: &ResolveResult<'_>,
    start: &BytesStart<'_>,
) -> Result<(), MalformedXml> {
    if open.len() > MAX_DEPTH {
        return Err(MalformedXml("the elements are nested too deep"));
    }
    let name = match namespace {
        ResolveResult::Unbound => start.local_name().as_ref().to_owned(),
        ResolveResult::Bound(it) if *it == SIGNATURE => start.local_name().as_ref().to_owned(),
        ResolveResult::Bound(Namespace(uri)) => format!("{{{uri}}}{}", start.local_name().as_ref()),
        ResolveResult::Unknown(_) => return Err(MalformedXml("a namespace prefix is not declared")),
    };
    let mut has_attributes = false;
    for attribute in start.attributes() {
        let name = attribute.map_err(|_| MalformedXml("the XML is not well formed"))?.key;
        has_attributes |= name.as_namespace_binding().is_none() && name.prefix().is_none_or(|it| it.as_ref() != "xsi");
    }
    open.push(XmlElement { name, has_attributes, ..XmlElement::default() });
    Ok(())
}

fn take(open: &mut Vec<XmlElement>, event: Event<'_>) -> Result<(), MalformedXml> {
    let misplaced = MalformedXml("an element ends that did not begin");
    match event {
        Event::End(_) => {
            let ended = open.pop().ok_or(misplaced)?;
            open.last_mut().ok_or(misplaced)?.children.push(ended);
        }
        Event::Text(text) => {
            open.last_mut().ok_or(misplaced)?.text.push_str(&text.xml_content(XmlVersion::Implicit1_0))
        }
        Event::CData(text) => open.last_mut().ok_or(misplaced)?.text.push_str(&text),
        Event::GeneralRef(reference) => {
            let character = || reference.resolve_char_ref().ok().flatten().map(String::from);
            let text = resolve_xml_entity(&reference).map(str::to_owned).or_else(character);
            let text = text.ok_or(MalformedXml("a reference means nothing"))?;
            open.last_mut().ok_or(misplaced)?.text.push_str(&text);
        }
        Event::Decl(_) if open.len() == 1 => {}
        Event::Comment(_) | Event::PI(_) => {}
        Event::DocType(_) => return Err(MalformedXml("the document has a DOCTYPE")),
        _ => return Err(MalformedXml("a document holds elements and text alone")),
    }
    Ok(())
}

fn root(mut open: Vec<XmlElement>) -> Result<XmlElement, MalformedXml> {
    let unfinished = MalformedXml("a document is one element");
    let mut document = open.pop().filter(|_| open.is_empty()).ok_or(unfinished)?;
    let root = document.children.pop().ok_or(unfinished)?;
    let is_alone = document.children.is_empty() && document.text.trim().is_empty();
    if is_alone { Ok(root) } else { Err(unfinished) }
}

impl XmlElement {
    /// Returns the first child with this name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|it| it.name == name)
    }

    /// Returns the text of the first child with this name.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|it| it.text.as_str())
    }

    /// Returns the first child with this name, which every document has.
    pub(crate) fn required(&self, name: &str) -> Result<&Self, MalformedXml> {
        self.child(name).ok_or(MalformedXml("an element is missing which every type has"))
    }

    /// Returns the text of the first child with this name, which every document has.
    pub(crate) fn required_text(&self, name: &str) -> Result<&str, MalformedXml> {
        self.required(name).map(|it| it.text.as_str())
    }

    /// Returns every child with this name.
    pub(crate) fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |it| it.name == name)
    }

    /// Returns the element at a path.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |it, name| it.child(name))
    }
}
