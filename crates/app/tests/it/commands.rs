//! Commands that are decided and made durable at once: cancel, tip, choose, correct.

use app::{Dependency, Error, cancel_payment, choose_fiscal_document, correct_fiscal_document, set_voluntary_tip};
use domain::{
    Conflict, EventKind, InvalidRequest, Refusal,
    fiscal::{DocumentKind, ProblemCode, Taxpayer},
    payment::PaymentStatus,
    refusal::Refused,
    sale::{AmountDraft, Choice, Correction, Sale},
    text::BoundedText,
};
use ports::{Commit, Committed, KeyState, Unavailable};
use testkit::sample;

use crate::support::{Mocks, keyed, merchant, payer, render};

/// A world in which `sale` is found, and the one commit passes `expected`.
fn world(sale: Sale, expected: impl Fn(&Commit) -> bool + Send + 'static) -> Mocks {
    let mut mocks = showing(sale);
    mocks
        .sales
        .expect_commit()
        .withf(move |it| expected(it) && is_completed(it))
        .once()
        .returning(|_| Ok(Committed::Done));
    mocks
}

/// A world with `sale` in which a commit panics.
fn showing(sale: Sale) -> Mocks {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    let by_document = sale.clone();
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
    mocks.sales.expect_find_by_document().returning(move |_, _| Ok(Some(by_document.clone())));
    mocks
}

fn is_completed(commit: &Commit) -> bool {
    commit.key.as_ref().is_some_and(|it| matches!(it.to.state, KeyState::Completed(_)))
}

fn kinds(commit: &Commit) -> Vec<EventKind> {
    commit.events.iter().map(|it| it.kind).collect()
}

fn payment() -> &'static str {
    "payment_00000000000000000000000001"
}

fn tip(minor_units: i64) -> AmountDraft {
    AmountDraft { currency: "DOP".to_owned(), minor_units }
}

fn credit() -> Choice {
    let kind = Some(DocumentKind::FiscalCredit);
    Choice { kind, buyer_tax_id: BoundedText::parse("101000007"), listed_buyer: None, government: None }
}

fn rejected() -> Sale {
    let mut sale = sample::paid(1);
    sale.document.refuse(ProblemCode::TotalsRejected, true, sample::noon()).unwrap();
    sale
}

fn correction() -> Correction {
    let draft = sample::draft().document;
    Correction {
        kind: draft.kind,
        merchant_invoice_number: draft.merchant_invoice_number,
        merchant_order_number: draft.merchant_order_number,
        lines: draft.lines,
        buyer_tax_id: None,
        listed_buyer: None,
        government: None,
    }
}

#[track_caller]
fn assert_refused(error: &Error, code: impl Into<Refused>) {
    let Error::Refusal(Refusal { code: refused, .. }) = error else { panic!("expected a refusal, not {error:?}") };
    assert_eq!(*refused, code.into());
}

#[tokio::test]
async fn a_canceled_sale_cancels_its_document() {
    let mocks = world(sample::sale(1), |it| {
        kinds(it) == [EventKind::PaymentCanceled, EventKind::FiscalDocumentCanceled]
            && it.payment.as_ref().is_some_and(|it| it.to.status() == PaymentStatus::Canceled)
    });

    cancel_payment(&mocks.into_ports(), &merchant(), &keyed(), payment(), &render).await.unwrap();
}

#[tokio::test]
async fn a_paid_sale_is_not_canceled() {
    let ports = showing(sample::paid(1)).into_ports();

    let error = cancel_payment(&ports, &merchant(), &keyed(), payment(), &render).await.unwrap_err();

    assert_refused(&error, Conflict::PaymentNotEditable);
}

#[tokio::test]
async fn a_tip_changes_the_payment_without_an_event() {
    let mocks = world(sample::sale(1), |it| {
        it.events.is_empty() && it.payment.as_ref().is_some_and(|it| it.to.total_amount().minor_units() == 1_330_00)
    });

    set_voluntary_tip(&mocks.into_ports(), &payer(1), &keyed(), payment(), tip(50_00), &render).await.unwrap();
}

#[tokio::test]
async fn a_tip_is_of_the_payments_currency() {
    let dollars = AmountDraft { currency: "USD".to_owned(), minor_units: 1 };
    let ports = showing(sample::sale(1)).into_ports();

    let error = set_voluntary_tip(&ports, &payer(1), &keyed(), payment(), dollars, &render).await.unwrap_err();

    assert_refused(&error, InvalidRequest::ParameterInvalid);
}

#[tokio::test]
async fn a_choice_is_confirmed_by_the_directory_first() {
    let mut mocks = world(sample::sale(1), |it| kinds(it) == [EventKind::FiscalDocumentChoiceChanged]);
    mocks.directory.expect_find().once().returning(|tax_id| {
        let legal_name = "COMPRADOR, SRL".to_owned();
        Ok(Some(Taxpayer { tax_id: tax_id.clone(), legal_name, is_active: true, is_government: false }))
    });

    choose_fiscal_document(&mocks.into_ports(), &payer(1), &keyed(), payment(), credit(), &render).await.unwrap();
}

#[tokio::test]
async fn an_unavailable_directory_refuses_a_choice_and_leaves_the_key_free() {
    let mut mocks = showing(sample::sale(1));
    mocks
        .directory
        .expect_find()
        .once()
        .returning(|_| Err(Unavailable { what: "the taxpayer directory", source: "down".into() }));
    let ports = mocks.into_ports();

    let error = choose_fiscal_document(&ports, &payer(1), &keyed(), payment(), credit(), &render).await.unwrap_err();

    assert!(matches!(error, Error::Dependency(Dependency::TaxpayerDirectoryUnavailable, Some("buyer.taxId"))));
}

#[tokio::test]
async fn an_empty_choice_makes_no_call_and_no_event() {
    let mocks = world(sample::sale(1), |it| it.events.is_empty() && it.payment.is_none() && it.documents.is_empty());

    choose_fiscal_document(&mocks.into_ports(), &payer(1), &keyed(), payment(), Choice::default(), &render)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_correction_is_a_new_revision() {
    let mocks = world(rejected(), |it| {
        kinds(it) == [EventKind::FiscalDocumentCorrected]
            && it.documents.first().is_some_and(|it| it.to.state().revision == 2)
    });
    let document = sample::document_id(1);

    correct_fiscal_document(&mocks.into_ports(), &merchant(), &keyed(), document.as_str(), correction(), &render)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_slower_of_two_corrections_is_refused() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    let mut finds = 0;
    mocks.sales.expect_find_by_document().times(2).returning(move |_, _| {
        finds += 1;
        let mut sale = rejected();
        if finds == 2 {
            let proposal = sale.propose_correction(correction(), &sample::sale_context().issuer).unwrap();
            sale.correct(proposal, None, sample::noon()).unwrap();
        }
        Ok(Some(sale))
    });
    mocks.sales.expect_commit().once().returning(|_| Ok(Committed::Stale));
    let (ports, document) = (mocks.into_ports(), sample::document_id(1));

    let error = correct_fiscal_document(&ports, &merchant(), &keyed(), document.as_str(), correction(), &render)
        .await
        .unwrap_err();

    assert_refused(&error, Conflict::FiscalCorrectionNotAllowed);
}
