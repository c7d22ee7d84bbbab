//! XML of an untrusted sender as a tree.

use domain::text::{UnsupportedEncoding, decode_xml};
use quick_xml::{
    NsReader, XmlVersion,
    events::{BytesStart, Event},
    name::{Namespace, ResolveResult},
};

/// An element: of e-CF documents either elements or text, never both.
#[derive(Debug, Default)]
pub(crate) struct Element {
    /// The name without prefix, after its namespace in braces; the braces are omitted for no namespace and for that of
    /// signatures.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) children: Vec<Self>,
    /// Whether the element has attributes other than namespace declarations and those of schema instances (`xsi:`).
    pub(crate) has_attributes: bool,
}

/// What came is not a document. The words are for the authority's own list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// The largest document, a thousand lines included, is a tenth of this.
const MAX_BYTES: usize = 10 * 1024 * 1024;
/// No format of the authority is deeper than ten.
const MAX_DEPTH: usize = 16;

/// The root of the document in `bytes`.
pub(crate) fn read(bytes: &[u8]) -> Result<Element, Malformed> {
    if bytes.len() > MAX_BYTES {
        return Err(Malformed("the document is too large"));
    }
    let text = decode_xml(bytes).map_err(|UnsupportedEncoding(reason)| Malformed(reason))?;
    let mut reader = NsReader::from_str(&text);
    reader.config_mut().expand_empty_elements = true;

    // The outermost holds the root, as a document does.
    let mut open = vec![Element::default()];
    loop {
        let event = reader.read_resolved_event().map_err(|_| Malformed("the XML is not well formed"))?;
        match event {
            (_, Event::Eof) => return root(open),
            (namespace, Event::Start(start)) => begin(&mut open, &namespace, &start)?,
            (_, event) => take(&mut open, event)?,
        }
    }
}

const SIGNATURE: Namespace<'_> = Namespace("http://www.w3.org/2000/09/xmldsig#");

fn begin(open: &mut Vec<Element>, namespace: &ResolveResult<'_>, start: &BytesStart<'_>) -> Result<(), Malformed> {
    if open.len() > MAX_DEPTH {
        return Err(Malformed("the elements are nested too deep"));
    }
    let name = match namespace {
        ResolveResult::Unbound => start.local_name().as_ref().to_owned(),
        ResolveResult::Bound(it) if *it == SIGNATURE => start.local_name().as_ref().to_owned(),
        ResolveResult::Bound(Namespace(uri)) => format!("{{{uri}}}{}", start.local_name().as_ref()),
        ResolveResult::Unknown(_) => return Err(Malformed("a namespace prefix is not declared")),
    };
    let mut has_attributes = false;
    for attribute in start.attributes() {
        let name = attribute.map_err(|_| Malformed("the XML is not well formed"))?.key;
        has_attributes |= name.as_namespace_binding().is_none() && name.prefix().is_none_or(|it| it.as_ref() != "xsi");
    }
    open.push(Element { name, has_attributes, ..Element::default() });
    Ok(())
}

fn take(open: &mut Vec<Element>, event: Event<'_>) -> Result<(), Malformed> {
    let misplaced = Malformed("an element ends that did not begin");
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
            let known = match &*reference {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => reference.resolve_char_ref().ok().flatten(),
            };
            let symbol = known.ok_or(Malformed("a reference means nothing"))?;
            open.last_mut().ok_or(misplaced)?.text.push(symbol);
        }
        Event::Decl(_) if open.len() == 1 => {}
        Event::Comment(_) | Event::PI(_) => {}
        Event::DocType(_) => return Err(Malformed("the document has a DOCTYPE")),
        _ => return Err(Malformed("a document holds elements and text alone")),
    }
    Ok(())
}

fn root(mut open: Vec<Element>) -> Result<Element, Malformed> {
    let unfinished = Malformed("a document is one element");
    let mut document = open.pop().filter(|_| open.is_empty()).ok_or(unfinished)?;
    let root = document.children.pop().ok_or(unfinished)?;
    let is_alone = document.children.is_empty() && document.text.trim().is_empty();
    if is_alone { Ok(root) } else { Err(unfinished) }
}

impl Element {
    /// The first child of that name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|it| it.name == name)
    }

    /// The text of the first child of that name.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|it| it.text.as_str())
    }

    /// Every child of that name.
    pub(crate) fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |it| it.name == name)
    }

    /// The element that the names lead to.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |it, name| it.child(name))
    }
}
