//! A sale with its refunds: balance, notes and the sale's document change together.

use cobro_domain::{
    Conflict, Currency, Event, FiscalDocumentId, Money, Refund, RefundId,
    fiscal::{Acceptance, DocumentKind, DocumentStatus, FiscalLine, Observation, ProblemCode, Verdict},
    payment::ProviderOutcome,
    refund::{
        AccountState, FoundMoney, LegMethod, Modification, RefundConditions, RefundDraft, RefundFacts,
        RefundFailureCode, RefundOrigin, RefundOutcome, RefundPlan, RefundReason, RefundScope, RefundSelection,
        RefundSettlement, RefundStatus, RefundedSale,
    },
    sale::{Correction, Sale},
    split::CaptureOutcome,
    text::BoundedText,
};

use super::world::{TERMS, request};
use crate::{
    document::{numbered, signed},
    split::{captured, closed, kinds, reserved, shared_by},
    support::{after, attempt, card, noon, sale, symbols},
};

const CONDITIONS: RefundConditions =
    RefundConditions { terms: TERMS, account: AccountState { can_issue_notes: true, can_use_acquirer: true } };

fn note(n: u32) -> FiscalDocumentId {
    FiscalDocumentId::new(&symbols(100 + n))
}

fn id(n: u32) -> RefundId {
    RefundId::new(&symbols(n))
}

fn of(sale: Sale) -> RefundedSale {
    RefundedSale { sale, refunds: Vec::new(), notes: Vec::new() }
}

/// A sale of 1,180.00 in one charge, whose document was submitted.
fn submitted() -> Sale {
    let mut sale = sale();
    sale.submit(attempt(1), card(), noon()).unwrap();
    sale.apply_outcome(&attempt(1), ProviderOutcome::Approved, noon()).unwrap();
    with_submission(sale)
}

fn with_submission(mut sale: Sale) -> Sale {
    sale.document.numbered(numbered(DocumentKind::Consumer), noon()).unwrap();
    sale.document.signed(signed(), noon()).unwrap();
    sale.document.submitting(noon()).unwrap();
    sale
}

fn accept(sale: &mut Sale) {
    sale.document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), noon()).unwrap();
}

fn reject(sale: &mut Sale) {
    let code = ProblemCode::TotalsRejected;
    let verdict = Verdict::Rejected { code, is_number_spent: true, authority_messages: Vec::<Observation>::new() };
    sale.document.apply_verdict(verdict, noon()).unwrap();
}

fn issued() -> RefundedSale {
    let mut sale = submitted();
    accept(&mut sale);
    of(sale)
}

fn facts(sale: &Sale, n: u32, settlement: RefundSettlement) -> RefundFacts {
    let payment = &sale.payment.facts;
    RefundFacts {
        id: id(n),
        payment: payment.id.clone(),
        merchant: payment.merchant.clone(),
        mode: payment.mode,
        account: payment.account.clone(),
        currency: Currency::Dop,
        origin: RefundOrigin::Merchant,
        settlement,
        settlement_reference: None,
        refund_reference: None,
        retried: None,
        metadata: None,
        original_issued_on: None,
        created_at: noon(),
    }
}

/// Begins the `n`th refund.
fn begin(file: &mut RefundedSale, n: u32, draft: &RefundDraft, retried: Option<RefundId>) -> Vec<Event> {
    let context = file.context(None, retried.as_ref(), CONDITIONS, noon()).unwrap();
    let plan = RefundPlan::decide(draft, &context).unwrap();
    let facts = RefundFacts { retried, ..facts(&file.sale, n, draft.settlement) };
    file.begin(Refund::begin(facts, plan, RefundReason::Returned.into(), |_| None), note(n), noon()).unwrap()
}

/// Calls a leg of the `n`th refund, and applies the outcome.
fn call(file: &mut RefundedSale, n: u32, ordinal: Option<u8>, outcome: RefundOutcome) -> Vec<Event> {
    let charge = *file.charges(Some(&id(n))).iter().find(|charge| charge.ordinal == ordinal).unwrap();
    let before = file.refund(&id(n)).unwrap().clone();
    let name = attempt(50 + n);
    let refund = file.refund_mut(&id(n)).unwrap();
    refund.open_call(&charge, name.clone(), &TERMS, noon()).unwrap();
    let progress = refund.apply_outcome(ordinal, &name, outcome, noon()).unwrap();
    let mut events = progress.events;
    events.extend(file.settle_legs(&before, note(n), noon()).unwrap());
    events
}

fn amount(minor_units: i64) -> RefundDraft {
    let pesos = |minor_units| Money::new(minor_units, Currency::Dop);
    request(RefundSelection::Amount(pesos(minor_units), None))
}

