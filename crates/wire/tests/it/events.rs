//! Events, as endpoints receive them and as the API returns them.

use domain::{
    EventId, EventKind,
    account::AccountSelector,
    event::{EventRecord, SaleEvent, Subject},
    money::AmountLimits,
    sale::Sale,
    text::{BoundedText, Prose},
};
use serde_json::Value;
use testkit::sample;
use wire::{EventPayload, ListResponse, PublicUrls, to_bytes};

use crate::{contract::assert_described, golden::assert_golden};

fn urls() -> PublicUrls {
    PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() }
}

fn record(kind: EventKind, previous_status: Option<&str>, sale: Sale) -> EventRecord {
    EventRecord {
        id: EventId::new(&sample::symbols(1)),
        kind,
        created_at: sample::noon(),
        request: Some(sample::request_id(1)),
        subject: Subject::Sale(Box::new(SaleEvent {
            previous_status: previous_status.map(str::to_owned),
            part: None,
            sequence: 7,
            sale,
            refund: None,
            note: None,
        })),
    }
}

fn shown(record: &EventRecord) -> Value {
    serde_json::from_slice(&to_bytes(&EventPayload::new(record, &urls()))).unwrap()
}

/// Returns a sale of `lines` lines of maximum length.
fn long(lines: u16) -> Sale {
    let mut draft = sample::draft();
    let line = |number: u16| {
        let mut line = sample::line(1_00);
        line.source_line_id = BoundedText::parse(&format!("{number:0128}")).unwrap();
        line.description = BoundedText::parse(&"d".repeat(80)).unwrap();
        line
    };
    draft.document.lines = (0..lines).map(line).collect();
    draft.amount.minor_units = i64::from(lines) * 1_28;
    draft.metadata = Some(vec![("note".to_owned(), Prose::parse("x").unwrap())]);
    let (names, wish, limits) = (sample::sale_ids(1), AccountSelector::default(), AmountLimits::default());
    draft.open(names, &sample::sale_context(), &wish, &limits, sample::noon()).unwrap()
}

#[test]
fn an_event_shows_the_object_right_after_it() {
    let paid = record(EventKind::PaymentSucceeded, Some("processing"), sample::paid(1));
    let issued = record(EventKind::FiscalDocumentIssued, Some("issuing"), sample::issued(1));
    let by_itself = EventRecord { request: None, ..record(EventKind::PaymentCreated, None, sample::sale(1)) };

    assert_golden("event-payment", &EventPayload::new(&paid, &urls()));
    assert_golden("event-fiscal-document", &EventPayload::new(&issued, &urls()));
    assert_eq!(shown(&by_itself)["request"]["id"], Value::Null);
    assert_eq!(shown(&by_itself)["data"]["previousStatus"], Value::Null);
}

#[test]
fn events_show_the_object_of_their_type() {
    // An event about the split of a sale that is not split reports the deletion.
    let families = [("fiscal_document.", "fiscal_document"), ("payment_split.", "payment_split")];
    for kind in EventKind::ALL {
        let event = shown(&record(kind, None, sample::issued(1)));

        let family = families.iter().find(|(prefix, _)| kind.as_str().starts_with(prefix));
        let object = family.map_or("payment", |(_, object)| object);
        assert_eq!(event["type"], kind.as_str());
        assert_eq!(event["data"]["object"]["object"], object, "{kind}");
        assert_described("Event", &event);
    }
}

#[test]
fn an_event_omits_the_checkout_reference() {
    let sale = long(1);
    let full = wire::PaymentResponse::full(&sale, &urls(), sample::noon());
    let mut expected: Value = serde_json::from_slice(&to_bytes(&full)).unwrap();
    let reference = expected.as_object_mut().unwrap().remove("checkoutReference").unwrap();

    let event = record(EventKind::PaymentCreated, None, sale);

    assert_eq!(shown(&event)["data"]["object"], expected);
    let text = String::from_utf8(to_bytes(&EventPayload::new(&event, &urls()))).unwrap();
    assert!(!text.contains(reference.as_str().unwrap()));
}

#[test]
fn an_event_above_64_kib_is_truncated() {
    let mut truncated = 0;
    for lines in (100..300).step_by(10) {
        for kind in [EventKind::PaymentCreated, EventKind::FiscalDocumentRequested] {
            let record = record(kind, None, long(lines));

            let bytes = to_bytes(&EventPayload::new(&record, &urls()));

            assert!(bytes.len() <= EventPayload::MAX, "{lines} lines make {} bytes", bytes.len());
            truncated += usize::from(bytes.len() < 2048);
        }
    }
    assert!((1..40).contains(&truncated), "{truncated}");
    assert_golden("event-truncated", &EventPayload::new(&record(EventKind::PaymentCreated, None, long(1000)), &urls()));
    let document = shown(&record(EventKind::FiscalDocumentRequested, None, long(1000)));
    assert_eq!(
        document["data"]["object"],
        serde_json::json!({"id": sample::document_id(1).as_str(), "object": "fiscal_document", "isTruncated": true})
    );
}

#[test]
fn events_and_payments_are_listed() {
    let record = record(EventKind::PaymentCreated, None, long(1000));
    let sale = sample::sale(1);

    assert_golden("event-list", &ListResponse::new(vec![EventPayload::new(&record, &urls())], false, "AQAAAZ"));
    let payments = vec![wire::PaymentResponse::full(&sale, &urls(), sample::noon())];
    assert_golden("payment-list", &ListResponse::new(payments, true, "AQAAAZ"));
}
