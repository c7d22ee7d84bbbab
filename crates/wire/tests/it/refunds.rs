//! Refunds in each status, previews, credit notes and their events.

use chrono::TimeDelta;
use domain::{
    EventId, EventKind, FiscalDocument,
    event::{EventRecord, SaleEvent, Subject},
    fiscal::{Acceptance, ProblemCode, Verdict},
    refund::{RefundDraft, RefundPlan, RefundPreview, RefundRecord, RefundSelection, RefundedSale},
    sale::Sale,
    text::BoundedText,
};
use serde_json::{Value, json};
use testkit::sample;
use wire::{
    EventPayload, FiscalDocumentResponse, ListResponse, MerchantRefundResponse, PaymentResponse, RefundPreviewResponse,
    to_bytes,
};

use crate::{contract::assert_described, golden::assert_golden, refund_samples::*};

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
    let context = file.context(None, None, CONDITIONS, later(60)).unwrap();
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
    file.advance_notes(later(70)).unwrap();

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
