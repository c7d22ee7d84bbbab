//! Structure of documents: the order and the number of elements, by the tables of the authority's schemas.

use std::{collections::BTreeMap, sync::LazyLock};

use ecf_schemas::{SCHEMAS, Schema, SchemaElement};

use super::element::{MalformedXml, XmlElement};

/// Elements of a schema by path, each with its place.
type Structure = BTreeMap<String, (usize, SchemaElement)>;

/// Structures of the documents of sales and refunds, by the column of their schema.
static STRUCTURES: LazyLock<BTreeMap<&str, Structure>> = LazyLock::new(|| {
    let of_kinds = SCHEMAS.iter().filter(|it| ["31", "32", "34", "45", "RFCE"].contains(&it.column));
    let structure =
        |schema: Schema| schema.elements.into_iter().enumerate().map(|it| (it.1.path.clone(), it)).collect();
    of_kinds.map(|it| (it.column, structure(Schema::own(*it)))).collect()
});

/// Checks order and names, and refuses empty elements and attributes. Missing elements are not found here.
pub(crate) fn check(root: &XmlElement) -> Result<(), MalformedXml> {
    let column = match root.name.as_str() {
        "ECF" => root.at(&["Encabezado", "IdDoc", "TipoeCF"]).map_or("", |it| it.text.as_str()),
        "RFCE" => "RFCE",
        _ => return Err(MalformedXml("the root is neither ECF nor RFCE")),
    };
    let structure = STRUCTURES.get(column).ok_or(MalformedXml("the type is none of 31, 32, 34 and 45"))?;
    check_below(root, &root.name, structure)?;
    match root.children.last() {
        Some(last) if last.name == "Signature" => Ok(()),
        _ => Err(MalformedXml("the signature is not the last element")),
    }
}

/// The depth is limited by the parser.
fn check_below(element: &XmlElement, path: &str, structure: &Structure) -> Result<(), MalformedXml> {
    if element.has_attributes {
        return Err(MalformedXml("an element has attributes"));
    }
    match (element.children.is_empty(), element.text.trim().is_empty()) {
        // An anonymous buyer: the schema requires the element, without content.
        (true, true) if element.name == "Comprador" => return Ok(()),
        (true, true) => return Err(MalformedXml("an element is empty")),
        (false, false) => return Err(MalformedXml("text stands between elements")),
        (true, false) if structure.get(path).is_some_and(|(_, it)| it.value_type.is_none()) => {
            return Err(MalformedXml("text stands where elements belong"));
        }
        _ => {}
    }
    let mut next = 0_usize;
    for child in &element.children {
        let is_signature = child.name == "Signature";
        let path = format!("{path}/{}", if is_signature { "*" } else { &child.name });
        let (place, known) = structure.get(&path).ok_or(MalformedXml("an element is unknown"))?;
        if *place < next {
            return Err(MalformedXml("an element is out of its order, or there twice"));
        }
        next = if known.occurrence.ends_with("..1") { place.saturating_add(1) } else { *place };
        if !is_signature {
            check_below(child, &path, structure)?;
        }
    }
    Ok(())
}
