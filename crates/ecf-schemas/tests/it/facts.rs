//! The tables, and the way from a table to a schema and back.

use std::{fs, path::Path};

use ecf_schemas::{Name, SCHEMAS, Schema, official, tables, xsd};

#[test]
fn a_generated_schema_is_read_back_into_the_same_tables() {
    let read = |name: Name| (name, official::read(&xsd(name.file).unwrap()).unwrap());
    let schemas: Vec<_> = SCHEMAS.into_iter().map(read).collect();

    let written = tables(&schemas).unwrap();

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/schemas");
    assert_eq!(written.len(), 7);
    for (file, text) in written {
        assert_eq!(text, fs::read_to_string(folder.join(file)).unwrap(), "{file}");
    }
}

/// Measured on the official files: elements, those of them that are optional, and facets.
#[test]
fn each_schema_has_as_many_elements_and_facets_as_the_official_one() {
    let counted = SCHEMAS.map(|name| {
        let Schema { elements, facets } = Schema::own(name);
        let optional = elements.iter().filter(|element| element.occurrence.starts_with('0')).count();
        (name.column, elements.len(), optional, facets.len())
    });

    assert_eq!(
        counted,
        [
            ("31", 238, 183, 907),
            ("32", 235, 183, 910),
            ("33", 245, 190, 917),
            ("34", 237, 187, 899),
            ("41", 169, 123, 836),
            ("43", 80, 49, 788),
            ("44", 181, 129, 895),
            ("45", 230, 177, 905),
            ("46", 197, 152, 876),
            ("47", 100, 63, 815),
            ("RFCE", 42, 25, 96),
            ("ACECF", 12, 2, 19),
            ("ARECF", 10, 2, 20),
            ("ANECF", 16, 0, 24),
            ("Semilla", 4, 0, 0),
        ]
    );
}

#[test]
fn a_construct_that_the_tables_cannot_hold_is_refused() {
    let schema =
        |inside: &str| format!("<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">{inside}</xs:schema>");
    for (inside, words) in [
        ("<xs:choice/>", "the tables cannot hold a choice"),
        ("<xs:element name=\"A\" nillable=\"true\"/>", "the tables cannot hold nillable of a element"),
        ("<xs:sequence minOccurs=\"0\"/>", "the tables cannot hold minOccurs of a sequence"),
    ] {
        assert_eq!(official::read(&schema(inside)).unwrap_err().to_string(), words);
    }
}

/// As DGII publishes them: no validator accepts these two.
#[test]
fn defects_of_the_official_files_are_corrected() {
    let published = "\u{feff}<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"><xs:element name=\"A\" type=\"T\"/>\
        <xs:simpleType name=\" T\"><xs:restriction base=\"xs:string\"><xs:pattern value=\"(?:19|20)\"/></xs:restriction>\
        </xs:simpleType></xs:schema>";

    let schema = official::read(published).unwrap();

    let facets: Vec<_> = schema.facets.iter().map(|facet| (facet.name.as_str(), facet.value.as_str())).collect();
    assert_eq!(facets, [("base", "xs:string"), ("pattern", "(19|20)")]);
}
