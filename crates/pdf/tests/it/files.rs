//! The file: valid, archival, and reproducible.

use domain::{
    fiscal::{DocumentKind, FiscalLine},
    text::BoundedText,
};
use testkit::sample;

use crate::support::{RenderedPdf, dishes, document};

#[tokio::test]
async fn the_same_document_has_the_same_bytes() {
    let [one, two] = [
        RenderedPdf::of(document(DocumentKind::FiscalCredit, dishes(15))).await,
        RenderedPdf::of(document(DocumentKind::FiscalCredit, dishes(15))).await,
    ];

    assert_eq!(one.bytes, two.bytes);
}

/// Documents with other letters than those of Spanish need more.
#[tokio::test]
async fn fifteen_lines_need_at_most_fourteen_kilobytes() {
    let lines: Vec<_> = (1..=15).map(|n| sample::line(100_00 + n)).collect();
    for (lines, maximum) in [(lines, 14_000), (dishes(15), 17_000)] {
        let rendered = RenderedPdf::of(document(DocumentKind::Consumer, lines)).await;

        assert!(rendered.bytes.len() <= maximum, "{} bytes", rendered.bytes.len());
    }
}

/// Only the slices of the fonts that a document needs are in its file.
#[tokio::test]
async fn a_rare_character_adds_a_slice_of_a_font() {
    for (description, slices) in [("Mofongo", 2), ("JALAPEÑO ÁCIDO", 3), ("Ωmega", 3), ("Ωmega ÁCIDO", 4)] {
        let line = FiscalLine { description: BoundedText::parse(description).expect("a line"), ..sample::line(100_00) };
        let rendered = RenderedPdf::of(document(DocumentKind::Consumer, vec![line])).await;

        assert_eq!(rendered.run("pdffonts", &[]).lines().skip(2).count(), slices, "{description}");
        assert!(rendered.text().contains(description), "{}", rendered.text());
    }
}

#[tokio::test]
async fn other_programs_find_a_valid_file_with_fonts() {
    let rendered = RenderedPdf::of(document(DocumentKind::Consumer, dishes(60))).await;

    assert!(rendered.run("qpdf", &["--check"]).contains("No syntax or stream encoding errors found"));
    let fonts = rendered.run("pdffonts", &[]);
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
    let rendered = RenderedPdf::of(document(DocumentKind::Consumer, dishes(1))).await;
    let info = rendered.run("pdfinfo", &["-meta"]);

    assert!(info.contains("<pdfaid:part>2</pdfaid:part>"), "{info}");
    assert!(info.contains("<pdfaid:conformance>A</pdfaid:conformance>"), "{info}");
    let info = rendered.run("pdfinfo", &[]);
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

    let rendered = RenderedPdf::of(document(DocumentKind::Consumer, lines)).await;

    assert!(rendered.bytes.starts_with(b"%PDF"));
}
