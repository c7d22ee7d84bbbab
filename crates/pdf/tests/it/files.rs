//! The file: valid, archival, and reproducible.

use domain::{
    fiscal::{DocumentKind, FiscalLine},
    text::BoundedText,
};
use testkit::sample;

use crate::support::{Paper, dishes, document};

#[tokio::test]
async fn the_same_document_has_the_same_bytes() {
    let [one, two] = [
        Paper::of(document(DocumentKind::FiscalCredit, dishes(15))).await,
        Paper::of(document(DocumentKind::FiscalCredit, dishes(15))).await,
    ];

    assert_eq!(one.bytes, two.bytes);
    assert!(one.bytes.len() <= 30_000, "{} bytes", one.bytes.len());
}

#[tokio::test]
async fn other_programs_find_a_valid_file_with_fonts() {
    let paper = Paper::of(document(DocumentKind::FiscalCredit, dishes(60))).await;

    assert!(paper.told_by("qpdf", &["--check"]).contains("No syntax or stream encoding errors found"));
    let fonts = paper.told_by("pdffonts", &[]);
    let fonts: Vec<&str> = fonts.lines().skip(2).collect();
    assert_eq!(fonts.len(), 2, "{fonts:?}");
    for font in fonts {
        assert!(font.contains("+NotoSans"), "{font}");
        // Embedded, subset, with a mapping to Unicode.
        assert!(font.contains("yes yes yes"), "{font}");
    }
}

#[tokio::test]
async fn the_file_is_marked_archival_and_tagged() {
    let paper = Paper::of(document(DocumentKind::Consumer, dishes(1))).await;
    let info = paper.told_by("pdfinfo", &["-meta"]);

    assert!(info.contains("<pdfaid:part>2</pdfaid:part>"), "{info}");
    assert!(info.contains("<pdfaid:conformance>A</pdfaid:conformance>"), "{info}");
    let info = paper.told_by("pdfinfo", &[]);
    assert!(info.lines().any(|it| it.starts_with("Tagged:") && it.ends_with("yes")), "{info}");
}

/// Some characters have a glyph but are forbidden in PDF/A, such as the byte order mark.
#[tokio::test]
async fn every_symbol_that_a_line_may_hold_can_be_printed() {
    let symbols: Vec<char> =
        ('\u{21}'..='\u{ffff}').filter(|it| BoundedText::<1, 80>::parse(&it.to_string()).is_some()).collect();
    let named = |symbols: &[char]| FiscalLine {
        description: BoundedText::parse(&symbols.iter().collect::<String>()).expect("a line of what each is a line of"),
        ..sample::line(100_00)
    };
    let lines: Vec<FiscalLine> = symbols.chunks(80).map(named).collect();
    assert!(lines.len() > 500);

    let paper = Paper::of(document(DocumentKind::Consumer, lines)).await;

    assert!(paper.bytes.starts_with(b"%PDF"));
}
