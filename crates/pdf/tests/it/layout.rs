//! Text is neither truncated nor overlapping.

use domain::{
    fiscal::{DocumentKind, Quantity},
    text::BoundedText,
};

use crate::support::{Paper, dishes, document};

/// A word with its box, in thousandths of a point.
#[derive(Debug)]
struct Word {
    text: String,
    left: i64,
    top: i64,
    right: i64,
    bottom: i64,
}

/// Returns the words of each page.
fn words(paper: &Paper) -> Vec<Vec<Word>> {
    let text = paper.told_by("sh", &["-c", "pdftotext -bbox \"$0\" -"]);
    let thousandths = |line: &str, name: &str| {
        let from = line.find(&format!("{name}=\"")).expect("a corner") + name.len() + 2;
        let number = line[from..].split('"').next().expect("a number");
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        whole.parse::<i64>().expect("digits") * 1000 + format!("{part:0<3.3}").parse::<i64>().expect("digits")
    };
    let mut pages = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("<page") {
            pages.push(Vec::new());
        }
        if let (true, Some(page)) = (line.starts_with("<word"), pages.last_mut()) {
            let from = line.find('>').expect("the end of a tag") + 1;
            page.push(Word {
                text: line[from..].trim_end_matches("</word>").to_owned(),
                left: thousandths(line, "xMin"),
                top: thousandths(line, "yMin"),
                right: thousandths(line, "xMax"),
                bottom: thousandths(line, "yMax"),
            });
        }
    }
    pages
}

/// Boxes have the full height of the font, so those of adjacent lines may touch.
fn overlap(one: &Word, two: &Word) -> bool {
    let shared = |from: (i64, i64), to: (i64, i64)| from.1.min(to.1) - from.0.max(to.0);
    shared((one.left, one.right), (two.left, two.right)) > 500
        && shared((one.top, one.bottom), (two.top, two.bottom)) > 3_500
}

#[track_caller]
fn check(pages: &[Vec<Word>]) {
    for (number, page) in pages.iter().enumerate() {
        for (index, word) in page.iter().enumerate() {
            let is_inside =
                word.left >= 56_000 && word.right <= 556_000 && word.top >= 50_000 && word.bottom <= 742_000;
            assert!(is_inside, "{:?} on page {number}: {word:?}", word.text);
            if let Some(other) = page[index + 1..].iter().find(|it| overlap(word, it)) {
                panic!("{word:?} and {other:?} on page {number}");
            }
        }
    }
}

#[tokio::test]
async fn up_to_a_thousand_lines_are_printed_without_overlap() {
    for (count, is_one_page) in [(1, true), (10, true), (15, true), (20, true), (40, false), (60, false), (1000, false)]
    {
        let paper = Paper::of(document(DocumentKind::FiscalCredit, dishes(count))).await;
        let pages = words(&paper);

        assert_eq!(pages.len() == 1, is_one_page, "{count} lines on {} pages", pages.len());
        check(&pages);
        let text = paper.text();
        for n in 1..=count {
            assert_eq!(text.matches(&format!("Plato {n}:")).count(), 1, "dish {n} of {count}");
        }
        assert_eq!(text.matches("Código de Seguridad:").count(), pages.len(), "{count}");
        assert_eq!(text.matches("TOTAL RD$").count(), 1);
        assert!(text.contains(&format!("Página {0} de {0}", pages.len())));
    }
}

/// Each page except the last has a subtotal, and the last has the total.
#[tokio::test]
async fn the_subtotals_of_the_pages_add_up() {
    let paper = Paper::of(document(DocumentKind::Consumer, dishes(130))).await;
    let text = paper.text();
    let pages: Vec<&str> = text.split('\u{c}').filter(|it| !it.trim().is_empty()).collect();
    let cents = |text: &str| text.replace([',', '.'], "").parse::<i64>().expect("an amount");
    let last_word = |line: &str| cents(line.split_whitespace().next_back().expect("a word"));

    let mut sums = 0;
    for page in &pages[..pages.len() - 1] {
        let said = page.lines().find(|it| it.contains("Subtotal de esta página")).map(last_word).expect("a sum");
        let dishes: i64 = page.lines().filter(|it| it.contains("Plato ")).map(last_word).sum();
        assert_eq!(said, dishes);
        sums += said;
    }
    let last = pages.last().expect("a page");
    assert!(!last.contains("Subtotal de esta página"));
    sums += last.lines().filter(|it| it.contains("Plato ")).map(last_word).sum::<i64>();
    assert_eq!(sums, paper.document.content().breakdown.taxable_bases[0].base_minor_units);
}

#[tokio::test]
async fn the_longest_texts_and_numbers_do_not_overlap() {
    let mut lines = dishes(3);
    lines[0].description = BoundedText::parse(&"M".repeat(80)).expect("a line");
    lines[1].description = BoundedText::parse(&"palabra ".repeat(9)).expect("a line");
    lines[1].quantity = Quantity::parse("999999.99").expect("a quantity");
    lines[1].unit_price_minor_units = 99_999_99;
    let mut document = document(DocumentKind::FiscalCredit, lines);
    document.facts.issuer.legal_name = BoundedText::parse(&"W".repeat(150)).expect("a line");
    document.facts.issuer.trade_name = BoundedText::parse(&"Comercial Ñandú ".repeat(7)).expect("a line");
    document.facts.issuer.address = "Avenida Winston Churchill esquina Roberto Pastoriza, ".repeat(3);

    check(&words(&Paper::of(document).await));
}

/// Readers need a quiet zone of three millimeters around the code.
#[tokio::test]
async fn the_qr_code_has_a_quiet_zone() {
    let paper = Paper::of(document(DocumentKind::Government, dishes(16))).await;
    let (width, points) = paper.points();

    // The code and the zone around, in points.
    let (left, top, right, bottom) = (57, 627, 137, 707);
    let around = 8;
    let dark = |x: usize, y: usize| points[y * width + x] < 128;
    let is_inside = |x, y| (left..right).contains(&x) && (top..bottom).contains(&y);
    for y in top - around..bottom + around {
        for x in left - around..right + around {
            assert!(is_inside(x, y) || !dark(x, y), "{x} {y}");
        }
    }
    assert!((left..right).any(|x| dark(x, top)) && (top..bottom).any(|y| dark(left, y)), "it is there");
}
