//! Choices of a payer before the payment, and corrections of a merchant after a rejection.

use chrono::TimeDelta;
use cobro_domain::{
    Conflict, Currency, EventKind, InvalidRequest, Money, Refusal, Unprocessable,
    account::Readiness,
    fiscal::{
        DocumentKind, DocumentStatus, ExchangeRate, GovernmentEligibility, IssueStep, ProblemCode, TaxId, TaxTreatment,
        Taxpayer, local_date,
    },
    payment::ProviderOutcome,
    refusal::Refused,
    sale::{Choice, Correction, Sale},
    text::{BoundedText, Digits},
};

use crate::{
    breakdown::line,
    support::{after, attempt, card, context, draft, noon, open, sale},
};

const COMPANY: &str = "101000007";

fn kind(kind: DocumentKind) -> Choice {
    Choice { kind: Some(kind), ..Choice::default() }
}

fn credit_for(tax_id: &str) -> Choice {
    Choice { buyer_tax_id: BoundedText::parse(tax_id), ..kind(DocumentKind::FiscalCredit) }
}

fn taxpayer(is_active: bool, is_government: bool) -> Option<Option<Taxpayer>> {
    let tax_id = TaxId::parse(COMPANY).unwrap();
    Some(Some(Taxpayer { tax_id, legal_name: "COMPRADOR, SRL".to_owned(), is_active, is_government }))
}

fn eligibility() -> Option<GovernmentEligibility> {
    Some(GovernmentEligibility { authority_reference: BoundedText::parse("OC-1").unwrap() })
}

/// The current account of the merchant.
fn ready() -> Readiness {
    let context = context();
    Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, noon())
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: Result<T, Refusal>, code: impl Into<Refused>, param: &str) {
    let refusal = result.unwrap_err();
    assert_eq!((refusal.code, refusal.param.as_deref().unwrap_or("-")), (code.into(), param));
}

#[test]
fn a_payer_asks_for_a_fiscal_credit_document() {
    let mut sale = sale();
    let proposal = sale.propose(credit_for("1-01-00000-7"), (&ready(), &context().issuer), noon()).unwrap();
    assert_eq!(proposal.to_confirm.as_ref().map(TaxId::as_str), Some(COMPANY));

    let event = sale.choose(proposal, taxpayer(true, false), noon()).unwrap();

    assert_eq!(event.unwrap().kind, EventKind::FiscalDocumentChoiceChanged);
    assert_eq!(sale.payment.version(), 1, "who decides on the payment at the same moment looks again");
    assert_eq!(sale.document.content().buyer.as_ref().unwrap().legal_name.as_deref(), Some("COMPRADOR, SRL"));
    assert_eq!(sale.document.state().revision, 1);
}

#[test]
fn an_empty_choice_changes_no_field() {
    let mut sale = sale();
    let before = sale.clone();

    let proposal = sale.propose(Choice::default(), (&ready(), &context().issuer), noon()).unwrap();

    assert_eq!(sale.choose(proposal, None, noon()).unwrap(), None);
    assert_eq!(sale, before);
}

#[test]
fn locks_hold_against_change_and_not_against_repetition() {
    let mut locked = draft();
    locked.document.is_kind_locked = true;
    locked.document.is_buyer_locked = true;
    locked.document.buyer_tax_id = BoundedText::parse(COMPANY);
    let sale = open(locked, &context()).unwrap();
    let propose = |choice| sale.propose(choice, (&ready(), &context().issuer), noon());

    assert_refused(propose(kind(DocumentKind::FiscalCredit)), Conflict::FiscalPresetLocked, "kind");
    let other = Choice { buyer_tax_id: BoundedText::parse("101850043"), ..Choice::default() };
    assert_refused(propose(other), Conflict::FiscalPresetLocked, "buyer");
    let same = Choice { buyer_tax_id: BoundedText::parse(COMPANY), ..kind(DocumentKind::Consumer) };
    assert!(propose(same).is_ok());
}

#[test]
fn a_kind_that_needs_a_buyer_is_chosen_with_one() {
    let refused = sale().propose(kind(DocumentKind::FiscalCredit), (&ready(), &context().issuer), noon());

    assert_refused(refused, Conflict::FiscalBuyerRequired, "buyer");
}

