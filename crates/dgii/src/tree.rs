//! Parses XML responses into the same tree as JSON.

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_xml_entity,
    events::{BytesRef, Event},
};
use serde_json::{Map, Value};

/// Maximum nesting of a response.
const MAX_DEPTH: usize = 16;
/// Maximum number of elements: twice that of the longest documents of two megabytes.
const MAX_ELEMENTS: usize = 125_000;

/// An element before its end tag.
#[derive(Default)]
struct OpenElement {
    name: String,
    text: String,
    children: Map<String, Value>,
}

/// Parses XML, and returns the content of the root: an object of elements, with a list for repeated names. Returns
/// `None` for malformed XML and for HTML pages.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open = vec![OpenElement::default()];
    let mut elements = 0_usize;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) if open.len() <= MAX_DEPTH && elements < MAX_ELEMENTS => {
                elements = elements.saturating_add(1);
                let name = start.local_name().as_ref().to_owned();
                open.push(OpenElement { name, ..OpenElement::default() });
            }
            Event::End(_) => {
                let ended = open.pop()?;
                let parent = open.last_mut()?;
                add(&mut parent.children, ended);
            }
            Event::Text(text) => open.last_mut()?.text.push_str(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(text) => open.last_mut()?.text.push_str(&text),
            Event::GeneralRef(reference) => push_reference(&mut open.last_mut()?.text, &reference)?,
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => break,
            _ => return None,
        }
    }
    let document = open.pop().filter(|_| open.is_empty())?;
    let (name, root) = document.children.into_iter().next()?;
    (!name.eq_ignore_ascii_case("html")).then_some(root)
}

/// Appends the text of one of the five entities of XML, or of a character reference.
fn push_reference(to: &mut String, reference: &BytesRef<'_>) -> Option<()> {
    match resolve_xml_entity(reference) {
        Some(text) => to.push_str(text),
        None => to.push(reference.resolve_char_ref().ok().flatten()?),
    }
    Some(())
}

fn add(to: &mut Map<String, Value>, OpenElement { name, text, children }: OpenElement) {
    let value = if children.is_empty() { Value::String(text.trim().to_owned()) } else { Value::Object(children) };
    match to.get_mut(&name) {
        None => drop(to.insert(name, value)),
        Some(Value::Array(list)) => list.push(value),
        Some(single) => *single = Value::Array(vec![single.take(), value]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn repeated_elements_become_a_list() {
        let xml = "<?xml version=\"1.0\"?><a:Root xmlns:a=\"urn:x\"><one>1 &amp; 2</one><two/><three><b>x</b></three>\
                   <three><b>y</b></three></a:Root>";

        let expected = json!({ "one": "1 & 2", "two": "", "three": [{ "b": "x" }, { "b": "y" }] });
        assert_eq!(parse(xml), Some(expected));
    }

    #[test]
    fn pages_entities_and_deep_xml_are_refused() {
        let deep = "<a>".repeat(1000);
        for text in [
            "<html><body/></html>",
            "<HTML></HTML>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
            "<a>&b;</a>",
            &deep,
            &format!("<b>{}</b>", "<a/>".repeat(MAX_ELEMENTS)),
            "<a>",
            "",
            "x",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
