//! Required content of the printed representation.

use std::process::Command;

use domain::{
    Currency, FiscalDocument,
    fiscal::{DocumentFacts, DocumentKind, ExchangeRate, FiscalLine, TaxTreatment, verification_url},
    text::BoundedText,
};
use testkit::sample;

use crate::support::{Paper, dishes, document, numbered, signed};

fn named(description: &str, line: FiscalLine) -> FiscalLine {
    FiscalLine { description: BoundedText::parse(description).expect("a line"), ..line }
}

/// One line of each treatment, with accents.
fn mixed() -> Vec<FiscalLine> {
    let of = |tax_treatment, price| FiscalLine { tax_treatment, is_legal_tip_applicable: false, ..sample::line(price) };
    vec![
        named("Piña colada «añejo»", sample::line(1_234_567_89)),
        named("Yogur", of(TaxTreatment::Itbis16, 33_35)),
        named("Exportación", of(TaxTreatment::ZeroRated, 5_00)),
        named("Pan sobao", of(TaxTreatment::Exempt, 70_00)),
        named("Propina de la casa", of(TaxTreatment::NonBillable, 12_00)),
    ]
}

#[track_caller]
fn says(text: &str, facts: &[&str]) {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for fact in facts {
        assert!(spaced.contains(fact), "{fact:?} in\n{text}");
    }
}

#[tokio::test]
async fn each_kind_has_the_required_content() {
    for (kind, title, has_expiry) in [
        (DocumentKind::FiscalCredit, "Factura de Crédito Fiscal Electrónica", true),
        (DocumentKind::Government, "Comprobante Electrónico Gubernamental", true),
        (DocumentKind::Consumer, "Factura de Consumo Electrónica", false),
    ] {
        let paper = Paper::of(document(kind, mixed())).await;
        let text = paper.text();

        let facts = &paper.document.facts;
        let numbered = numbered(&paper.document);
        says(
            &paper.read(),
            &[
                title,
                facts.issuer.trade_name.as_str(),
                facts.issuer.legal_name.as_str(),
                &format!("RNC: {}", facts.issuer.rnc.as_str()),
                &format!("e-NCF: {}", numbered.number.as_str()),
                &format!("Fecha de emisión: {}", numbered.issue_date.format("%d-%m-%Y")),
                "Código de Seguridad: aB3+/=",
                "Fecha de Firma Digital: ",
                "Piña colada «añejo»",
                "E Pan sobao",
                "Página 1 de 1",
                "SIN VALIDEZ FISCAL",
            ],
        );
        assert_eq!(text.contains("Fecha Vencimiento: 31-12-2027"), has_expiry, "{text}");
        assert_eq!(text.contains("José Ramón Güílamo Peña & Hijos"), kind != DocumentKind::Consumer, "{text}");
        assert_eq!(text.contains("RNC Cliente: 131880681"), kind != DocumentKind::Consumer, "{text}");
    }
}

/// Every amount is in the breakdown.
#[tokio::test]
async fn the_amounts_are_those_of_the_document() {
    let paper = Paper::of(document(DocumentKind::Consumer, mixed())).await;
    let text = paper.text();

    says(
        &text,
        &[
            "Subtotal gravado 18 % 1,234,567.89",
            "Subtotal gravado 16 % 33.35",
            "Subtotal gravado 0 % 5.00",
            "Subtotal exento 70.00",
            // 222,222.2202 and 5.336, each rounded separately.
            "Total ITBIS 222,227.56",
            "Propina legal 10 % 123,456.79",
            "TOTAL RD$ 1,580,360.59",
            "E: exento de ITBIS",
            "Monto no facturable, fuera del total: 12.00",
        ],
    );
    assert_eq!(paper.document.content().breakdown.total_minor_units, 1_580_360_59);
}