#[test]
fn government_is_chosen_with_its_eligibility_and_left_without() {
    let mut sale = sale();
    let bare = Choice { buyer_tax_id: BoundedText::parse(COMPANY), ..kind(DocumentKind::Government) };
    let refused = sale.propose(bare.clone(), (&ready(), &context().issuer), noon());
    assert_refused(refused, Unprocessable::FiscalGovernmentEligibilityRequired, "governmentEligibility");
    let given = Choice { government: eligibility(), ..bare };
    let proposal = sale.propose(given, (&ready(), &context().issuer), noon()).unwrap();
    sale.choose(proposal, taxpayer(true, true), noon()).unwrap();

    let back = sale.propose(kind(DocumentKind::Consumer), (&ready(), &context().issuer), noon()).unwrap();
    sale.choose(back, taxpayer(true, true), noon()).unwrap();

    assert_eq!(sale.document.content().government, None);
    let unasked = Choice { government: eligibility(), ..Choice::default() };
    let refused = sale.propose(unasked, (&ready(), &context().issuer), noon());
    assert_refused(refused, Unprocessable::FiscalGovernmentEligibilityNotAllowed, "governmentEligibility");
}

#[test]
fn the_directory_has_the_last_word_on_the_buyer() {
    let check = |choice: Choice, directory, code: Unprocessable| {
        let mut sale = sale();
        let before = sale.clone();
        let proposal = sale.propose(choice, (&ready(), &context().issuer), noon()).unwrap();
        assert_refused(sale.choose(proposal, directory, noon()), code, "buyer.taxId");
        assert_eq!(sale, before);
    };
    let government = Choice { government: eligibility(), kind: Some(DocumentKind::Government), ..credit_for(COMPANY) };

    check(credit_for(COMPANY), Some(None), Unprocessable::FiscalBuyerNotRegistered);
    check(credit_for(COMPANY), taxpayer(false, false), Unprocessable::FiscalBuyerInactive);
    check(government, taxpayer(true, false), Unprocessable::FiscalBuyerNotGovernmentEntity);
}

/// The rule holds without a response of the register.
#[test]
fn the_issuer_cannot_be_the_buyer() {
    let chosen = sale().propose(credit_for("101850043"), (&ready(), &context().issuer), noon());
    assert_refused(chosen, Unprocessable::FiscalBuyerIsIssuer, "buyer.taxId");
    let to_itself = Correction { buyer_tax_id: BoundedText::parse("101850043"), ..correction() };
    let corrected = rejected(ProblemCode::TotalsRejected).propose_correction(to_itself, &context().issuer);
    assert_refused(corrected, Unprocessable::FiscalBuyerIsIssuer, "buyer.taxId");
}

#[test]
fn a_paid_running_or_ended_payment_refuses_a_choice() {
    let mut in_flight = sale();
    in_flight.submit(attempt(1), card(), noon()).unwrap();
    let mut in_doubt = in_flight.clone();
    in_doubt.apply_outcome(&attempt(1), ProviderOutcome::Ambiguous, noon()).unwrap();
    let mut canceled = sale();
    canceled.cancel(noon()).unwrap();
    let propose = |sale: &Sale, now| sale.propose(Choice::default(), (&ready(), &context().issuer), now);

    assert_refused(propose(&in_flight, noon()), Conflict::PaymentNotEditable, "-");
    assert_refused(propose(&in_doubt, noon()), Conflict::PaymentAwaitingVerification, "-");
    assert_refused(propose(&canceled, noon()), Conflict::CheckoutWindowClosed, "-");
    assert_refused(propose(&sale(), sale().payment.state().expires_at), Conflict::CheckoutWindowClosed, "-");
}

#[test]
fn a_tax_id_is_checked_before_the_state() {
    let mut canceled = sale();
    canceled.cancel(noon()).unwrap();

    let refused = canceled.propose(credit_for("101000008"), (&ready(), &context().issuer), noon());

    assert_refused(refused, InvalidRequest::FiscalBuyerTaxIdInvalid, "buyer.taxId");
}

fn rejected(code: ProblemCode) -> Sale {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    sale.document.refuse(code, false, noon()).unwrap();
    sale
}

