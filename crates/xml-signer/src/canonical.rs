//! Canonical XML: the bytes that a signature covers. All methods of the profile share one writer. They differ in the
//! namespace declarations, in the comments, and in the `xml:` attributes that an element inherits.
//!
//! Specifications: <https://www.w3.org/TR/xml-c14n>, <https://www.w3.org/TR/xml-c14n11> and
//! <https://www.w3.org/TR/xml-exc-c14n>.

use std::borrow::Cow;

use uppsala::{Attribute, Document, Element, NodeId, NodeKind, QName};

use crate::profile;

const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// A canonicalization method with its parameters. The default is Canonical XML 1.0 without comments.
#[derive(Default)]
pub(crate) struct Method<'a> {
    version: Version,
    keeps_comments: bool,
    /// Prefixes whose declarations the exclusive method writes as an inclusive one, sorted. The empty prefix stands for
    /// the default namespace.
    inclusive_prefixes: Vec<&'a str>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Version {
    #[default]
    Inclusive,
    Inclusive11,
    Exclusive,
}

impl<'a> Method<'a> {
    /// Returns the method of an algorithm URI; `None` if it is not supported.
    pub(crate) fn from_uri(uri: &str) -> Option<Self> {
        let (version, keeps_comments) = match uri {
            profile::CANONICALIZATION => (Version::Inclusive, false),
            "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments" => (Version::Inclusive, true),
            "http://www.w3.org/2006/12/xml-c14n11" => (Version::Inclusive11, false),
            "http://www.w3.org/2006/12/xml-c14n11#WithComments" => (Version::Inclusive11, true),
            profile::EXCLUSIVE => (Version::Exclusive, false),
            "http://www.w3.org/2001/10/xml-exc-c14n#WithComments" => (Version::Exclusive, true),
            _ => return None,
        };
        Some(Self { version, keeps_comments, inclusive_prefixes: Vec::new() })
    }

    pub(crate) fn is_exclusive(&self) -> bool {
        self.version == Version::Exclusive
    }

    /// Adds the prefixes of a `PrefixList`.
    pub(crate) fn with_prefixes(mut self, list: &'a str) -> Self {
        self.inclusive_prefixes.extend(list.split_ascii_whitespace().map(|it| if it == "#default" { "" } else { it }));
        self.inclusive_prefixes.sort_unstable();
        self
    }

    /// Returns the canonical form of a whole document without comments, as a reference with an empty URI selects it,
    /// and without the omitted element.
    pub(crate) fn document(&self, document: &Document<'_>, omitted: Option<NodeId>) -> String {
        let mut writer = Writer::new(document, self, document.input_text().len());
        writer.omitted = omitted;
        let mut is_after_root = false;
        for node in document.children_iter(document.root()) {
            match document.node_kind(node) {
                Some(NodeKind::Element(root)) => {
                    writer.element(node, root, 0);
                    is_after_root = true;
                }
                Some(NodeKind::ProcessingInstruction(_)) if is_after_root => {
                    writer.output.push('\n');
                    writer.node(node);
                }
                Some(NodeKind::ProcessingInstruction(_)) => {
                    writer.node(node);
                    writer.output.push('\n');
                }
                _ => {}
            }
        }
        writer.output
    }

    /// Returns the canonical form of one element, with the comments if the method keeps comments.
    pub(crate) fn element(&self, document: &Document<'_>, node: NodeId) -> String {
        let mut writer = Writer::new(document, self, 2048);
        writer.keeps_comments = self.keeps_comments;
        if let Some(element) = document.element(node) {
            writer.inherit(document.ancestors(node));
            writer.element(node, element, 0);
        }
        writer.output
    }

    /// Returns the canonical start tag of an element that is not yet in the document, to be added to the root.
    pub(crate) fn start_tag(&self, document: &Document<'_>, element: &Element<'_>) -> String {
        let mut writer = Writer::new(document, self, 512);
        writer.inherit(document.document_element().into_iter().collect());
        writer.start_tag(element, 0);
        writer.output
    }
}

struct Writer<'a> {
    document: &'a Document<'a>,
    method: &'a Method<'a>,
    keeps_comments: bool,
    omitted: Option<NodeId>,
    /// Attributes that the first written element inherits.
    inherited: Vec<&'a Attribute<'a>>,
    /// Namespace declarations in scope as prefix and URI, the innermost last.
    in_scope: Vec<(&'a str, &'a str)>,
    /// Namespace declarations written by the open elements.
    written: Vec<(&'a str, &'a str)>,
    output: String,
}

impl<'a> Writer<'a> {
    fn new(document: &'a Document<'a>, method: &'a Method<'a>, capacity: usize) -> Self {
        Self {
            document,
            method,
            keeps_comments: false,
            omitted: None,
            inherited: Vec::new(),
            in_scope: Vec::new(),
            written: Vec::new(),
            output: String::with_capacity(capacity),
        }
    }

    /// Inherits the namespaces and the `xml:` attributes of `ancestors`, the nearest first. Values of `xml:base` are
    /// not joined: a signature that depends on two of them does not verify.
    fn inherit(&mut self, ancestors: Vec<NodeId>) {
        let document = self.document;
        for ancestor in ancestors.iter().rev().filter_map(|&node| document.element(node)) {
            self.add_to_scope(ancestor);
        }
        if self.method.is_exclusive() {
            return;
        }
        for attribute in ancestors.iter().filter_map(|&node| document.element(node)).flat_map(|it| &it.attributes) {
            let is_inherited = match self.method.version {
                Version::Inclusive11 => matches!(&*attribute.name.local_name, "base" | "lang" | "space"),
                Version::Inclusive | Version::Exclusive => true,
            };
            if attribute.name.namespace_uri.as_deref() == Some(XML_NAMESPACE) && is_inherited {
                self.inherited.push(attribute);
            }
        }
    }