/// An independent reader decodes the QR code.
#[tokio::test]
async fn the_qr_code_opens_the_authoritys_page() {
    for kind in [DocumentKind::FiscalCredit, DocumentKind::Consumer] {
        let paper = Paper::of(document(kind, dishes(3))).await;
        let read = Command::new("zbarimg").args(["--raw", "--quiet"]).arg(paper.picture()).output().expect("it runs");

        let expected = verification_url(&paper.document, &numbered(&paper.document), &signed());
        assert_eq!(String::from_utf8_lossy(&read.stdout).trim(), expected);
    }
}

#[tokio::test]
async fn a_character_without_a_glyph_is_a_placeholder() {
    let strange = vec![named("Café 🍹 東京 — «ok»", sample::line(10_00))];

    let paper = Paper::of(document(DocumentKind::Consumer, strange)).await;

    says(&paper.text(), &["Café ? ?? — «ok»"]);
}

/// Text of a line, and text in the PDF.
#[tokio::test]
async fn missing_characters_are_replaced_by_equivalents() {
    let texts = [
        // Symbols that the font has.
        ("₡ € ¢ £ ™ ® © ½ ¼ ¾ ⅓ ² ³ º ª ° № ±", "₡ € ¢ £ ™ ® © ½ ¼ ¾ ⅓ ² ³ º ª ° № ±"),
        ("“a” ‘b’ — – … • · → × ÷ ≤ ♥", "“a” ‘b’ — – … • · → × ÷ ≤ ♥"),
        // Combining accents.
        ("Cafe\u{301} con pin\u{303}a, pingu\u{308}ino, U\u{301}nico", "Café con piña, pingüino, Único"),
        // Compatibility forms.
        ("ﬁno ﬂan o\u{fb00}icina Ⅳ ⅷ ① ⑴ ❷ ㎏ ㎡ ℃ ℠", "fino flan officina IV viii 1 (1) 2 kg m2 °C SM"),
        ("ＡＢＣ１２３ ｱ １０％", "ABC123 ? 10%"),
        // Similar characters.
        ("a‐b c‑d ✓ ✔ ☑ ✅ ✗ ❌ ★ ⇒ ➡ ▶ ❝x❞ ➕", "a-b c-d √ √ √ √ × × * → → ► \"x\" +"),
        ("1\u{fe0f}\u{20e3} \u{1f1e9}\u{1f1f4}", "1 DO"),
        // A combined emoji is one placeholder.
        ("🍹 🍹🍹 👩‍🍳 👨‍👩‍👧‍👦 👍🏽 🏃🏽‍♂️ ❤️‍🔥 x", "? ?? ? ? ? ? ♥? x"),
        ("שלום سلام 東京", "???? ???? ??"),
    ];
    for (sent, read) in texts {
        let paper = Paper::of(document(DocumentKind::Consumer, vec![named(sent, sample::line(10_00))])).await;
        // The program takes spaces between single characters for letter spacing.
        let [text, read] = [&*paper.text(), read].map(|it| it.split_whitespace().collect::<String>());
        assert!(text.contains(&read), "{read} in {text}");
    }
}

/// Amounts as charged, with the currency in the label, and the total in pesos.
#[tokio::test]
async fn a_sale_in_dollars_shows_currency_rate_and_pesos() {
    let in_pesos = document(DocumentKind::FiscalCredit, vec![sample::line(1_000_00)]);
    let source = BoundedText::parse("Banco Central").expect("a line");
    let rate = ExchangeRate::new(Currency::Usd, 58_1234, sample::today(), source, sample::today());
    let facts = DocumentFacts { currency: Currency::Usd, rate, ..in_pesos.facts.clone() };
    let in_dollars = FiscalDocument::restore(facts, in_pesos.state().clone());

    let paper = Paper::of(in_dollars).await;

    says(
        &paper.read(),
        &[
            "Moneda: USD",
            "Tasa de cambio: 58.1234 (Banco Central, 01-03-2026)",
            "Total en pesos: RD$ 74,397.95",
            "Precio USD",
            "Valor USD",
            "Subtotal gravado 18 % USD",
            "Total ITBIS USD",
            "TOTAL US$",
            "1,280.00",
        ],
    );
    assert!(!Paper::of(in_pesos).await.read().contains("USD"));
}