/// The refunded, the pending and the refundable money, and the undocumented rest.
fn sums(file: &RefundedSale) -> (i64, i64, i64, i64) {
    let summary = file.sale.payment.refund_summary().unwrap();
    let units = |money: Money| money.minor_units();
    (units(summary.refunded), units(summary.pending), units(summary.refundable), units(summary.undocumented))
}

fn status(file: &RefundedSale, n: u32) -> RefundStatus {
    file.refund(&id(n)).unwrap().status()
}

#[test]
fn the_note_of_an_issued_document_begins_with_the_end_of_the_refund() {
    let mut file = issued();

    let events = begin(&mut file, 1, &request(RefundSelection::All), None);
    assert_eq!((kinds(&events), sums(&file)), (vec!["refund.created"], (0, 1_180_00, 0, 0)));
    let events = call(&mut file, 1, None, RefundOutcome::Approved(None));

    assert_eq!(kinds(&events), ["refund.succeeded", "credit_note.issuing"]);
    assert_eq!(sums(&file), (1_180_00, 0, 0, 0));
    let record = file.record(&id(1)).unwrap();
    let note = record.note.unwrap();
    let content = note.content().note.as_ref().unwrap();
    assert_eq!((note.status(), content.modification), (DocumentStatus::Issuing, Modification::Cancels));
    assert_eq!(content.modified.as_ref(), file.sale.document.stage().numbered());
    assert_eq!(note.total().minor_units(), 1_180_00);
    assert_eq!(file.sale.document.status(), DocumentStatus::Issued);
}

#[test]
fn a_refund_outside_the_acquirer_ends_at_once() {
    let mut file = issued();
    let draft = RefundDraft { settlement: RefundSettlement::Outside, ..amount(590_00) };

    let events = begin(&mut file, 1, &draft, None);

    let expected = ["refund.created", "refund.succeeded", "credit_note.issuing"];
    assert_eq!(kinds(&events), expected);
    assert_eq!((status(&file, 1), sums(&file)), (RefundStatus::Succeeded, (590_00, 0, 590_00, 0)));
    begin(&mut file, 2, &draft, None);
    let modification = |n| file.note_of(&id(n)).unwrap().content().note.as_ref().unwrap().modification;
    assert_eq!((modification(1), modification(2)), (Modification::CorrectsAmounts, Modification::CorrectsAmounts));
}

#[test]
fn a_note_waits_until_its_original_is_issued() {
    let mut file = of(submitted());
    begin(&mut file, 1, &amount(590_00), None);
    let events = call(&mut file, 1, None, RefundOutcome::Approved(None));
    assert_eq!(kinds(&events), ["refund.succeeded", "credit_note.requested"]);
    assert!(file.advance_notes(noon()).unwrap().is_empty());

    accept(&mut file.sale);
    let events = file.advance_notes(after(1)).unwrap();

    assert_eq!(kinds(&events), ["credit_note.issuing"]);
    assert_eq!(events[0].note, Some(note(1)));
    assert!(file.advance_notes(after(2)).unwrap().is_empty());
}

#[test]
fn a_rejected_document_that_is_returned_whole_is_canceled_without_a_note() {
    let mut rejected = submitted();
    reject(&mut rejected);
    let mut file = of(rejected);
    begin(&mut file, 1, &request(RefundSelection::All), None);

    let events = call(&mut file, 1, None, RefundOutcome::Approved(None));

    assert_eq!(kinds(&events), ["refund.succeeded", "fiscal_document.canceled"]);
    assert!(file.notes.is_empty());
}

#[test]
fn a_rejection_after_the_whole_return_cancels_the_document_and_its_note() {
    let mut file = of(submitted());
    begin(&mut file, 1, &request(RefundSelection::All), None);
    call(&mut file, 1, None, RefundOutcome::Approved(None));

    reject(&mut file.sale);
    let events = file.advance_notes(after(1)).unwrap();

    assert_eq!(kinds(&events), ["fiscal_document.canceled", "credit_note.canceled"]);
    assert_eq!(file.notes[0].status(), DocumentStatus::Canceled);
}

#[test]
fn a_bill_left_in_part_is_refunded_and_its_document_canceled() {
    let outcomes = [(1, CaptureOutcome::Captured), (2, CaptureOutcome::HoldGone)];
    let mut file = of(closed(captured(reserved(shared_by(2), &[1, 2]), &outcomes)));
    assert_eq!(sums(&file), (0, 0, 590_00, 0));
    begin(&mut file, 1, &amount(90_00), None);
    assert_eq!(kinds(&call(&mut file, 1, Some(1), RefundOutcome::Approved(None))), ["refund.succeeded"]);
    begin(&mut file, 2, &request(RefundSelection::All), None);

    let events = call(&mut file, 2, Some(1), RefundOutcome::Approved(None));

    assert_eq!(kinds(&events), ["refund.succeeded", "fiscal_document.canceled"]);
    assert_eq!((sums(&file), file.notes.len()), ((590_00, 0, 0, 0), 0));
}

