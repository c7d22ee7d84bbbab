//! Credit notes: handed documents, schema, and notes that are not written.

use std::fs;

use chrono::{DateTime, Days, NaiveDate, Utc};
use dgii::Composer;
use domain::{
    Currency, FiscalDocument, RefundId, Symbols,
    fiscal::{
        Acceptance, Content, DocumentFacts,
        DocumentKind::{Consumer, CreditNote as Note, FiscalCredit, Government},
        DocumentStage, DocumentState, EmailDelivery, FiscalLine, FiscalNumber, Issued, Issuer, NoteContent, Numbered,
        ServiceCharge,
        TaxTreatment::{Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
    },
    refund::{CreditNote, LineCredit, Modification, NoteReason, RemainingLines},
    text::{BoundedText, Digits},
};
use ports::{DocumentComposer, Malformed};

use crate::{
    dollars::rate,
    schema::{check, schema_of},
    support::{at, content, document, facts, line, noon, numbered, text, tipped, value, values},
};

/// Returns the document, accepted on that day under that number.
fn issued(document: &FiscalDocument, number: FiscalNumber, day: NaiveDate) -> FiscalDocument {
    let stage = DocumentStage::Issued(Issued {
        numbered: Numbered { number, valid_until: None, issue_date: day },
        signed: testkit::sample::signed(1),
        at: noon(),
        acceptance: Acceptance::Accepted,
        render_retry: None,
    });
    FiscalDocument::restore(document.facts.clone(), DocumentState { stage, ..document.state().clone() })
}

fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap()
}

fn reason(modification: Modification) -> NoteReason {
    let text = BoundedText::parse("Devolución de mercancía").unwrap();
    NoteReason { refund: RefundId::new(&Symbols::spell(&[8; 16]).unwrap()), modification, text }
}

/// Returns the notes of a series of credits, each with the content of its document.
fn notes(original: &FiscalDocument, series: &[Vec<LineCredit>]) -> Vec<Content> {
    let (lines, rate) = (&original.content().lines, original.facts.rate.as_ref());
    let mut taken = Vec::new();
    let note = |credits: &Vec<LineCredit>| {
        let remaining = RemainingLines::of(lines, rate, &taken).unwrap();
        let credits = if credits.is_empty() { remaining.everything() } else { credits.clone() };
        taken.extend(credits.iter().copied());
        let note = CreditNote::of(&remaining, credits).unwrap();
        let total = original.total().minor_units();
        let modification = if note.total() == total { Modification::Cancels } else { Modification::CorrectsAmounts };
        note.content(original, reason(modification)).unwrap()
    };
    series.iter().map(note).collect()
}

fn compose(original: &FiscalDocument, content: Content, numbered: &Numbered) -> Result<String, Malformed> {
    let document = FiscalDocument::request(original.facts.clone(), content, EmailDelivery::requested(None));
    Composer.compose(&document, numbered, noon())
}

fn composed(original: &FiscalDocument, series: &[Vec<LineCredit>]) -> Vec<String> {
    let numbered = Numbered { issue_date: day(2026, 2, 1), ..numbered(Note) };
    notes(original, series).into_iter().map(|note| compose(original, note, &numbered).unwrap()).collect()
}

const fn quantity(line_number: u16, hundredths: u64, net_minor_units: i64) -> LineCredit {
    LineCredit { line_number, hundredths: Some(hundredths), net_minor_units }
}

const fn amount(line_number: u16, net_minor_units: i64) -> LineCredit {
    LineCredit { line_number, hundredths: None, net_minor_units }
}

/// The sale of the handed notes: three dishes with ITBIS and tip.
fn handed_sale(price: i64, facts: DocumentFacts) -> FiscalDocument {
    let issuer = Issuer { trade_name: text("VECTOR"), address: "CALLE DE PRUEBA 1".to_owned(), ..facts.issuer };
    let sale = Content {
        merchant_invoice_number: text("F-0001"),
        merchant_order_number: Digits::parse("1").unwrap(),
        ..content(Consumer, vec![tipped(line(Itbis18, "3", price))])
    };
    FiscalDocument::request(DocumentFacts { issuer, ..facts }, sale, EmailDelivery::requested(None))
}

