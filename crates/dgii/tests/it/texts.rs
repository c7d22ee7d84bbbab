//! Texts in a document are unchanged, except for surrounding white space.

use domain::fiscal::{Buyer, DocumentKind::FiscalCredit, TaxTreatment::Itbis18};

use crate::support::{COMPANY, buyer, composed, content, described, inside, line, text, value};

/// Texts that have broken documents.
pub(crate) const DIFFICULT: [&str; 8] = [
    "CAFÉ CON LECHE, ÑANDÚ Y PINGÜINO",
    r#"Galletas <b>"Oreo"</b> & Co's"#,
    "Ya escapado: &amp; &lt; &#65; ]]> <!-- --> <?x?>",
    "Pizza 🍕 con 👨‍👩‍👧‍👦",
    "© 2026 Marca® a 5 €",
    "中文 العربية עברית",
    "\u{a0}espacio duro\u{a0}por dentro\u{a0}",
    "  Mofongo  ",
];

#[test]
fn every_text_is_read_back_unchanged() {
    for sent in DIFFICULT {
        let mut sale = content(FiscalCredit, vec![described(sent, line(Itbis18, "1", 100_00))]);
        sale.buyer = Some(Buyer { address: Some(text(sent)), contact_name: Some(text(sent)), ..buyer(COMPANY, sent) });

        let xml = composed(sale);

        for element in ["NombreItem", "RazonSocialComprador", "ContactoComprador", "DireccionComprador"] {
            assert_eq!(value(&xml, element), sent.trim());
        }
    }
}

#[test]
fn markup_is_escaped_once_and_by_name() {
    let sale = content(FiscalCredit, vec![described(r#"<M> "a" & 'b'"#, line(Itbis18, "1", 100_00))]);

    let xml = composed(sale);

    assert_eq!(inside(&xml, "NombreItem"), "&lt;M&gt; &quot;a&quot; &amp; &apos;b&apos;");
}

#[test]
fn the_symbols_that_the_authority_names_are_written_as_numbers() {
    let xml = composed(content(FiscalCredit, vec![described("©®€ é", line(Itbis18, "1", 100_00))]));

    assert_eq!(inside(&xml, "NombreItem"), "&#169;&#174;&#8364; é");
}

#[test]
fn an_emoji_is_one_character() {
    let eighty = "🍕".repeat(80);

    let xml = composed(content(FiscalCredit, vec![described(&eighty, line(Itbis18, "1", 100_00))]));

    assert_eq!(value(&xml, "NombreItem"), eighty);
}
