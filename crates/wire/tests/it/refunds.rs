//! Refunds in each status, previews, credit notes and their events.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Currency, Event, EventId, EventKind, FiscalDocument, Money, Refund, RefundId,
    event::{EventRecord, SaleEvent, Subject},
    fiscal::{Acceptance, ProblemCode, Verdict},
    payment::{Payment, PaymentState},
    refund::{
        AccountState, AcquirerReference, FoundMoney, LegMethod, LineName, LinePart, LineSelection, RefundDraft,
        RefundFacts, RefundFailureCode, RefundOrigin, RefundOutcome, RefundPlan, RefundPreview, RefundReason,
        RefundRecord, RefundSelection, RefundSettlement, RefundTerms, RefundedSale,
    },
    sale::Sale,
    split::CaptureOutcome,
    text::{BoundedText, Prose},
};
use serde_json::{Value, json};
use testkit::sample;
use wire::{
    EventPayload, FiscalDocumentResponse, ListResponse, MerchantRefundResponse, PaymentResponse, PublicUrls,
    RefundPreviewResponse, to_bytes,
};

use crate::{contract::assert_described, golden::assert_golden};

const TERMS: RefundTerms = RefundTerms { void_window: TimeDelta::minutes(19), refund_days: 180, allows_multiple: true };
const ACCOUNT: AccountState = AccountState { can_issue_notes: true, can_use_acquirer: true };

fn urls() -> PublicUrls {
    PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() }
}

fn later(seconds: i64) -> DateTime<Utc> {
    sample::noon() + TimeDelta::seconds(seconds)
}

fn pesos(minor_units: i64) -> Money {
    Money::new(minor_units, Currency::Dop)
}

fn id(n: u32) -> RefundId {
    RefundId::new(&sample::symbols(700 + n))
}

fn draft(selection: RefundSelection) -> RefundDraft {
    RefundDraft { selection, settlement: RefundSettlement::Acquirer, parts: None, acknowledges_itbis_loss: false }
}

fn of(sale: Sale) -> RefundedSale {
    RefundedSale { sale, refunds: Vec::new(), notes: Vec::new() }
}

/// Returns an issued sale of 1,280.00 with a voluntary tip of 100.00.
fn tipped() -> RefundedSale {
    let Sale { payment, document } = sample::issued(1);
    let state = PaymentState { voluntary_tip: pesos(100_00), ..payment.state().clone() };
    of(Sale { payment: Payment::restore(payment.facts, state), document })
}

