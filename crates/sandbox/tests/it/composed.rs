//! Composer and authority share no code, and agree.

use dgii::Composer;
use domain::{
    Currency, FiscalDocument, Mode,
    fiscal::{
        Breakdown, Buyer, Content, DocumentFacts,
        DocumentKind::{self, Consumer, FiscalCredit, Government},
        EmailDelivery, Environment, ExchangeRate, FiscalLine, FiscalNumber, IssuanceMode, Issuer, Numbered, Quantity,
        Route, TaxId,
        TaxTreatment::{self, Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
    },
    text::{BoundedText, Digits},
};
use ports::{DocumentComposer, Submission, TaxAuthority};
use sandbox::demo_buyers;
use testkit::sample::{self, document_id, merchant_id, noon, payment_id, today};

use crate::unsigned::{ACCEPTED, ANA, AuthorityBackend, issuer, signed_by};

pub(crate) fn line(tax_treatment: TaxTreatment, quantity: &str, price: i64, bears_tip: bool) -> FiscalLine {
    FiscalLine {
        description: BoundedText::parse("Café & \"té\" <frío>").unwrap(),
        quantity: Quantity::parse(quantity).unwrap(),
        tax_treatment,
        is_legal_tip_applicable: bears_tip,
        ..sample::line(price)
    }
}

pub(crate) fn document(kind: DocumentKind, lines: Vec<FiscalLine>) -> FiscalDocument {
    let named = |tax_id: &str| Buyer {
        legal_name: Some("COMPRADOR, SRL".to_owned()),
        ..Buyer::new(TaxId::parse(tax_id).unwrap())
    };
    let breakdown = Breakdown::of(&lines, true).unwrap();
    let needs_buyer = kind != Consumer || breakdown.total_minor_units >= 250_000_00;
    let content = Content {
        kind,
        merchant_invoice_number: BoundedText::parse("F-0001").unwrap(),
        merchant_order_number: Digits::parse("1").unwrap(),
        buyer: needs_buyer
            .then(|| named(if kind == Government { demo_buyers().government } else { demo_buyers().company })),
        government: None,
        breakdown,
        lines,
        note: None,
    };
    let facts = DocumentFacts {
        id: document_id(1),
        payment: payment_id(1),
        merchant: merchant_id(1),
        mode: Mode::Test,
        environment: Environment::PreCertification,
        issuer: Issuer {
            rnc: issuer(),
            legal_name: BoundedText::parse("RESTAURANTE, SRL").unwrap(),
            trade_name: BoundedText::parse("La Esquina").unwrap(),
            address: "Calle El Conde 1, Santo Domingo".to_owned(),
        },
        issuance_mode: IssuanceMode::Deferred,
        currency: Currency::Dop,
        rate: None,
        allowed_kinds: None,
        is_kind_locked: false,
        is_buyer_locked: false,
        created_at: noon(),
    };
    FiscalDocument::request(facts, content, EmailDelivery::requested(None))
}

/// Composes, signs and submits a document.
async fn accepted(kind: DocumentKind, lines: Vec<FiscalLine>) {
    is_accepted(document(kind, lines)).await;
}

/// The same document, charged in dollars.
pub(crate) fn in_dollars(document: &FiscalDocument, ratio: u32) -> FiscalDocument {
    let source = BoundedText::parse("Banco Central").unwrap();
    let rate = ExchangeRate::new(Currency::Usd, ratio, today(), source, today());
    let facts = DocumentFacts { currency: Currency::Usd, rate, ..document.facts.clone() };
    FiscalDocument::restore(facts, document.state().clone())
}

async fn is_accepted(document: FiscalDocument) {
    let kind = document.content().kind;
    let numbered = Numbered {
        number: FiscalNumber::new(kind, 1).unwrap(),
        valid_until: kind.has_sequence_expiry().then(today),
        issue_date: today(),
    };
    let full = signed_by(&ANA, &Composer.compose(&document, &numbered, noon()).unwrap()).await;
    let sent = match document.route() {
        Route::Full => full,
        Route::Summary => {
            signed_by(&ANA, &Composer.summarize(&document, &numbered, full.security_code()).unwrap()).await
        }
    };

    let submission = Submission {
        tenant: sample::tenant(),
        environment: document.facts.environment,
        issuer: issuer(),
        number: numbered.number,
        route: document.route(),
        revision: 1,
        merchant_invoice_number: "F-0001".to_owned(),
        xml: sent.xml.into_bytes(),
    };
    assert_eq!(
        AuthorityBackend::new().authority.submit(submission).await,
        ACCEPTED,
        "{kind:?} {:?}",
        document.content()
    );
}

#[tokio::test]
async fn composed_documents_are_accepted() {
    let every_treatment = || {
        vec![
            line(Itbis18, "2", 450_00, true),
            line(Itbis16, "1.50", 120_10, true),
            line(ZeroRated, "3", 33_33, false),
            line(Exempt, "5.5", 100_33, true),
            line(NonBillable, "2", 25_00, false),
        ]
    };
    for kind in [Consumer, FiscalCredit, Government] {
        accepted(kind, every_treatment()).await;
        accepted(kind, vec![line(Itbis18, "1", 1, false)]).await;
        accepted(kind, vec![line(Itbis18, "1", 33_35, true); 3]).await;
        // A tip that is rounded to zero.
        accepted(kind, vec![line(Exempt, "1", 4, true)]).await;
        accepted(kind, vec![line(Exempt, "1", 4, true), line(Itbis16, "0.01", 1_00, false)]).await;
        accepted(kind, vec![line(Exempt, "1", 100_00, false), line(NonBillable, "1", 0, false)]).await;
    }
}

#[tokio::test]
async fn composed_documents_are_accepted_around_the_threshold() {
    accepted(Consumer, vec![line(Exempt, "1", 249_999_99, false)]).await;
    accepted(Consumer, vec![line(Exempt, "1", 250_000_00, false)]).await;
}

/// The authority's independent check of foreign amounts has no remarks.
#[tokio::test]
async fn composed_documents_in_dollars_are_accepted() {
    let lines = |n: i64| {
        vec![
            line(Itbis18, "2", 45_00 + n, true),
            line(Itbis16, "1.55", 12_11 + n, true),
            line(ZeroRated, "3.33", 3_33, false),
            line(Exempt, "5.5", 10_33 + n, true),
            line(NonBillable, "2", 25_00, false),
        ]
    };
    for (n, ratio) in [(0, 58_1234), (1, 63_4499), (2, 60_0000), (3, 47_0001)] {
        is_accepted(in_dollars(&document(FiscalCredit, lines(n)), ratio)).await;
        is_accepted(in_dollars(&document(Consumer, lines(n)), ratio)).await;
    }
    is_accepted(in_dollars(&document(Government, vec![line(Itbis18, "1", 1, true); 100]), 58_1234)).await;
    let buyer = document(FiscalCredit, lines(0)).content().buyer.clone();
    let mut large = document(Consumer, vec![line(Exempt, "1", 5_000_00, true)]);
    let content = Content { buyer, ..large.content().clone() };
    large.change_content(content, noon()).unwrap();
    is_accepted(in_dollars(&large, 58_1234)).await;
}

#[tokio::test]
async fn a_thousand_composed_lines_are_accepted() {
    let lines: Vec<FiscalLine> = (0..1000).map(|n| line(Itbis18, "1.01", 10_03 + n, n % 2 == 0)).collect();

    accepted(FiscalCredit, lines).await;
}