    fn add_to_scope(&mut self, element: &'a Element<'a>) {
        let declarations = element.namespace_declarations.iter();
        self.in_scope.extend(declarations.map(|(prefix, uri)| (&**prefix, &**uri)));
    }

    fn node(&mut self, node: NodeId) {
        match self.document.node_kind(node) {
            Some(NodeKind::Element(_)) if self.omitted == Some(node) => {}
            Some(NodeKind::Element(element)) => self.element(node, element, self.in_scope.len()),
            Some(NodeKind::Text(text)) => self.text(text),
            Some(NodeKind::CData(text)) => self.text(&with_line_feeds(text)),
            Some(NodeKind::Comment(text)) if self.keeps_comments => {
                self.push_all(["<!--", &with_line_feeds(text), "-->"])
            }
            Some(NodeKind::ProcessingInstruction(instruction)) => match instruction.data.as_deref() {
                Some(data) if !data.is_empty() => {
                    self.push_all(["<?", &instruction.target, " ", &with_line_feeds(data), "?>"]);
                }
                _ => self.push_all(["<?", &instruction.target, "?>"]),
            },
            _ => {}
        }
    }

    /// Writes an element. The start tag declares the namespaces in scope from the position `first_new`, as far as the
    /// method requires.
    fn element(&mut self, node: NodeId, element: &'a Element<'a>, first_new: usize) {
        let (in_scope, written) = (self.in_scope.len(), self.written.len());
        self.start_tag(element, first_new);
        for child in self.document.children_iter(node) {
            self.node(child);
        }
        self.output.push_str("</");
        self.name(&element.name);
        self.output.push('>');

        self.in_scope.truncate(in_scope);
        self.written.truncate(written);
    }

    fn start_tag(&mut self, element: &'a Element<'a>, first_new: usize) {
        self.add_to_scope(element);
        self.output.push('<');
        self.name(&element.name);
        self.namespaces(element, first_new);
        self.attributes(element);
        self.output.push('>');
    }

    fn namespaces(&mut self, element: &'a Element<'a>, first_new: usize) {
        let first = self.written.len();
        for at in first_new..self.in_scope.len() {
            let (prefix, _) = self.in_scope[at];
            if !self.method.is_exclusive() || self.method.inclusive_prefixes.binary_search(&prefix).is_ok() {
                self.declare(prefix);
            }
        }
        if self.method.is_exclusive() {
            self.declare(element.name.prefix.as_deref().unwrap_or_default());
            element.attributes.iter().filter_map(|it| it.name.prefix.as_deref()).for_each(|it| self.declare(it));
        }
        self.written[first..].sort_unstable();
        for at in first..self.written.len() {
            let (prefix, uri) = self.written[at];
            self.push_all([" xmlns", if prefix.is_empty() { "" } else { ":" }, prefix, "=\""]);
            self.value(uri);
        }
    }

    /// Adds the declaration of a prefix to the written ones, unless an open element has the same.
    fn declare(&mut self, prefix: &'a str) {
        let find = |declarations: &[(&str, &'a str)]| {
            declarations.iter().rfind(|(it, _)| *it == prefix).map_or("", |(_, uri)| *uri)
        };
        let uri = find(&self.in_scope);
        if prefix != "xml" && uri != find(&self.written) {
            self.written.push((prefix, uri));
        }
    }

    fn attributes(&mut self, element: &'a Element<'a>) {
        let inherited = std::mem::take(&mut self.inherited);
        if element.attributes.is_empty() && inherited.is_empty() {
            return;
        }
        // Sorting keeps the order of equal names, the own attribute before that of the nearest ancestor.
        let mut attributes: Vec<_> = element.attributes.iter().chain(inherited).collect();
        let key = |it: &&'a Attribute<'a>| (it.name.namespace_uri.as_deref().unwrap_or_default(), &*it.name.local_name);
        attributes.sort_by_key(key);
        attributes.dedup_by_key(|it| key(it));
        for attribute in attributes {
            self.output.push(' ');
            self.name(&attribute.name);
            self.output.push_str("=\"");
            self.value(&attribute.value);
        }
    }

    fn name(&mut self, name: &QName<'_>) {
        if let Some(prefix) = name.prefix.as_deref() {
            self.push_all([prefix, ":"]);
        }
        self.output.push_str(&name.local_name);
    }

    fn text(&mut self, text: &str) {
        self.escaped(text, |byte| matches!(byte, b'&' | b'<' | b'>' | b'\r'));
    }

    /// Writes the value of an attribute and the closing quote.
    fn value(&mut self, value: &str) {
        self.escaped(value, |byte| matches!(byte, b'&' | b'<' | b'"' | b'\t' | b'\n' | b'\r'));
        self.output.push('"');
    }

    fn escaped(&mut self, text: &str, is_special: impl Fn(u8) -> bool) {
        let mut rest = text;
        while let Some(at) = rest.bytes().position(&is_special) {
            self.push_all([&rest[..at], reference(rest.as_bytes()[at])]);
            rest = &rest[at + 1..];
        }
        self.output.push_str(rest);
    }

    fn push_all<const N: usize>(&mut self, texts: [&str; N]) {
        texts.iter().for_each(|text| self.output.push_str(text));
    }
}

/// Returns a text with a line feed for each line break (XML 1.0, 2.11). The parser replaces the line breaks of text, but
/// not those of sections, comments and instructions. Those have no references: each carriage return is a line break.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => text.into(),
    }
}

/// Returns the reference that canonical XML writes for a special character.
fn reference(byte: u8) -> &'static str {
    match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\t' => "&#x9;",
        b'\n' => "&#xA;",
        _ => "&#xD;",
    }
}
