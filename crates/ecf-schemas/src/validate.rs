//! Validation of a document against a generated schema.

use uppsala::{Parser, XsdValidator};

use crate::{Facet, Schema, table::named, xsd::written};

/// Returns the first fault of a document by the schema of DGII's file name, as a sentence without its end.
///
/// A document with a DOCTYPE, or in another encoding than UTF-8, is a fault, and so is the name of no schema.
#[must_use]
pub fn fault(file: &str, document: &[u8]) -> Option<String> {
    let Some(name) = named(file) else { return Some(format!("there is no {file}")) };
    let schema = written(&with_numbers_as_patterns(Schema::own(name)));
    let parse = |text| Parser::new().with_forbid_dtd(true).parse(text);
    let compiled = parse(&schema).ok().and_then(|schema| XsdValidator::from_schema(&schema).ok());
    let Some(validator) = compiled else { return Some(format!("{file} cannot be used")) };
    let Some(document) = std::str::from_utf8(document).ok().and_then(|text| parse(text).ok()) else {
        return Some("the document is not well-formed XML".to_owned());
    };
    validator.validate(&document).into_iter().next().map(|fault| fault.message)
}

/// Replaces the enumerated numbers of a type by one pattern: the validator compares their spellings, where `01` and `1` are
/// one value.
fn with_numbers_as_patterns(mut schema: Schema) -> Schema {
    let is_number = |facet: &&Facet| facet.name == "base" && matches!(&*facet.value, "xs:decimal" | "xs:integer");
    let numbers: Vec<String> = schema.facets.iter().filter(is_number).map(|facet| facet.value_type.clone()).collect();
    for value_type in numbers {
        let is_listed = |facet: &Facet| facet.value_type == value_type && facet.name == "enumeration";
        let listed: Vec<String> =
            schema.facets.iter().filter(|facet| is_listed(facet)).map(|facet| spellings(&facet.value)).collect();
        schema.facets.retain(|facet| !is_listed(facet));
        if !listed.is_empty() {
            schema.facets.push(Facet { value_type, name: "pattern".to_owned(), value: listed.join("|") });
        }
    }
    schema
}

/// A pattern of all spellings of a number.
fn spellings(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let rest = if fraction.is_empty() { "([.]0*)?".to_owned() } else { format!("[.]{fraction}0*") };
    format!("[+]?0*{whole}{rest}")
}