/// Two payers of 590.00; the refund of the second fails.
fn failed_in_part() -> RefundedSale {
    let all = [(1, CaptureOutcome::Captured), (2, CaptureOutcome::Captured)];
    let mut sale = with_submission(captured(reserved(shared_by(2), &[1, 2]), &all));
    accept(&mut sale);
    let mut file = of(sale);
    begin(&mut file, 1, &request(RefundSelection::All), None);
    assert!(kinds(&call(&mut file, 1, Some(1), RefundOutcome::Approved(None))).is_empty());
    let refused = RefundOutcome::Refused(RefundFailureCode::DeclinedByProvider);
    assert!(kinds(&call(&mut file, 1, Some(2), refused.clone())).is_empty(), "a refund follows the refused void");
    call(&mut file, 1, Some(2), refused);
    file
}

#[test]
fn a_retry_returns_the_failed_leg_and_completes_the_notes() {
    let mut file = failed_in_part();
    assert_eq!((status(&file, 1), sums(&file)), (RefundStatus::PartiallySucceeded, (590_00, 0, 590_00, 0)));
    let noted = |file: &RefundedSale| file.notes.iter().map(|note| note.total().minor_units()).sum::<i64>();
    assert_eq!(noted(&file), 590_00);

    begin(&mut file, 2, &request(RefundSelection::Retry), Some(id(1)));
    call(&mut file, 2, Some(2), RefundOutcome::Approved(None));

    assert_eq!((sums(&file), noted(&file)), ((1_180_00, 0, 0, 0), 1_180_00));
    assert_eq!(file.retryable(&id(1)), None, "retried before");
    assert!(file.is_everything_returned());
}

fn found(
    file: &RefundedSale,
    n: u32,
    ordinal: Option<u8>,
    amount: i64,
    late: Option<RefundId>,
) -> (RefundFacts, FoundMoney) {
    let facts = RefundFacts { origin: RefundOrigin::Provider, ..facts(&file.sale, n, RefundSettlement::Acquirer) };
    let money = FoundMoney {
        ordinal,
        amount,
        method: LegMethod::Refund,
        reference: BoundedText::parse("rrn-1").unwrap(),
        late,
    };
    (facts, money)
}

#[test]
fn late_money_of_the_failed_leg_counts_as_its_retry() {
    let mut file = failed_in_part();

    let (facts, money) = found(&file, 2, Some(2), 590_00, Some(id(1)));
    let events = file.record_found(facts, money, note(2), CONDITIONS, noon()).unwrap();

    let expected = ["refund.found_at_provider", "refund.succeeded", "credit_note.issuing"];
    assert_eq!(kinds(&events), expected);
    let refund = file.refund(&id(2)).unwrap();
    assert_eq!((refund.state().scope, refund.facts.retried.as_ref()), (Some(RefundScope::Retry), Some(&id(1))));
    assert_eq!((refund.state().reason, sums(&file)), (Some(RefundReason::Returned), (1_180_00, 0, 0, 0)));
}

#[test]
fn found_money_waits_for_its_attribution_and_lowers_the_rest_at_once() {
    let mut file = issued();
    let (facts, money) = found(&file, 1, None, 590_00, None);
    let events = file.record_found(facts, money, note(1), CONDITIONS, noon()).unwrap();
    assert_eq!(kinds(&events), ["refund.found_at_provider"]);
    assert_eq!((status(&file, 1), sums(&file)), (RefundStatus::Unattributed, (590_00, 0, 590_00, 0)));

    let refund = file.refund(&id(1)).unwrap();
    let context = file.context(Some(&id(1)), None, CONDITIONS, noon()).unwrap();
    let selection = amount(590_00).selection;
    let plan = refund.plan_attribution(&selection, false, &context).unwrap();
    let events = file.attribute(&id(1), plan, RefundReason::Duplicate.into(), note(1), noon()).unwrap();

    assert_eq!(kinds(&events), ["refund.succeeded", "credit_note.issuing"]);
    assert_eq!(events[0].previous_status, Some("unattributed"));
    assert_eq!((sums(&file), file.notes[0].total().minor_units()), ((590_00, 0, 590_00, 0), 590_00));
}

