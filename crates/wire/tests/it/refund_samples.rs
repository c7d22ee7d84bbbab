//! A sale with refunds in each status.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Currency, Event, Money, Refund, RefundId,
    fiscal::{Acceptance, Verdict},
    payment::{Payment, PaymentState},
    refund::{
        AccountState, AcquirerReference, FoundMoney, LegMethod, LineKey, LinePart, LineSelection, RefundConditions,
        RefundDraft, RefundFacts, RefundFailureCode, RefundOrigin, RefundOutcome, RefundPlan, RefundPurpose,
        RefundReason, RefundRecord, RefundSelection, RefundSettlement, RefundTerms, RefundedSale,
    },
    sale::Sale,
    split::CaptureOutcome,
    text::{BoundedText, Prose},
};
use testkit::sample;
use wire::PublicUrls;

const TERMS: RefundTerms = RefundTerms { void_window: TimeDelta::minutes(19), refund_days: 180, allows_multiple: true };
pub(crate) const CONDITIONS: RefundConditions =
    RefundConditions { terms: TERMS, account: AccountState { can_issue_notes: true, can_use_acquirer: true } };

pub(crate) fn urls() -> PublicUrls {
    PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() }
}

pub(crate) fn later(seconds: i64) -> DateTime<Utc> {
    sample::noon() + TimeDelta::seconds(seconds)
}

pub(crate) fn pesos(minor_units: i64) -> Money {
    Money::new(minor_units, Currency::Dop)
}

pub(crate) fn id(n: u32) -> RefundId {
    RefundId::new(&sample::symbols(700 + n))
}

pub(crate) fn draft(selection: RefundSelection) -> RefundDraft {
    RefundDraft { selection, settlement: RefundSettlement::Acquirer, parts: None, acknowledges_itbis_loss: false }
}

pub(crate) fn of(sale: Sale) -> RefundedSale {
    RefundedSale { sale, refunds: Vec::new(), notes: Vec::new() }
}

/// Returns an issued sale of 1,280.00 with a voluntary tip of 100.00.
pub(crate) fn tipped() -> RefundedSale {
    let Sale { payment, document } = sample::issued(1);
    let state = PaymentState { voluntary_tip: pesos(100_00), ..payment.state().clone() };
    of(Sale { payment: Payment::restore(payment.facts, state), document })
}

/// Returns an issued sale whose two payers paid 640.00 each.
pub(crate) fn shared() -> RefundedSale {
    let mut sale = sample::authorized_split(1, 2);
    sale.capture(later(1)).unwrap();
    for ordinal in 1..=2 {
        let attempt = sample::part_attempt_id(1, ordinal, 2);
        sale.begin_call(ordinal, attempt.clone(), later(1)).unwrap();
        sale.apply_capture(&attempt, CaptureOutcome::Captured, later(2)).unwrap();
    }
    let document = &mut sale.document;
    document.numbered(sample::numbered(1), later(3)).unwrap();
    document.signed(sample::signed(1), later(3)).unwrap();
    document.submitting(later(3)).unwrap();
    document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), later(4)).unwrap();
    of(sale)
}

pub(crate) fn facts(sale: &Sale, n: u32, settlement: RefundSettlement) -> RefundFacts {
    let payment = &sale.payment.facts;
    RefundFacts {
        id: id(n),
        payment: payment.id.clone(),
        merchant: payment.merchant.clone(),
        mode: payment.mode,
        account: payment.account.clone(),
        currency: payment.amount.currency(),
        origin: RefundOrigin::Merchant,
        settlement,
        settlement_reference: None,
        refund_reference: None,
        retried: None,
        metadata: None,
        original_issued_on: Some(sample::today()),
        created_at: later(60),
    }
}

/// Begins a refund with every optional field.
pub(crate) fn begin(file: &mut RefundedSale, n: u32, draft: &RefundDraft, retried: Option<RefundId>) {
    let context = file.context(None, retried.as_ref(), CONDITIONS, later(60)).unwrap();
    let plan = RefundPlan::decide(draft, &context).unwrap();
    let is_outside = draft.settlement == RefundSettlement::Outside;
    let facts = RefundFacts {
        settlement_reference: BoundedText::parse("caja-2 0117").filter(|_| is_outside),
        refund_reference: BoundedText::parse("dev-118"),
        metadata: Some(vec![("agent".to_owned(), Prose::parse("Ana").unwrap())]),
        retried,
        ..facts(&file.sale, n, draft.settlement)
    };
    let description = BoundedText::parse("Devolución de un plato");
    let begun = Refund::begin(facts, plan, RefundPurpose { reason: RefundReason::Returned, description }, |_| {
        Some(sample::card())
    });
    file.begin(begun, sample::document_id(700 + n), later(60)).unwrap();
}

