//! Tests of the tables, and of the conversion from a table to a schema and back.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ecf_schemas::{SCHEMAS, Schema, SchemaName, official, tables, xsd};

#[test]
fn a_generated_schema_is_read_back_into_the_same_tables() {
    let read = |name: SchemaName| (name, official::read(&xsd(name.file).unwrap()).unwrap());
    let schemas: Vec<_> = SCHEMAS.into_iter().map(read).collect();

    let written = tables(&schemas).unwrap();

    assert_eq!(written.len(), 7);
    for (file, text) in written {
        assert_eq!(text, fs::read_to_string(folder().join(file)).unwrap(), "{file}");
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/schemas")
}

/// Only `cargo xtask ecf-tables` changes a table; it prints the new checksum.
#[test]
fn tables_have_the_checksums_of_the_last_comparison() {
    let compared = [
        ("ecf.tsv", 0x136e_9b40),
        ("rfce.tsv", 0x4127_5bd0),
        ("acecf.tsv", 0x04c0_88b1),
        ("arecf.tsv", 0x782e_e512),
        ("anecf.tsv", 0xda59_706e),
        ("semilla.tsv", 0xd77f_ac5c),
        ("types.tsv", 0x3992_b358),
    ];

    for (file, checksum) in compared {
        assert_eq!(crc32fast::hash(&fs::read(folder().join(file)).unwrap()), checksum, "{file}");
    }
}

/// Number of elements of each schema, including the signature.
#[test]
fn each_schema_has_as_many_elements_as_the_official_one() {
    let counted = SCHEMAS.map(|name| Schema::own(name).elements.len());

    assert_eq!(counted, [238, 235, 245, 237, 169, 80, 181, 230, 197, 100, 42, 12, 10, 16, 4]);
}

#[test]
fn a_construct_that_the_tables_cannot_hold_is_refused() {
    let schema =
        |inside: &str| format!("<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">{inside}</xs:schema>");
    for (inside, words) in [
        ("<xs:choice/>", "the tables cannot hold <choice>"),
        ("<xs:element name=\"A\" nillable=\"true\"/>", "the tables cannot hold nillable of <element>"),
        ("<xs:sequence minOccurs=\"0\"/>", "the tables cannot hold minOccurs of <sequence>"),
    ] {
        assert_eq!(official::read(&schema(inside)).unwrap_err().to_string(), words);
    }
}

/// Two types as DGII publishes them: no validator accepts them.
#[test]
fn defects_of_the_official_files_are_corrected() {
    let published = "\u{feff}<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"><xs:element name=\"A\" type=\"T\"/>\
        <xs:simpleType name=\" T\"><xs:restriction base=\"xs:string\"><xs:pattern value=\"(?:19|20)\"/></xs:restriction>\
        </xs:simpleType></xs:schema>";

    let schema = official::read(published).unwrap();

    let facets: Vec<_> = schema.facets.iter().map(|facet| (facet.name.as_str(), facet.value.as_str())).collect();
    assert_eq!(facets, [("base", "xs:string"), ("pattern", "(19|20)")]);
}
