//! Notes of the composer are accepted by an authority that shares no code with it.

use dgii::Composer;
use domain::{
    FiscalDocument,
    fiscal::{
        Acceptance,
        DocumentKind::{self, Consumer, CreditNote as Note, FiscalCredit, Government},
        DocumentStage, DocumentState, EmailDelivery, FiscalLine, FiscalNumber, Issued, Numbered, Route,
        TaxTreatment::{Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
    },
    refund::{CreditNote, LineCredit, Modification, NoteReason, RemainingLines},
    text::BoundedText,
};
use ports::{DocumentComposer, Submission, TaxAuthority};
use testkit::sample::{noon, signed, symbols, today};

use crate::{
    composed::{document, in_dollars, line},
    unsigned::{ACCEPTED, ANA, AuthorityBackend, issuer, signed_by},
};

/// Submits a document under that number.
async fn submit(office: &AuthorityBackend, document: &FiscalDocument, numbered: &Numbered) {
    let full = signed_by(&ANA, &Composer.compose(document, numbered, noon()).unwrap()).await;
    let sent = match document.route() {
        Route::Full => full,
        Route::Summary => signed_by(&ANA, &Composer.summarize(document, numbered, full.security_code()).unwrap()).await,
    };
    let submission = Submission {
        tenant: testkit::sample::tenant(),
        environment: document.facts.environment,
        issuer: issuer(),
        number: numbered.number.clone(),
        route: document.route(),
        revision: 1,
        merchant_invoice_number: "F-0001".to_owned(),
        xml: sent.xml.into_bytes(),
    };
    assert_eq!(office.authority.submit(submission).await, ACCEPTED, "{:?}", document.content());
}

fn numbered(kind: DocumentKind, sequence: u64) -> Numbered {
    let number = FiscalNumber::new(kind, sequence).unwrap();
    Numbered { number, valid_until: kind.has_sequence_expiry().then(today), issue_date: today() }
}

/// Submits a document and notes of these credits, then a note of the rest.
async fn notes_are_accepted(sale: FiscalDocument, series: &[Vec<LineCredit>]) {
    let office = AuthorityBackend::new();
    let own = numbered(sale.content().kind, 1);
    submit(&office, &sale, &own).await;
    let (acceptance, signed) = (Acceptance::Accepted, signed(1));
    let stage = DocumentStage::Issued(Issued { numbered: own, signed, at: noon(), acceptance, render_retry: None });
    let original = FiscalDocument::restore(sale.facts.clone(), DocumentState { stage, ..sale.state().clone() });

    let (lines, rate) = (&original.content().lines, original.facts.rate.as_ref());
    let mut taken: Vec<LineCredit> = Vec::new();
    let mut total = 0;
    for (credits, sequence) in series.iter().cloned().chain([Vec::new()]).zip(1..) {
        let remaining = RemainingLines::of(lines, rate, &taken).unwrap();
        let credits = if credits.is_empty() { remaining.everything() } else { credits };
        taken.extend(credits.iter().copied());
        let note = CreditNote::of(&remaining, credits).unwrap();
        let is_whole = note.total() == original.total().minor_units();
        let reason = NoteReason {
            refund: domain::RefundId::new(&symbols(1)),
            modification: if is_whole { Modification::Cancels } else { Modification::CorrectsAmounts },
            text: BoundedText::parse("Cobro duplicado").unwrap(),
        };
        total += note.total();
        let content = note.content(&original, reason).unwrap();
        let note = FiscalDocument::request(original.facts.clone(), content, EmailDelivery::requested(None));
        submit(&office, &note, &numbered(Note, sequence)).await;
    }
    assert_eq!(total, original.total().minor_units());
}

fn lines(n: i64) -> Vec<FiscalLine> {
    vec![
        line(Itbis18, "3", 33_35 + n, true),
        line(Itbis16, "1.50", 120_10 + n, true),
        line(ZeroRated, "3", 33_33, false),
        line(Exempt, "5.5", 100_33 + n, true),
        line(NonBillable, "2", 25_00, false),
    ]
}

/// One dish, an amount of each line, and the rest.
fn series(n: i64) -> Vec<Vec<LineCredit>> {
    let amount = |line_number, net_minor_units| LineCredit { line_number, hundredths: None, net_minor_units };
    let dish = LineCredit { line_number: 1, hundredths: Some(100), net_minor_units: 33_35 + n };
    vec![vec![dish], vec![dish], vec![amount(1, 5), amount(2, 77_77), amount(3, 1), amount(4, 100_01)]]
}

#[tokio::test]
async fn every_note_of_a_series_is_accepted() {
    for n in 0..5 {
        for kind in [Consumer, FiscalCredit, Government] {
            notes_are_accepted(document(kind, lines(n)), &series(n)).await;
            notes_are_accepted(document(kind, lines(n)), &[]).await;
        }
    }
}

/// The authority has no remark on an amount in dollars.
#[tokio::test]
async fn every_note_in_dollars_is_accepted() {
    for (n, ratio) in (0..).zip([58_1234, 63_4499, 60_0000, 47_0001]) {
        notes_are_accepted(in_dollars(&document(FiscalCredit, lines(n)), ratio), &series(n)).await;
        notes_are_accepted(in_dollars(&document(FiscalCredit, lines(n)), ratio), &[]).await;
    }
}
