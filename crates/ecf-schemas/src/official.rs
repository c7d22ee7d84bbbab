//! Reads an XSD file into the facts of which the tables consist.

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

use crate::table::{Facet, Schema, SchemaElement};

/// A schema uses a construct that the tables cannot hold, or is no XSD file.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct XsdError(String);

/// The supported attributes of each XML Schema construct. Any other attribute is an error, because the tables would
/// lose it.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    ("schema", &["xmlns:xs"]),
    ("element", &["name", "type", "minOccurs", "maxOccurs"]),
    ("any", &["minOccurs", "maxOccurs", "processContents"]),
    ("complexType", &[]),
    ("sequence", &[]),
    ("simpleType", &["name", "final"]),
    ("restriction", &["base"]),
    ("enumeration", &["value"]),
    ("pattern", &["value"]),
    ("minLength", &["value"]),
    ("maxLength", &["value"]),
    ("totalDigits", &["value"]),
    ("fractionDigits", &["value"]),
    ("minInclusive", &["value"]),
    ("maxInclusive", &["value"]),
    ("minExclusive", &["value"]),
];

/// Parses a schema file.
///
/// Two defects of the files that DGII publishes are corrected, because no validator accepts them: a space before the
/// name of a type, and groups that start with `(?:`.
///
/// # Errors
///
/// [`XsdError`] if the schema has a construct that the tables cannot hold.
pub fn read(xsd: &str) -> Result<Schema, XsdError> {
    let mut reader = Reader::from_str(xsd.trim_start_matches('\u{feff}'));
    reader.config_mut().expand_empty_elements = true;
    let mut reading = Reading::default();
    loop {
        match reader.read_event().map_err(|error| XsdError(error.to_string()))? {
            Event::Start(start) => reading.start(&start)?,
            Event::End(end) if end.local_name().as_ref() == "element" => {
                reading.path.truncate(reading.path.rfind('/').unwrap_or_default())
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let Schema { elements, mut facets } = reading.schema;
    let is_used = |facet: &Facet| elements.iter().any(|element| element.value_type.as_ref() == Some(&facet.value_type));
    facets.retain(is_used);
    Ok(Schema { elements, facets })
}

#[derive(Default)]
struct Reading {
    schema: Schema,
    /// Path of the open elements, such as `/ECF/Encabezado`.
    path: String,
    /// The type whose facets follow.
    value_type: String,
}

impl Reading {
    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), XsdError> {
        let construct = start.local_name().as_ref().to_owned();
        let attributes = attributes(&construct, start)?;
        let get = |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
        let occurrence = format!("{}..{}", get("minOccurs").unwrap_or("1"), get("maxOccurs").unwrap_or("1"));
        match construct.as_str() {
            "schema" | "complexType" | "sequence" => {}
            "element" => {
                self.path += &format!("/{}", get("name").unwrap_or_default());
                self.push(&self.path.clone(), occurrence, get("type"));
            }
            "any" => self.push(&format!("{}/*", self.path), occurrence, None),
            "simpleType" => self.value_type = get("name").unwrap_or_default().to_owned(),
            "restriction" => self.push_facet("base", get("base").unwrap_or_default()),
            facet => {
                let value = attributes.first().map_or("", |(_, value)| value);
                self.push_facet(facet, &value.replace("(?:", "("));
            }
        }
        Ok(())
    }

    fn push(&mut self, path: &str, occurrence: String, value_type: Option<&str>) {
        let path = path.trim_start_matches('/').to_owned();
        self.schema.elements.push(SchemaElement { path, occurrence, value_type: value_type.map(str::to_owned) });
    }

    fn push_facet(&mut self, name: &str, value: &str) {
        let facet = Facet { value_type: self.value_type.clone(), name: name.to_owned(), value: value.to_owned() };
        self.schema.facets.push(facet);
    }
}

fn attributes(construct: &str, start: &BytesStart<'_>) -> Result<Vec<(String, String)>, XsdError> {
    let known = ATTRIBUTES.iter().find(|(name, _)| *name == construct);
    let (_, known) = known.ok_or_else(|| XsdError(format!("the tables cannot hold <{construct}>")))?;
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| XsdError(error.to_string()))?;
        let key = attribute.key.as_ref().to_owned();
        if !known.contains(&key.as_str()) {
            return Err(XsdError(format!("the tables cannot hold {key} of <{construct}>")));
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| XsdError(error.to_string()))?;
        attributes.push((key, value.into_owned()));
    }
    Ok(attributes)
}