/// Returns a handed document without its signature.
fn handed(file: &str) -> String {
    let path = format!("{}/../../fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
    let xml = fs::read_to_string(path).unwrap();
    let (before, rest) = xml.trim_end().split_once("<Signature").unwrap();
    format!("{before}{}", rest.split_once("</Signature>").unwrap().1)
}

const HANDED_AT: (i32, u32, u32, u32, u32, u32) = (2026, 12, 2, 13, 30, 0);

fn handed_moment() -> DateTime<Utc> {
    let (year, month, day, hour, minute, second) = HANDED_AT;
    at(year, month, day, hour, minute, second)
}

#[test]
fn the_second_of_three_dishes_is_the_handed_note() {
    let number = FiscalNumber::new(Consumer, 1).unwrap();
    let original = issued(&handed_sale(33_35, facts()), number, day(2026, 11, 29));
    let numbered =
        Numbered { number: FiscalNumber::new(Note, 2).unwrap(), valid_until: None, issue_date: day(2026, 12, 2) };
    let dish = || vec![quantity(1, 100, 33_35)];

    let note = notes(&original, &[dish(), dish()]).remove(1);

    let document = FiscalDocument::request(original.facts.clone(), note, EmailDelivery::requested(None));
    let xml = Composer.compose(&document, &numbered, handed_moment()).unwrap();
    assert_eq!(xml, handed("refunds_e34_partial.xml"));
}

#[test]
fn a_late_note_in_dollars_is_the_handed_note() {
    let number = FiscalNumber::new(FiscalCredit, 1).unwrap();
    let facts = DocumentFacts { currency: Currency::Usd, rate: Some(rate("58.1234")), ..facts() };
    let original = issued(&handed_sale(25_99, facts), number, day(2026, 10, 29));
    let numbered =
        Numbered { number: FiscalNumber::new(Note, 3).unwrap(), valid_until: None, issue_date: day(2026, 12, 2) };

    let note = notes(&original, &[vec![quantity(1, 100, 25_99)]]).remove(0);

    let document = FiscalDocument::request(original.facts.clone(), note, EmailDelivery::requested(None));
    let xml = Composer.compose(&document, &numbered, handed_moment()).unwrap();
    assert_eq!(xml, handed("refunds_e34_usd.xml"));
}

/// A line of each treatment, with and without the tip.
fn every_class() -> Vec<FiscalLine> {
    vec![
        tipped(line(Itbis18, "2", 450_00)),
        tipped(line(Itbis16, "1.50", 120_11)),
        line(ZeroRated, "3", 33_33),
        tipped(line(Exempt, "5.5", 100_33)),
        line(Itbis18, "4", 10_03),
        line(NonBillable, "2", 25_00),
    ]
}

/// Quantities, then amounts of the same lines, then the rest.
fn series() -> Vec<Vec<LineCredit>> {
    vec![
        vec![quantity(1, 100, 450_00), quantity(2, 50, 60_06)],
        vec![quantity(5, 100, 10_03)],
        vec![amount(1, 1_01), amount(4, 77)],
        vec![amount(3, 33_34)],
        Vec::new(),
    ]
}

fn originals() -> Vec<FiscalDocument> {
    let mut originals = Vec::new();
    for kind in [Consumer, FiscalCredit, Government] {
        let number = FiscalNumber::new(kind, 1).unwrap();
        let in_pesos = document(content(kind, every_class()));
        let facts = DocumentFacts { currency: Currency::Usd, rate: Some(rate("58.1234")), ..facts() };
        let in_dollars = FiscalDocument::restore(facts, in_pesos.state().clone());
        originals.extend([in_pesos, in_dollars].map(|sale| issued(&sale, number.clone(), day(2026, 1, 15))));
    }
    originals
}

#[test]
fn notes_follow_their_schema() {
    let mut documents = Vec::new();
    for original in originals() {
        documents.extend(composed(&original, &series()));
        documents.extend(composed(&original, &[Vec::new()]));
    }

    check(schema_of(Note), &documents);
    assert_eq!(documents.len(), 36);
}

#[test]
fn a_note_has_no_payment_table_no_expiry_and_no_non_billable_amount() {
    for original in originals() {
        for xml in composed(&original, &series()) {
            for element in ["TablaFormasPago", "FechaVencimientoSecuencia", "MontoNoFacturable", "TerminoPago"] {
                assert!(!xml.contains(element), "{element} in {xml}");
            }
            assert_eq!(value(&xml, "TipoIngresos"), "01");
        }
    }
}

#[test]
fn a_credit_by_amount_is_one_unit_at_that_price() {
    let [in_pesos, in_dollars] = [0, 1].map(|index| originals().remove(index));

    let notes = composed(&in_pesos, &series());
    assert_eq!(values(&notes[0], "CantidadItem"), ["1", "0.5"]);
    assert_eq!(values(&notes[0], "PrecioUnitarioItem"), ["450.00", "120.11"]);
    assert_eq!(values(&notes[2], "CantidadItem"), ["1", "1"]);
    assert_eq!(values(&notes[2], "UnidadMedida"), ["43", "43"]);
    assert_eq!(values(&notes[2], "PrecioUnitarioItem"), ["1.01", "0.77"]);

    let notes = composed(&in_dollars, &series());
    assert_eq!(values(&notes[0], "PrecioUnitarioItem"), ["26155.5300", "6981.2016"]);
    let by_amount = values(&notes[2], "MontoItem");
    assert_eq!(
        values(&notes[2], "PrecioUnitarioItem"),
        by_amount.iter().map(|it| format!("{it}00")).collect::<Vec<_>>()
    );
    assert_eq!(values(&notes[2], "PrecioOtraMoneda"), ["1.01", "0.77"]);
}

#[test]
fn a_whole_note_cancels_and_repeats_the_figures_of_its_original() {
    for original in originals() {
        let [note] = composed(&original, &[Vec::new()]).try_into().unwrap();
        let number = original.stage().numbered().unwrap();
        let sale =
            Composer.compose(&original, &Numbered { valid_until: Some(day(2027, 12, 31)), ..number.clone() }, noon());
        let sale = sale.unwrap();

        assert_eq!(
            (value(&note, "CodigoModificacion"), value(&note, "NCFModificado")),
            ("1".to_owned(), number.number.to_string())
        );
        for element in ["MontoGravadoI1", "TotalITBIS2", "MontoExento", "MontoImpuestoAdicional", "MontoTotal"] {
            assert_eq!(value(&note, element), value(&sale, element));
        }
        assert_eq!(values(&note, "RNCComprador"), values(&sale, "RNCComprador"));
    }
}

/// The indicator counts calendar days: day 30 is in time, day 31 is late.
#[test]
fn the_indicator_changes_after_thirty_days() {
    let original = originals().remove(0);
    let note = || notes(&original, &[Vec::new()]).remove(0);
    for (days, indicator) in [(0, "0"), (30, "0"), (31, "1"), (366, "1")] {
        let issue_date = day(2026, 1, 15).checked_add_days(Days::new(days)).unwrap();
        let xml = compose(&original, note(), &Numbered { issue_date, ..numbered(Note) }).unwrap();

        assert_eq!(value(&xml, "IndicadorNotaCredito"), indicator, "{days}");
    }
}

/// Each note breaks one rule.
#[test]
fn a_note_that_breaks_a_rule_is_not_written() {
    let original = originals().remove(0);
    let note = || notes(&original, &series()).remove(0);
    let numbered = Numbered { issue_date: day(2026, 2, 1), ..numbered(Note) };
    let refused = |content: Content| compose(&original, content, &numbered).unwrap_err().element;
    let with = |change: &dyn Fn(&mut Content)| {
        let mut note = note();
        change(&mut note);
        refused(note)
    };
    let in_note = |change: &dyn Fn(&mut NoteContent)| with(&|content| change(content.note.as_mut().unwrap()));

    assert!(compose(&original, note(), &numbered).is_ok());
    assert_eq!(with(&|it| it.note = None), "InformacionReferencia");
    assert_eq!(in_note(&|it| it.modified = None), "FechaNCFModificado");
    let later = day(2026, 2, 2);
    assert_eq!(in_note(&|it| it.modified.as_mut().unwrap().issue_date = later), "FechaNCFModificado");
    assert_eq!(with(&|it| it.lines[0].tax_treatment = NonBillable), "IndicadorFacturacion");
    assert_eq!(with(&|it| it.lines[0].unit_price_minor_units += 2), "MontoItem");
    assert_eq!(with(&|it| it.breakdown.line_totals[0] += 1), "MontoGravadoTotal");
    assert_eq!(with(&|it| it.breakdown.taxable_bases.truncate(1)), "MontoGravadoTotal");
    assert_eq!(with(&|it| it.breakdown.taxable_bases[0].tax_minor_units += 2), "TotalITBIS");
    assert_eq!(with(&|it| it.breakdown.taxes_minor_units += 1), "TotalITBIS");
    assert_eq!(with(&|it| it.breakdown.exempt_minor_units += 1), "MontoExento");
    let tip = |it: &mut Content, by: i64| it.breakdown.service_charges[0].minor_units += by;
    assert_eq!(with(&|it| tip(it, 2)), "MontoImpuestoAdicional");
    assert_eq!(
        with(&|it| it.breakdown.service_charges = vec![ServiceCharge { minor_units: 0 }]),
        "MontoImpuestoAdicional"
    );
    assert_eq!(with(&|it| it.breakdown.total_minor_units += 1), "MontoTotal");
    assert_eq!(with(&|it| it.breakdown.non_billable_minor_units = 1), "MontoNoFacturable");
}

/// A centavo is the difference of two roundings.
#[test]
fn tax_and_tip_may_be_a_centavo_off_their_rates() {
    let original = originals().remove(0);
    let numbered = Numbered { issue_date: day(2026, 2, 1), ..numbered(Note) };
    let mut note = notes(&original, &series()).remove(0);
    let breakdown = &mut note.breakdown;
    breakdown.taxable_bases[0].tax_minor_units += 1;
    breakdown.taxes_minor_units += 1;
    breakdown.service_charges[0].minor_units -= 1;

    assert!(compose(&original, note, &numbered).is_ok());
}

#[test]
fn a_line_in_pesos_is_its_product_to_the_peso() {
    let original = originals().remove(1);
    let numbered = Numbered { issue_date: day(2026, 2, 1), ..numbered(Note) };
    let mut note = notes(&original, &series()).remove(1);
    let pesos = note.note.as_mut().unwrap().pesos.as_mut().unwrap();
    for amount in
        [&mut pesos.line_totals[0], &mut pesos.taxable_bases[0].base_minor_units, &mut pesos.total_minor_units]
    {
        *amount += 1_02;
    }

    assert_eq!(compose(&original, note, &numbered).unwrap_err().element, "MontoItem");
}

#[test]
fn a_sale_never_has_a_reference() {
    let original = originals().remove(0);
    let reference = notes(&original, &[Vec::new()]).remove(0).note;
    let sale = Content { note: reference, ..original.content().clone() };

    let outcome = Composer.compose(&document(sale), &numbered(Consumer), noon());

    assert_eq!(outcome.unwrap_err().element, "InformacionReferencia");
}

#[test]
fn a_note_is_never_summarized() {
    let original = originals().remove(0);
    let note = notes(&original, &[Vec::new()]).remove(0);
    let numbered = Numbered { issue_date: day(2026, 2, 1), ..numbered(Note) };
    let document = FiscalDocument::request(original.facts.clone(), note, EmailDelivery::requested(None));

    assert!(Composer.summarize(&document, &numbered, "y3n9Gz").is_err());
}