/// Calls a leg of the `n`th refund, and applies the outcome.
pub(crate) fn call(file: &mut RefundedSale, n: u32, ordinal: Option<u8>, outcome: RefundOutcome) -> Vec<Event> {
    let charge = *file.charges(Some(&id(n))).iter().find(|charge| charge.ordinal == ordinal).unwrap();
    let before = file.refund(&id(n)).unwrap().clone();
    let attempt = sample::attempt_id(700 + n);
    let refund = file.refund_mut(&id(n)).unwrap();
    refund.open_call(&charge, attempt.clone(), &TERMS, later(61)).unwrap();
    refund.apply_outcome(ordinal, &attempt, outcome, later(62)).unwrap();
    file.settle_legs(&before, sample::document_id(700 + n), later(62)).unwrap()
}

pub(crate) fn approved() -> RefundOutcome {
    RefundOutcome::Approved(AcquirerReference::parse("4810277"))
}

pub(crate) fn record(file: &RefundedSale, n: u32) -> RefundRecord {
    file.record(&id(n)).unwrap()
}

/// Returns a whole refund of a sale in one charge.
pub(crate) fn succeeded() -> RefundedSale {
    let mut file = tipped();
    begin(&mut file, 1, &draft(RefundSelection::All), None);
    call(&mut file, 1, None, approved());
    file
}

pub(crate) fn lines() -> RefundSelection {
    let line = LineKey::SourceLineId(BoundedText::parse("line-1").unwrap());
    RefundSelection::Lines(vec![LineSelection { line, part: LinePart::Net(100_00) }], Some(pesos(10_00)))
}

/// Returns a refund of 128.00 to both payers; that of the second payer has this outcome twice, as void and as refund.
pub(crate) fn of_payers(outcome: RefundOutcome) -> RefundedSale {
    let mut file = shared();
    begin(&mut file, 1, &draft(RefundSelection::Amount(pesos(128_00), None)), None);
    call(&mut file, 1, Some(1), approved());
    call(&mut file, 1, Some(2), outcome);
    file
}

pub(crate) fn declined() -> RefundOutcome {
    RefundOutcome::Refused(RefundFailureCode::DeclinedByProvider)
}

/// Returns money that was found at the provider.
pub(crate) fn found() -> RefundedSale {
    let mut file = tipped();
    let facts = RefundFacts {
        origin: RefundOrigin::Provider,
        original_issued_on: Some(sample::today()),
        ..facts(&file.sale, 1, RefundSettlement::Acquirer)
    };
    let money = FoundMoney {
        ordinal: None,
        amount: 128_00,
        method: LegMethod::Refund,
        reference: AcquirerReference::parse("990117").unwrap(),
        late: None,
    };
    file.record_found(facts, money, sample::document_id(701), CONDITIONS, later(60)).unwrap();
    file
}

pub(crate) fn attributed() -> RefundedSale {
    let mut file = found();
    let selection = RefundSelection::Amount(pesos(128_00), None);
    let context = file.context(Some(&id(1)), None, CONDITIONS, later(90)).unwrap();
    let refund = file.refund(&id(1)).unwrap();
    let plan = refund.plan_attribution(&selection, false, &context).unwrap();
    file.attribute(&id(1), plan, RefundReason::Other.into(), sample::document_id(701), later(90)).unwrap();
    file
}

/// Returns a sale with a refund for each status, and the name of the file.
pub(crate) fn statuses() -> Vec<(&'static str, RefundedSale)> {
    let mut processing = tipped();
    begin(&mut processing, 1, &draft(lines()), None);
    let mut verifying = processing.clone();
    call(&mut verifying, 1, None, RefundOutcome::Ambiguous);
    let mut failed = processing.clone();
    call(&mut failed, 1, None, declined());
    let mut outside = tipped();
    let settlement = RefundSettlement::Outside;
    begin(&mut outside, 1, &RefundDraft { settlement, ..draft(RefundSelection::All) }, None);
    let mut tip = tipped();
    begin(&mut tip, 1, &draft(RefundSelection::Tip(pesos(50_00))), None);
    call(&mut tip, 1, None, approved());
    vec![
        ("processing", processing),
        ("verifying", verifying),
        ("succeeded", succeeded()),
        ("partially_succeeded", of_payers(declined())),
        ("failed", failed),
        ("split", of_payers(approved())),
        ("outside", outside),
        ("tip", tip),
        ("unattributed", found()),
        ("attributed", attributed()),
    ]
}