/// A note of 0.03 is not possible: the note states 0.02, and one centavo stays undocumented.
#[test]
fn an_attribution_counts_the_money_that_its_note_does_not_state() {
    let mut file = issued();
    let (facts, money) = found(&file, 1, None, 3, None);
    file.record_found(facts, money, note(1), CONDITIONS, noon()).unwrap();

    let context = file.context(Some(&id(1)), None, CONDITIONS, noon()).unwrap();
    let plan = file.refund(&id(1)).unwrap().plan_attribution(&amount(3).selection, false, &context).unwrap();
    file.attribute(&id(1), plan, RefundReason::Other.into(), note(1), noon()).unwrap();

    assert_eq!((sums(&file), file.notes[0].total().minor_units()), ((3, 0, 1_179_97, 1), 2));
}

#[test]
fn money_beyond_the_charge_is_counted_as_over_returned() {
    let mut file = issued();
    begin(&mut file, 1, &request(RefundSelection::All), None);
    call(&mut file, 1, None, RefundOutcome::Approved(None));

    let (facts, money) = found(&file, 2, None, 12_00, None);
    let events = file.record_found(facts, money, note(2), CONDITIONS, noon()).unwrap();

    assert_eq!(kinds(&events), ["refund.found_at_provider", "refund.succeeded", "refund.over_returned"]);
    assert_eq!((sums(&file), file.notes.len()), ((1_192_00, 0, 0, 0), 1));
    assert!(file.is_everything_returned());
}

#[test]
fn a_refund_that_is_refused_changes_nothing_but_the_count() {
    let mut file = issued();
    begin(&mut file, 1, &amount(590_00), None);

    let events = call(&mut file, 1, None, RefundOutcome::NotSubmitted);

    assert_eq!((kinds(&events), sums(&file)), (vec!["refund.failed"], (0, 0, 1_180_00, 0)));
    assert_eq!((file.notes.len(), file.sale.payment.refund_summary().unwrap().count), (0, 1));
}

#[test]
fn a_correction_after_a_refund_keeps_the_credited_lines() {
    let mut sale = submitted();
    let lines = sale.document.content().lines.clone();
    let content = sale.document.content().clone();
    let correction = |lines: Vec<FiscalLine>| Correction {
        kind: content.kind,
        merchant_invoice_number: content.merchant_invoice_number.clone(),
        merchant_order_number: content.merchant_order_number.clone(),
        lines,
        buyer_tax_id: None,
        listed_buyer: None,
        government: None,
    };
    let renamed: Vec<FiscalLine> = lines
        .iter()
        .map(|line| FiscalLine { description: BoundedText::parse("Otra cosa").unwrap(), ..line.clone() })
        .collect();
    let mut doubled = lines.clone();
    doubled[0].unit_price_minor_units /= 2;
    doubled.push(FiscalLine { source_line_id: BoundedText::parse("other").unwrap(), ..doubled[0].clone() });
    reject(&mut sale);
    let issuer = crate::support::context().issuer;
    assert!(sale.propose_correction(correction(doubled.clone()), &issuer).is_ok(), "without a refund");

    let mut file = of(submitted());
    begin(&mut file, 1, &amount(590_00), None);
    call(&mut file, 1, None, RefundOutcome::Approved(None));
    reject(&mut file.sale);

    let refusal = file.sale.propose_correction(correction(doubled), &issuer).unwrap_err();
    assert_eq!(refusal.code, Conflict::FiscalCorrectionNotAllowed.into());
    assert_eq!(refusal.param.as_deref(), Some("lines"));
    let proposal = file.sale.propose_correction(correction(renamed), &issuer).unwrap();
    let version = file.sale.payment.version();
    file.sale.correct(proposal, None, noon()).unwrap();
    assert_eq!(file.sale.payment.version(), version + 1, "a concurrent refund is decided again");
}

#[test]
fn a_note_takes_buyer_and_numbers_of_its_accepted_original() {
    let mut file = of(submitted());
    begin(&mut file, 1, &amount(590_00), None);
    call(&mut file, 1, None, RefundOutcome::Approved(None));
    let note = file.notes[0].clone();
    assert_eq!(note.status(), DocumentStatus::Requested);
    let is_waiting = file.sale.document.version();
    accept(&mut file.sale);
    assert_eq!(file.sale.document.version(), is_waiting + 1);

    let events = file.advance_notes(noon()).unwrap();

    assert_eq!(kinds(&events), ["credit_note.issuing"]);
    let (note, original) = (file.notes[0].content(), file.sale.document.content());
    assert_eq!(note.merchant_invoice_number, original.merchant_invoice_number);
    assert_eq!(note.note.as_ref().unwrap().modified.as_ref(), file.sale.document.stage().numbered());
}