fn correction() -> Correction {
    Correction {
        kind: DocumentKind::Consumer,
        merchant_invoice_number: BoundedText::parse("F-2").unwrap(),
        merchant_order_number: Digits::parse("2").unwrap(),
        lines: vec![line(TaxTreatment::Itbis18, "2", 500_00)],
        buyer_tax_id: None,
        listed_buyer: None,
        government: None,
    }
}

#[test]
fn a_correction_is_a_new_revision_that_is_issued_at_once() {
    let mut sale = rejected(ProblemCode::TotalsRejected);
    let proposal = sale.propose_correction(correction(), &context().issuer).unwrap();

    let event = sale.correct(proposal, None, after(1)).unwrap();

    assert_eq!(event.kind, EventKind::FiscalDocumentCorrected);
    assert_eq!((sale.document.status(), sale.document.state().revision), (DocumentStatus::Requested, 2));
    assert_eq!(sale.document.next_step(), Some(IssueStep::Begin));
    assert_eq!(sale.document.due_at(), Some(after(1)));
    sale.document.begin_issuing(after(2)).unwrap();
    assert_eq!(sale.document.next_step(), Some(IssueStep::AssignNumber), "no state of the rejected revision stays");
}

#[test]
fn a_correction_never_changes_what_was_charged() {
    let sale = rejected(ProblemCode::TotalsRejected);
    let dearer = Correction { lines: vec![line(TaxTreatment::Itbis18, "1", 1_000_01)], ..correction() };

    let refused = sale.propose_correction(dearer, &context().issuer);

    assert_refused(refused, Unprocessable::FiscalTotalMismatch, "lines");
}

#[test]
fn a_correction_is_in_pesos_for_any_charge() {
    let mut sale = rejected(ProblemCode::TotalsRejected);
    sale.document.facts.currency = Currency::Usd;
    let identified = Correction { buyer_tax_id: BoundedText::parse(COMPANY), ..correction() };

    let refused = sale.propose_correction(identified, &context().issuer);

    assert_refused(refused, Unprocessable::CurrencyNotSupportedForFiscalDocument, "amount.currency");
}

/// The rate that the sale was made at is as good as on that day.
#[test]
fn a_correction_in_dollars_uses_the_rate_of_the_sale() {
    let mut sale = rejected(ProblemCode::TotalsRejected);
    let (day, source) = (local_date(noon()) - TimeDelta::days(300), BoundedText::parse("Banco Central").unwrap());
    sale.document.facts.currency = Currency::Usd;
    sale.document.facts.rate = ExchangeRate::new(Currency::Usd, 58_0000, day, source, day);
    let proposal = sale.propose_correction(correction(), &context().issuer).unwrap();

    sale.correct(proposal, None, after(1)).unwrap();

    assert_eq!(sale.document.total_in_pesos(), Money::new(68_440_00, Currency::Dop));
}

#[test]
fn only_a_refusal_that_a_merchant_can_mend_is_corrected() {
    let not_correctable = rejected(ProblemCode::DocumentMalformed);

    for sale in [sale(), not_correctable] {
        let refused = sale.propose_correction(correction(), &context().issuer);
        assert_refused(refused, Conflict::FiscalCorrectionNotAllowed, "-");
    }
}

#[test]
fn a_kind_without_numbers_cannot_be_chosen_but_a_correction_may_use_it() {
    let mut context = context();
    for range in context.issuer.ranges.iter_mut().filter(|it| it.kind == DocumentKind::FiscalCredit) {
        range.next = range.last + 1;
    }
    let readiness = Readiness::assess(&context.accounts[0], Some(&context.profile), &context.issuer, noon());

    let chosen = sale().propose(credit_for("1-01-00000-7"), (&readiness, &context.issuer), noon());

    assert!(chosen.as_ref().unwrap_err().to_string().contains("`fiscal_credit`"));
    assert_refused(chosen, Unprocessable::MerchantAccountNotReady, "kind");
    let correction =
        Correction { kind: DocumentKind::FiscalCredit, buyer_tax_id: BoundedText::parse(COMPANY), ..correction() };
    assert!(rejected(ProblemCode::TotalsRejected).propose_correction(correction, &context.issuer).is_ok());
}
