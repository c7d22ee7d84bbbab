//! Verdicts of the generated schemas.

use ecf_schemas::{SCHEMAS, Validator, write_all};

use crate::validation::{altered, samples, verdicts};

/// Number of altered documents of each kind that are accepted, equal to the official schemas' (`cargo xtask ecf-tables
/// --compare`).
#[test]
fn documents_are_accepted_and_altered_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path()).unwrap();

    let counted: Vec<(&str, usize, usize)> = samples()
        .iter()
        .map(|(file, document)| {
            let verdicts = verdicts(&folder.path().join(file), &altered(document));
            assert!(verdicts[0], "{file} refuses its sample");
            let accepted = verdicts.iter().filter(|is_valid| **is_valid).count();
            (*file, accepted, verdicts.len())
        })
        .collect();

    assert_eq!(
        counted,
        [
            ("e-CF 31 v.1.0.xsd", 408, 1231),
            ("e-CF 32 v.1.0.xsd", 290, 845),
            ("e-CF 34 v.1.0.xsd", 422, 1263),
            ("e-CF 45 v.1.0.xsd", 270, 803),
            ("RFCE 32 v.1.0.xsd", 116, 393),
            ("Semilla v.1.0.xsd", 16, 35),
            ("ACECF v.1.0.xsd", 22, 156),
            ("ARECF v1.0.xsd", 12, 122),
            ("ANECF v.1.0.xsd", 20, 164),
        ]
    );
}

#[test]
fn the_validator_agrees_with_xmllint_about_every_altered_document() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path()).unwrap();

    for (file, document) in samples() {
        let documents = altered(&document);
        let validator = Validator::of(file).unwrap();
        for (document, is_valid) in documents.iter().zip(verdicts(&folder.path().join(file), &documents)) {
            let fault = validator.fault(document.as_bytes());

            assert_eq!(fault.is_none(), is_valid, "{file}: {fault:?}\n{document}");
        }
    }
}

#[test]
fn every_generated_schema_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path()).unwrap();

    for name in SCHEMAS {
        let verdicts = verdicts(&folder.path().join(name.file), &["<Other/>".to_owned()]);
        assert_eq!(verdicts, [false], "{}", name.file);
        assert_eq!(Validator::of(name.file).unwrap().fault(b"<Other/>").as_deref(), Some("Element 'Other' is unknown"));
    }
}
