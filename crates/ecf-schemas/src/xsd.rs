//! XSD files from the tables.

use std::{collections::BTreeSet, fs, io, path::Path};

use quick_xml::escape::escape;

use crate::{
    SCHEMAS, Schema,
    table::{Facet, SchemaElement, named},
};

/// Returns the schema that DGII publishes under that file name, generated from the project's tables.
#[must_use]
pub fn xsd(file: &str) -> Option<String> {
    named(file).map(|name| written(&Schema::own(name)))
}

/// Writes every schema into a folder, under DGII's file names.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write_all(folder: &Path) -> io::Result<()> {
    SCHEMAS.into_iter().try_for_each(|name| fs::write(folder.join(name.file), written(&Schema::own(name))))
}

const GROUP_ENDS: &str = "</xs:sequence></xs:complexType></xs:element>\n";

pub(crate) fn written(schema: &Schema) -> String {
    let mut xsd = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xsd += "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n";
    let types: BTreeSet<&str> = schema.elements.iter().filter_map(|element| element.value_type.as_deref()).collect();
    for name in types.into_iter().filter(|name| !name.starts_with("xs:")) {
        append_type(name, &schema.facets, &mut xsd);
    }
    let mut open: usize = 0;
    for element in &schema.elements {
        let depth = element.path.matches('/').count();
        xsd += &GROUP_ENDS.repeat(open.saturating_sub(depth));
        open = depth;
        append_element(element, depth, &mut xsd);
        open = open.saturating_add(usize::from(is_group(element)));
    }
    xsd + &GROUP_ENDS.repeat(open) + "</xs:schema>\n"
}

fn append_type(name: &str, facets: &[Facet], xsd: &mut String) {
    let of_type = |facet: &&Facet| facet.value_type == name;
    let is_base = |facet: &&Facet| facet.name == "base";
    let base = facets.iter().filter(of_type).find(is_base).map_or("", |facet| &facet.value);
    *xsd += &format!("<xs:simpleType name=\"{name}\"><xs:restriction base=\"{base}\">\n");
    for Facet { name, value, .. } in facets.iter().filter(of_type).filter(|facet| !is_base(facet)) {
        *xsd += &format!("<xs:{name} value=\"{}\"/>\n", escape(value));
    }
    *xsd += "</xs:restriction></xs:simpleType>\n";
}

fn append_element(element: &SchemaElement, depth: usize, xsd: &mut String) {
    let (least, most) = element.occurrence.split_once("..").unwrap_or_default();
    // A root has no occurrence.
    let occurrence = match depth {
        0 => String::new(),
        _ => format!(" minOccurs=\"{least}\" maxOccurs=\"{most}\""),
    };
    let name = name(element);
    *xsd += &match &element.value_type {
        Some(value_type) => format!("<xs:element name=\"{name}\" type=\"{value_type}\"{occurrence}/>\n"),
        None if is_group(element) => {
            format!("<xs:element name=\"{name}\"{occurrence}><xs:complexType><xs:sequence>\n")
        }
        None => format!("<xs:any processContents=\"skip\"{occurrence}/>\n"),
    };
}

pub(crate) fn name(element: &SchemaElement) -> &str {
    element.path.rsplit('/').next().unwrap_or_default()
}

fn is_group(element: &SchemaElement) -> bool {
    element.value_type.is_none() && name(element) != "*"
}
