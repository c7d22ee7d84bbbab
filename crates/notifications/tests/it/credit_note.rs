//! E-mails with credit notes.

use domain::{
    fiscal::{DocumentStage, Issued},
    refund::LineCredit,
    text::{BoundedText, Email},
};
use notifications::EmailTemplates;
use ports::{Mail, MailComposer, Papers};
use testkit::sample;

fn note_email(locale: &str, credits: Option<Vec<LineCredit>>) -> Mail {
    let mut sale = sample::issued(1);
    sale.payment.facts.display.locale = BoundedText::parse(locale).unwrap();
    let DocumentStage::Issued(original) = sale.document.stage() else { panic!("the sample is issued") };
    let issued = Issued { numbered: sample::note_number(7), ..original.clone() };
    let note = sample::credit_note(&sale.document, credits);
    let mut delivery = sample::delivery(1, 1);
    delivery.email = Email::parse("rosa@correo.example").unwrap();
    let papers = Papers { signed: b"<ECF/>".to_vec(), printed: b"%PDF".to_vec() };
    EmailTemplates.credit_note(&sale, &note, &issued, &delivery, papers)
}

fn half() -> Option<Vec<LineCredit>> {
    Some(vec![LineCredit { line_number: 1, hundredths: None, net_minor_units: 500_00 }])
}

#[test]
fn the_subject_has_the_number_and_the_trade_name() {
    let trade_name = sample::issued(1).document.facts.issuer.trade_name.as_str().to_owned();

    assert_eq!(note_email("es-DO", None).subject, format!("Nota de crédito E340000000007 de {trade_name}"));
    assert_eq!(note_email("en-US", None).subject, format!("Credit note E340000000007 of {trade_name}"));
}

#[test]
fn the_text_names_the_original_and_the_reason() {
    for (locale, credits, line) in [
        (
            "es-DO",
            None,
            "La nota anula su Factura de Consumo Electrónica E320000000001, con fecha 01-03-2026. Motivo: Devolución de \
             mercancía.",
        ),
        (
            "es-DO",
            half(),
            "La nota corrige montos de su Factura de Consumo Electrónica E320000000001, con fecha 01-03-2026. Motivo: \
             Devolución de mercancía.",
        ),
        (
            "en-US",
            half(),
            "The note corrects amounts of your consumer invoice E320000000001, dated Mar 1, 2026. Reason: Devolución de \
             mercancía.",
        ),
    ] {
        let text = note_email(locale, credits).text;

        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
}

/// The amounts are those of the note.
#[test]
fn the_text_has_the_amounts_of_the_note() {
    let text = note_email("es-DO", half()).text;

    for line in [
        "Subtotal gravado 18 %: RD$ 500.00",
        "ITBIS: RD$ 90.00",
        "Propina legal 10 %: RD$ 50.00",
        "Total del comprobante: RD$ 640.00",
        "e-NCF: E340000000007",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
    assert!(!text.contains("Total pagado"), "{text}");
    assert!(text.contains("https://ecf.dgii.gov.do/"), "{text}");
}

#[test]
fn both_files_of_the_note_are_attached() {
    let names: Vec<_> = note_email("es-DO", None).attachments.into_iter().map(|it| it.name).collect();

    assert_eq!(names, ["E340000000007.xml", "E340000000007.pdf"]);
}
