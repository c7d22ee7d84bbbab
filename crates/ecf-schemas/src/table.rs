//! The tables: one row for each element, and one for each facet of a value type.

use crate::{SCHEMAS, SchemaName};

/// The table of value types.
pub const TYPES: &str = "types.tsv";

/// The project's own tables, by file name.
const OWN: [(&str, &str); 6] = [
    ("ecf.tsv", include_str!("../../../fixtures/schemas/ecf.tsv")),
    ("rfce.tsv", include_str!("../../../fixtures/schemas/rfce.tsv")),
    ("acecf.tsv", include_str!("../../../fixtures/schemas/acecf.tsv")),
    ("arecf.tsv", include_str!("../../../fixtures/schemas/arecf.tsv")),
    ("anecf.tsv", include_str!("../../../fixtures/schemas/anecf.tsv")),
    ("semilla.tsv", include_str!("../../../fixtures/schemas/semilla.tsv")),
];
const OWN_TYPES: &str = include_str!("../../../fixtures/schemas/types.tsv");

/// A cell without a value: an element that a document lacks, or that has no value type.
const NONE: &str = "-";

/// The facts of one schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Every element, a group before its children.
    pub elements: Vec<SchemaElement>,
    /// Every facet of the value types that the elements have.
    pub facets: Vec<Facet>,
}

/// An element of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaElement {
    /// The names from the root down, separated by `/`. The last one is `*` where any element may occur, such as the
    /// signature.
    pub path: String,
    /// Occurrence of the element: `1..1`, `0..7`.
    pub occurrence: String,
    /// Name of the value type; `None` for a group.
    pub value_type: Option<String>,
}

/// A facet of a value type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The name of the type.
    pub value_type: String,
    /// The facet's name in XML Schema; `base` for the type that is restricted.
    pub name: String,
    /// The facet's value.
    pub value: String,
}

impl Schema {
    /// Returns the schema from the project's own tables.
    #[must_use]
    pub fn own(of: SchemaName) -> Self {
        let table = OWN.iter().find(|(table, _)| *table == of.table).map_or("", |(_, text)| text);
        let elements = rows(table, of.column).filter_map(|(path, occurrence, value_type)| {
            let value_type = (value_type != NONE).then(|| value_type.to_owned());
            (occurrence != NONE).then(|| SchemaElement {
                path: path.to_owned(),
                occurrence: occurrence.to_owned(),
                value_type,
            })
        });
        Self { elements: elements.collect(), facets: facets(of.column).collect() }
    }
}

/// The cells of each row: the path, the occurrence in the column of that name, the value type.
fn rows<'a>(table: &'a str, column: &str) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
    let mut lines = table.lines().map(|line| line.split('\t'));
    let place = lines.next().and_then(|mut head| head.position(|cell| cell == column));
    lines.filter_map(move |mut cells| {
        let path = cells.next()?;
        let cells: Vec<&str> = cells.collect();
        Some((path, *cells.get(place?.checked_sub(1)?)?, *cells.last()?))
    })
}

fn facets(column: &str) -> impl Iterator<Item = Facet> {
    OWN_TYPES.lines().skip(1).filter_map(move |line| {
        let mut cells = line.splitn(4, '\t').map(str::to_owned);
        let [value_type, schemas, name, value] = [cells.next()?, cells.next()?, cells.next()?, cells.next()?];
        schemas.split(' ').any(|schema| schema == column).then_some(Facet { value_type, name, value })
    })
}

/// Returns the tables of these schemas: file names and texts. Returns `None` if the orders of two schemas contradict.
#[must_use]
pub fn tables(schemas: &[(SchemaName, Schema)]) -> Option<Vec<(&'static str, String)>> {
    let mut tables = Vec::new();
    for (file, _) in OWN {
        let of_table: Vec<&(SchemaName, Schema)> = schemas.iter().filter(|(name, _)| name.table == file).collect();
        let columns: Vec<&str> = of_table.iter().map(|(name, _)| name.column).collect();
        let mut text = format!("path\t{}\ttype\n", columns.join("\t"));
        append_children("", &of_table, &mut text)?;
        tables.push((file, text));
    }
    tables.push((TYPES, types(schemas)));
    Some(tables)
}

/// Appends the rows below `parent`. One element has a row for each value type that the schemas give it.
fn append_children(parent: &str, schemas: &[&(SchemaName, Schema)], text: &mut String) -> Option<()> {
    let is_child = |element: &&SchemaElement| element.path.rsplit_once('/').map_or("", |(parent, _)| parent) == parent;
    let children = |schema: &Schema| -> Vec<String> {
        schema.elements.iter().filter(is_child).map(|element| element.path.clone()).collect()
    };
    for path in merged(schemas.iter().map(|(_, schema)| children(schema)).collect())? {
        let in_each: Vec<Option<&SchemaElement>> =
            schemas.iter().map(|(_, schema)| schema.elements.iter().find(|element| element.path == path)).collect();
        for value_type in distinct(in_each.iter().flatten().map(|element| element.value_type.as_deref())) {
            let cells = in_each.iter().map(|element| {
                let same = element.filter(|element| element.value_type.as_deref() == value_type);
                same.map_or(NONE, |element| &element.occurrence)
            });
            let cells: Vec<&str> = cells.collect();
            *text += &format!("{path}\t{}\t{}\n", cells.join("\t"), value_type.unwrap_or(NONE));
        }
        append_children(&path, schemas, text)?;
    }
    Some(())
}

/// Merges lists into one that preserves the order of each. Returns `None` if two of them contradict.
fn merged(mut lists: Vec<Vec<String>>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    loop {
        lists.retain(|list| !list.is_empty());
        if lists.is_empty() {
            return Some(all);
        }
        let is_later = |head: &String| lists.iter().any(|list| list.iter().skip(1).any(|other| other == head));
        let next = lists.iter().filter_map(|list| list.first()).find(|head| !is_later(head))?.clone();
        for list in &mut lists {
            list.retain(|other| *other != next);
        }
        all.push(next);
    }
}

/// One row for each facet, with the schemas in which its type has it.
fn types(schemas: &[(SchemaName, Schema)]) -> String {
    let mut text = String::from("type\tschemas\tfacet\tvalue\n");
    let facets = || schemas.iter().flat_map(|(_, schema)| &schema.facets);
    let mut names: Vec<&str> = facets().map(|facet| facet.value_type.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        for facet in distinct(facets().filter(|facet| facet.value_type == name)) {
            let having = schemas.iter().filter(|(_, schema)| schema.facets.contains(facet));
            let having: Vec<&str> = having.map(|(schema, _)| schema.column).collect();
            text += &format!("{name}\t{}\t{}\t{}\n", having.join(" "), facet.name, facet.value);
        }
    }
    text
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.fold(Vec::new(), |mut distinct, one| {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
        distinct
    })
}

/// Returns the schema with DGII's file name.
pub(crate) fn named(file: &str) -> Option<SchemaName> {
    SCHEMAS.into_iter().find(|name| name.file == file)
}
