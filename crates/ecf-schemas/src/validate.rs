//! Validation of a document against a generated schema.

use std::collections::BTreeSet;

use uppsala::{Document, Parser, QName, XsdValidator};

use crate::{
    Facet, Schema,
    table::named,
    xsd::{name, written},
};

/// A generated schema, ready to validate documents.
pub struct Validator {
    schema: XsdValidator,
    /// Names of the elements.
    names: BTreeSet<String>,
}

/// The namespace whose elements need not be listed by a schema.
const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";

impl Validator {
    /// Returns the validator for DGII's file name of a schema. `None` if there is no such schema.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        let schema = with_numbers_as_patterns(Schema::own(named(file)?));
        let names = schema.elements.iter().map(|element| name(element).to_owned()).collect();
        let schema = XsdValidator::from_schema(&parse(&written(&schema))?).ok()?;
        Some(Self { schema, names })
    }

    /// Returns the first fault of a document as a sentence without its full stop. Unknown elements take precedence.
    ///
    /// A DOCTYPE and another encoding than UTF-8 are faults.
    #[must_use]
    pub fn fault(&self, document: &[u8]) -> Option<String> {
        let Some(document) = std::str::from_utf8(document).ok().and_then(parse) else {
            return Some("the document is not well-formed XML".to_owned());
        };
        let fault = self.schema.validate(&document).into_iter().next()?;
        let elements = document.descendants(document.root()).into_iter().filter_map(|node| document.element(node));
        let is_known = |name: &QName<'_>| match name.namespace_uri.as_deref() {
            None => name.local_name == "Signature" || self.names.contains(&*name.local_name),
            Some(namespace) => namespace == SIGNATURE,
        };
        let unknown = elements.map(|element| &element.name).find(|name| !is_known(name));
        let unknown = unknown.map(|name| format!("Element '{}' is unknown", name.local_name));
        unknown.or(Some(fault.message))
    }
}

fn parse(text: &str) -> Option<Document<'_>> {
    Parser::new().with_forbid_dtd(true).parse(text).ok()
}

/// Replaces the enumerated numbers of a type by one pattern, and removes their limits of digits: the validator compares
/// spellings, where `01`, `1` and `1.0` are one value.
fn with_numbers_as_patterns(mut schema: Schema) -> Schema {
    let is_number = |facet: &&Facet| facet.name == "base" && matches!(&*facet.value, "xs:decimal" | "xs:integer");
    let numbers: Vec<String> = schema.facets.iter().filter(is_number).map(|facet| facet.value_type.clone()).collect();
    for value_type in numbers {
        let is_listed = |facet: &Facet| facet.value_type == value_type && facet.name == "enumeration";
        let listed: Vec<String> =
            schema.facets.iter().filter(|facet| is_listed(facet)).map(|facet| spellings(&facet.value)).collect();
        if !listed.is_empty() {
            let is_of_digits = |facet: &Facet| facet.value_type == value_type && facet.name.ends_with("Digits");
            schema.facets.retain(|facet| !is_listed(facet) && !is_of_digits(facet));
            schema.facets.push(Facet { value_type, name: "pattern".to_owned(), value: listed.join("|") });
        }
    }
    schema
}

/// Returns a pattern of all spellings of a number.
fn spellings(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let rest = if fraction.is_empty() { "([.]0*)?".to_owned() } else { format!("[.]{fraction}0*") };
    format!("[+]?0*{whole}{rest}")
}