/// Returns an issued sale whose two payers paid 640.00 each.
fn shared() -> RefundedSale {
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

fn facts(sale: &Sale, n: u32, settlement: RefundSettlement) -> RefundFacts {
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
fn begin(file: &mut RefundedSale, n: u32, draft: &RefundDraft, retried: Option<RefundId>) {
    let context = file.context(None, retried.as_ref(), (TERMS, ACCOUNT), later(60)).unwrap();
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
    let begun = Refund::begin(facts, plan, RefundReason::Returned, description, |_| Some(sample::card()));
    file.begin(begun, sample::document_id(700 + n), later(60)).unwrap();
}

/// Calls a leg of the `n`th refund, and applies the outcome.
fn call(file: &mut RefundedSale, n: u32, ordinal: Option<u8>, outcome: RefundOutcome) -> Vec<Event> {
    let charge = *file.charges(Some(&id(n))).iter().find(|charge| charge.ordinal == ordinal).unwrap();
    let before = file.refund(&id(n)).unwrap().clone();
    let attempt = sample::attempt_id(700 + n);
    let refund = file.refund_mut(&id(n)).unwrap();
    refund.open_call(&charge, attempt.clone(), &TERMS, later(61)).unwrap();
    refund.apply_outcome(ordinal, &attempt, outcome, later(62)).unwrap();
    file.follow(&before, sample::document_id(700 + n), later(62)).unwrap()
}

fn approved() -> RefundOutcome {
    RefundOutcome::Approved(AcquirerReference::parse("4810277"))
}

fn record(file: &RefundedSale, n: u32) -> RefundRecord {
    file.record(&id(n)).unwrap()
}

/// Returns a whole refund of a sale in one charge.
fn succeeded() -> RefundedSale {
    let mut file = tipped();
    begin(&mut file, 1, &draft(RefundSelection::All), None);
    call(&mut file, 1, None, approved());
    file
}

fn lines() -> RefundSelection {
    let line = LineName::SourceLineId(BoundedText::parse("line-1").unwrap());
    RefundSelection::Lines(vec![LineSelection { line, part: LinePart::Net(100_00) }], Some(pesos(10_00)))
}

/// Returns a refund of 128.00 to both payers; that of the second payer has this outcome twice, as void and as refund.
fn of_payers(outcome: RefundOutcome) -> RefundedSale {
    let mut file = shared();
    begin(&mut file, 1, &draft(RefundSelection::Amount(pesos(128_00), None)), None);
    call(&mut file, 1, Some(1), approved());
    call(&mut file, 1, Some(2), outcome);
    file
}

fn declined() -> RefundOutcome {
    RefundOutcome::Refused(RefundFailureCode::DeclinedByProvider)
}

/// Returns money that was found at the provider.
fn found() -> RefundedSale {
    let mut file = tipped();
    let facts = RefundFacts {
        origin: RefundOrigin::Provider,
        original_issued_on: Some(sample::today()),
        ..facts(&file.sale, 1, RefundSettlement::Acquirer)
    };
    let money = FoundMoney {
        facts,
        ordinal: None,
        amount: 128_00,
        method: LegMethod::Refund,
        reference: AcquirerReference::parse("990117").unwrap(),
        card: Some(sample::card()),
        late: None,
    };
    file.record_found(money, sample::document_id(701), (TERMS, ACCOUNT), later(60)).unwrap();
    file
}

fn attributed() -> RefundedSale {
    let mut file = found();
    let selection = RefundSelection::Amount(pesos(128_00), None);
    let context = file.context(Some(&id(1)), None, (TERMS, ACCOUNT), later(90)).unwrap();
    let refund = file.refund(&id(1)).unwrap();
    let plan = refund.found_return().unwrap().attribute(refund.status(), &selection, false, &context).unwrap();
    file.attribute(&id(1), plan, (RefundReason::Other, None), sample::document_id(701), later(90)).unwrap();
    file
}

/// Returns a sale with a refund for each status, and the name of the file.
fn statuses() -> Vec<(&'static str, RefundedSale)> {
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

fn json_of(response: &impl serde::Serialize) -> Value {
    serde_json::from_slice(&to_bytes(response)).unwrap()
}

#[test]
fn a_refund_in_each_status_matches_its_file() {
    for (name, file) in statuses() {
        let record = record(&file, 1);
        assert_golden(&format!("refund-{name}"), &MerchantRefundResponse::from(&record));
        assert_described("Refund", &json_of(&MerchantRefundResponse::from(&record)));
    }
}

#[test]
fn every_key_is_always_present() {
    let (_, first) = statuses().swap_remove(0);
    let keys = |file: &RefundedSale| -> Vec<String> {
        json_of(&MerchantRefundResponse::from(&record(file, 1))).as_object().unwrap().keys().cloned().collect()
    };
    let expected = keys(&first);

    assert_eq!(expected.len(), 27, "{expected:?}");
    for (name, file) in statuses() {
        assert_eq!(keys(&file), expected, "{name}");
    }
}

#[test]
fn refunds_are_listed() {
    let (succeeded, found) = (succeeded(), found());
    let (records, other) = (record(&succeeded, 1), record(&found, 1));

    let listed = ListResponse::new(
        vec![MerchantRefundResponse::from(&records), MerchantRefundResponse::from(&other)],
        true,
        "AQAAAZ",
    );

    assert_golden("refund-list", &listed);
}

#[test]
fn the_age_of_a_note_follows_the_refund_until_the_note_has_a_number() {
    let mut file = succeeded();
    let days = |days| TimeDelta::days(days);
    let is_late =
        |file: &RefundedSale| json_of(&MerchantRefundResponse::from(&record(file, 1)))["isAfterThirtyDays"].clone();
    assert_eq!(is_late(&file), json!(false));

    file.refund_mut(&id(1)).unwrap().describe(None, sample::noon() + days(31));
    assert_eq!(is_late(&file), json!(true));
    file.notes[0].numbered(sample::note_number(1), sample::noon() + days(32)).unwrap();
    assert_eq!(is_late(&file), json!(false), "the number has the day of issue");

    let (_, tip) = statuses().into_iter().find(|(name, _)| *name == "tip").unwrap();
    assert_eq!(is_late(&tip), Value::Null);
}

fn preview(file: &RefundedSale, draft: &RefundDraft) -> RefundPreview {
    let context = file.context(None, None, (TERMS, ACCOUNT), later(60)).unwrap();
    RefundPlan::preview(draft, &context).unwrap()
}

#[test]
fn a_preview_of_each_kind_matches_its_file() {
    let (tipped, shared) = (tipped(), shared());
    let inexact = (500_01..).map(|amount| draft(RefundSelection::Amount(pesos(amount), None)));
    let is_inexact = |draft: &RefundDraft| matches!(preview(&tipped, draft), RefundPreview::Inexact { .. });
    let inexact = inexact.take(100).find(is_inexact).unwrap();
    let rows = [
        ("all", &tipped, draft(RefundSelection::All)),
        ("lines", &tipped, draft(lines())),
        ("split", &shared, draft(RefundSelection::Amount(pesos(128_00), None))),
        ("tip", &tipped, draft(RefundSelection::Tip(pesos(50_00)))),
        ("inexact", &tipped, inexact),
    ];
    for (name, file, draft) in rows {
        let preview = preview(file, &draft);
        let response = RefundPreviewResponse::new(&file.sale, &preview);

        assert_golden(&format!("refund-preview-{name}"), &response);
        assert_described("RefundPreview", &json_of(&response));
        assert_eq!(json_of(&response).as_object().unwrap().len(), 14, "{name}");
    }
}

#[test]
fn a_payment_shows_the_sums_of_its_refunds() {
    let unpaid = json_of(&PaymentResponse::full(&sample::sale(1), &urls(), later(0)));
    assert_eq!(unpaid["refundSummary"], Value::Null);
    let money = |minor_units: i64| json!({"currency": "DOP", "minorUnits": minor_units});

    let mut file = tipped();
    begin(&mut file, 1, &draft(lines()), None);
    let paid = json_of(&PaymentResponse::full(&file.sale, &urls(), later(0)));

    let expected = json!({
        "refundedAmount": money(0), "pendingAmount": money(138_00), "refundableAmount": money(1_242_00),
        "refundableTip": money(90_00), "refundCount": 1, "undocumentedMinorUnits": 0,
    });
    assert_eq!(paid["refundSummary"], expected);
    assert_described("Payment", &paid);
}

#[test]
fn a_payer_sees_the_refunds_without_the_merchants_data() {
    let file = of_payers(declined());
    let records = [record(&file, 1)];

    let response = PaymentResponse::checkout(&file.sale, &records, &urls(), later(70));

    assert_golden("checkout-payment-refunded", &response);
    let shown = json_of(&response)["refunds"][0].clone();
    let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["createdAt", "creditNote", "id", "legs", "status", "totalAmount"]);
}

/// Returns the credit note of a whole refund in each stage that only notes have.
fn notes() -> Vec<(&'static str, FiscalDocument)> {
    let issuing = succeeded().notes.remove(0);
    let mut sent = issuing.clone();
    sent.numbered(sample::note_number(1), later(63)).unwrap();
    sent.signed(sample::signed(2), later(64)).unwrap();
    sent.submitting(later(65)).unwrap();
    let mut issued = sent.clone();
    issued.apply_verdict(Verdict::Accepted(Acceptance::Accepted), later(66)).unwrap();
    let mut corrected = sent.clone();
    corrected.apply_verdict(sample::rejected(ProblemCode::TotalsRejected, true), later(66)).unwrap();
    corrected.correct_note(BoundedText::parse("Devolución de mercancía"), later(67)).unwrap();
    vec![
        ("note_issuing", issuing),
        ("note_issued", issued),
        ("note_corrected", corrected),
        ("note_canceled", canceled()),
    ]
}

/// Returns the note of a document that was rejected after the whole refund.
fn canceled() -> FiscalDocument {
    let mut sale = sample::paid(1);
    sale.document.numbered(sample::numbered(1), later(1)).unwrap();
    sale.document.signed(sample::signed(1), later(1)).unwrap();
    sale.document.submitting(later(1)).unwrap();
    let mut file = of(sale);
    begin(&mut file, 1, &draft(RefundSelection::All), None);
    call(&mut file, 1, None, approved());
    file.sale.document.apply_verdict(sample::rejected(ProblemCode::TotalsRejected, true), later(70)).unwrap();
    file.follow_document(later(70)).unwrap();

    let original = json_of(&FiscalDocumentResponse::full(&file.sale));
    assert_eq!((&original["status"], &original["reason"]), (&json!("canceled"), &json!("refunded")));
    file.notes.remove(0)
}

#[test]
fn a_credit_note_in_each_stage_matches_its_file() {
    for (name, note) in notes() {
        assert_golden(&format!("fiscal-document-{name}"), &FiscalDocumentResponse::note(&note));
        let sale = Sale { document: note, ..succeeded().sale };
        let shown = json_of(&FiscalDocumentResponse::receipt(&sale));
        assert_eq!((&shown["kind"], &shown["creditedMinorUnits"]), (&json!("credit_note"), &json!(0)), "{name}");
        assert_described("ReceiptDocument", &shown);
    }
    let issuing = json_of(&FiscalDocumentResponse::note(&notes().remove(0).1));
    let modifies = &issuing["modifies"];
    assert_eq!(modifies["fiscalDocumentId"], sample::document_id(1).as_str());
    assert_eq!((&modifies["refundId"], &modifies["modification"]), (&json!(id(1).as_str()), &json!("cancels")));
    assert_eq!(modifies["fiscalNumber"], sample::numbered(1).number.as_str());
    let waiting = json_of(&FiscalDocumentResponse::note(&canceled()));
    assert_eq!((&waiting["modifies"]["fiscalNumber"], &waiting["modifies"]["issueDate"]), (&Value::Null, &Value::Null));
}

fn event(kind: EventKind, file: &RefundedSale, refund: bool) -> EventRecord {
    let RefundRecord { refund: of_event, note } = record(file, 1);
    EventRecord {
        id: EventId::new(&sample::symbols(1)),
        kind,
        created_at: later(62),
        request: Some(sample::request_id(1)),
        subject: Subject::Sale(Box::new(SaleEvent {
            previous_status: Some("processing".to_owned()),
            part: None,
            sequence: 9,
            sale: file.sale.clone(),
            refund: refund.then(|| Box::new(of_event)),
            note: note.map(Box::new),
        })),
    }
}

#[test]
fn events_show_the_refund_or_the_credit_note() {
    let file = succeeded();

    assert_golden("event-refund", &EventPayload::new(&event(EventKind::RefundSucceeded, &file, true), &urls()));
    assert_golden("event-credit_note", &EventPayload::new(&event(EventKind::CreditNoteIssuing, &file, false), &urls()));
    for kind in EventKind::ALL {
        let (object, own) = match kind.as_str().split_once('.').unwrap().0 {
            "refund" => ("refund", id(1).as_str().to_owned()),
            "credit_note" => ("fiscal_document", sample::document_id(701).as_str().to_owned()),
            _ => continue,
        };
        let shown = json_of(&EventPayload::new(&event(kind, &file, true), &urls()));

        assert_eq!((&shown["data"]["object"]["object"], &shown["data"]["object"]["id"]), (&json!(object), &json!(own)));
        assert_described("Event", &shown);
    }
}

#[test]
fn a_long_refund_is_truncated_in_its_event() {
    let mut draft_of_sale = sample::draft();
    let line = |number: u32| {
        let mut line = sample::line(1_00);
        line.source_line_id = BoundedText::parse(&format!("{number:0128}")).unwrap();
        line
    };
    draft_of_sale.document.lines = (0..1000).map(line).collect();
    draft_of_sale.amount.minor_units = 1000 * 1_28;
    let (ids, wish, limits) = (sample::sale_ids(1), Default::default(), Default::default());
    let mut sale = draft_of_sale.open(ids, &sample::sale_context(), &wish, &limits, sample::noon()).unwrap();
    sale.submit(sample::attempt_id(1), sample::card(), later(1)).unwrap();
    sale.apply_outcome(&sample::attempt_id(1), domain::payment::ProviderOutcome::Approved, later(1)).unwrap();
    let mut file = of(sale);
    begin(&mut file, 1, &draft(RefundSelection::All), None);
    call(&mut file, 1, None, approved());

    let refund = json_of(&EventPayload::new(&event(EventKind::RefundSucceeded, &file, true), &urls()));
    let note = json_of(&EventPayload::new(&event(EventKind::CreditNoteRequested, &file, false), &urls()));

    let truncated = |id: &str, object: &str| json!({"id": id, "object": object, "isTruncated": true});
    assert_eq!(refund["data"]["object"], truncated(id(1).as_str(), "refund"));
    assert_eq!(note["data"]["object"], truncated(sample::document_id(701).as_str(), "fiscal_document"));
    for event in [refund, note] {
        assert_described("Event", &event);
    }
}
