//! Verdicts about valid and altered documents of each kind, compared with `xmllint`.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use quick_xml::{Reader, events::Event};

/// A signed document of each kind that the product writes or reads, with the file name of its schema.
pub(crate) fn samples() -> Vec<(&'static str, String)> {
    let files = [
        ("e-CF 31 v.1.0.xsd", "vectors/E31_excl_tip.signed.xml"),
        ("e-CF 32 v.1.0.xsd", "vectors/E32_incl_tip_nonbillable.signed.xml"),
        ("e-CF 34 v.1.0.xsd", "vectors/E34_cancels_E31.signed.xml"),
        ("e-CF 45 v.1.0.xsd", "vectors/E45_excl.signed.xml"),
        ("RFCE 32 v.1.0.xsd", "vectors/RFCE32.signed.xml"),
        ("Semilla v.1.0.xsd", "vectors/seed.signed.xml"),
        ("ACECF v.1.0.xsd", "schemas/samples/acecf.xml"),
        ("ARECF v1.0.xsd", "schemas/samples/arecf.xml"),
        ("ANECF v.1.0.xsd", "schemas/samples/anecf.xml"),
    ];
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    files.map(|(schema, file)| (schema, fs::read_to_string(fixtures.join(file)).unwrap())).to_vec()
}

/// Texts for an element: of each base type, and at the limits of the facets.
const TEXTS: [&str; 14] = [
    "",
    " ",
    "0",
    "1",
    "2",
    "01",
    "-1",
    "1.0",
    "1.00",
    "1.0001",
    "99",
    "31-12-2026",
    "A",
    "0123456789012345678901234567",
];

/// The document, then one variant per element except the root: without the element, with the element twice, and with
/// another text in the element. The signature is never changed.
pub(crate) fn altered(document: &str) -> Vec<String> {
    let mut documents = vec![document.to_owned()];
    for Place { element, text } in places(document) {
        let replaced =
            |(from, to): (usize, usize), with: &str| format!("{}{with}{}", &document[..from], &document[to..]);
        documents.push(replaced(element, ""));
        documents.push(replaced(element, &document[element.0..element.1].repeat(2)));
        if let Some(text) = text {
            documents.extend(TEXTS.iter().map(|other| replaced(text, other)));
            documents.push(replaced(text, &"Ñ".repeat(300)));
        }
    }
    documents
}

/// Start and end of an element, and of its text if the element has no children.
struct Place {
    element: (usize, usize),
    text: Option<(usize, usize)>,
}

fn places(document: &str) -> Vec<Place> {
    let mut reader = Reader::from_str(document);
    let (mut open, mut places) = (Vec::new(), Vec::new());
    let mut last_start = 0;
    loop {
        let before = usize::try_from(reader.buffer_position()).unwrap();
        match reader.read_event().unwrap() {
            Event::Start(start) if start.name().as_ref() == "Signature" => {
                reader.read_to_end(start.name()).unwrap();
            }
            Event::Start(_) => {
                last_start = usize::try_from(reader.buffer_position()).unwrap();
                open.push((before, last_start));
            }
            Event::End(_) => {
                let (from, inside) = open.pop().unwrap();
                let to = usize::try_from(reader.buffer_position()).unwrap();
                let text = (inside == last_start).then_some((inside, before));
                if !open.is_empty() {
                    places.push(Place { element: (from, to), text });
                }
            }
            Event::Eof => return places,
            _ => {}
        }
    }
}

/// Whether each document follows the schema.
pub(crate) fn verdicts(schema: &Path, documents: &[String]) -> Vec<bool> {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..documents.len()).map(|index| format!("{index}.xml")).collect();
    for (name, document) in names.iter().zip(documents) {
        fs::write(folder.path().join(name), document).unwrap();
    }
    let mut xmllint = Command::new("xmllint");
    xmllint.args(["--nonet", "--noout", "--schema"]).arg(schema).args(&names).current_dir(folder.path());
    let output = xmllint.output().unwrap_or_else(|error| panic!("xmllint is needed: {error}"));
    let lines = String::from_utf8(output.stderr).unwrap();
    let valid: BTreeSet<&str> = lines.lines().filter_map(|line| line.strip_suffix(" validates")).collect();
    let judged = lines.lines().filter(|line| line.ends_with(" validates") || line.ends_with(" fails to validate"));
    let first = lines.lines().next().unwrap_or_default();
    assert_eq!(judged.count(), documents.len(), "{} cannot be used: {first}", schema.display());
    names.iter().map(|name| valid.contains(name.as_str())).collect()
}
