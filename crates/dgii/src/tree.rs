//! DGII's answers in XML, as the same tree that those in JSON are.

use quick_xml::{Reader, XmlVersion, events::Event};
use serde_json::{Map, Value};

/// No answer is nested deeper.
const MAX_DEPTH: usize = 16;
/// The longest documents of two megabytes have half as many elements.
const MAX_ELEMENTS: usize = 125_000;

/// An element that is being read.
#[derive(Default)]
struct Open {
    name: String,
    text: String,
    children: Map<String, Value>,
}

/// What is below the root of the XML in `text`: an object of elements, of which several of one name are a list. `None` if
/// it is no XML, or a page for people.
pub(crate) fn read(text: &str) -> Option<Value> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open = vec![Open::default()];
    let mut elements = 0_usize;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) if open.len() <= MAX_DEPTH && elements < MAX_ELEMENTS => {
                elements = elements.saturating_add(1);
                let name = start.local_name().as_ref().to_owned();
                open.push(Open { name, ..Open::default() });
            }
            Event::End(_) => {
                let ended = open.pop()?;
                let parent = open.last_mut()?;
                add(&mut parent.children, ended);
            }
            Event::Text(text) => open.last_mut()?.text.push_str(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(text) => open.last_mut()?.text.push_str(&text),
            Event::GeneralRef(reference) => open.last_mut()?.text.push(symbol(&reference)?),
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => break,
            _ => return None,
        }
    }
    let document = open.pop().filter(|_| open.is_empty())?;
    let (name, root) = document.children.into_iter().next()?;
    (!name.eq_ignore_ascii_case("html")).then_some(root)
}

fn symbol(reference: &quick_xml::events::BytesRef<'_>) -> Option<char> {
    Some(match &**reference {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => reference.resolve_char_ref().ok().flatten()?,
    })
}

fn add(to: &mut Map<String, Value>, Open { name, text, children }: Open) {
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
    fn elements_become_an_object_and_repeated_ones_a_list() {
        let xml = "<?xml version=\"1.0\"?><a:Root xmlns:a=\"urn:x\"><one>1 &amp; 2</one><two/><three><b>x</b></three>\
                   <three><b>y</b></three></a:Root>";

        let expected = json!({ "one": "1 & 2", "two": "", "three": [{ "b": "x" }, { "b": "y" }] });
        assert_eq!(read(xml), Some(expected));
    }

    #[test]
    fn pages_entities_and_bottomless_xml_are_nothing() {
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
            assert_eq!(read(text), None, "{text}");
        }
    }
}
