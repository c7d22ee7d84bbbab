//! Splits and their parts at each stage.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AttemptId, EventId, EventKind,
    event::{EventRecord, SaleEvent, Subject},
    money::AmountLimits,
    payment::{DeclineCode, PaymentStatus, ProviderOutcome},
    sale::Sale,
    split::{
        AuthorizationOutcome, CaptureOutcome, Organizer, PartStatus, ReleaseOutcome, SplitContext, SplitDraft,
        SplitStatus, SplitWindow,
    },
};
use serde_json::{Value, json};
use testkit::sample;
use wire::{EventPayload, PaymentPartResponse, PaymentSplitResponse, PublicUrls, to_bytes};

use crate::{contract::assert_described, golden::assert_golden};

fn urls() -> PublicUrls {
    PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() }
}

fn later(seconds: i64) -> DateTime<Utc> {
    sample::noon() + TimeDelta::seconds(seconds)
}

/// Returns the identifier of attempt `n` of a part.
fn name(ordinal: u8, n: u32) -> AttemptId {
    sample::attempt_id(u32::from(ordinal) * 10 + n)
}

/// Returns a sale of 1,280 pesos, split among three payers.
fn shared() -> Sale {
    let mut sale = sample::sale(1);
    let (window, limits) = (SplitWindow::default(), AmountLimits::default());
    let context = SplitContext { is_split_enabled: true, can_authorize: true, window, limits };
    sale.open_split(&SplitDraft::Equal { part_count: 3 }, Organizer::Payer, &context, later(1)).unwrap();
    sale
}

fn submitted(mut sale: Sale, ordinal: u8) -> Sale {
    sale.submit_part(ordinal, name(ordinal, 1), sample::card(), later(2)).unwrap();
    sale
}

fn answered(sale: Sale, ordinal: u8, answer: AuthorizationOutcome) -> Sale {
    let mut sale = submitted(sale, ordinal);
    sale.apply_authorization(&name(ordinal, 1), answer, later(3)).unwrap();
    sale
}

fn reserved(sale: Sale, ordinal: u8) -> Sale {
    answered(sale, ordinal, AuthorizationOutcome::Approved { valid_until: later(7 * 24 * 3600), is_card_stored: false })
}

fn all_reserved() -> Sale {
    (1..=3).fold(shared(), reserved)
}

fn capturing() -> Sale {
    let mut sale = all_reserved();
    sale.capture(later(4)).unwrap();
    sale
}

fn captured(mut sale: Sale, ordinal: u8, answer: CaptureOutcome) -> Sale {
    sale.begin_call(ordinal, name(ordinal, 2), later(5)).unwrap();
    sale.apply_capture(&name(ordinal, 2), answer, later(6)).unwrap();
    sale
}

fn closed(mut sale: Sale) -> Sale {
    let end = sale.payment.expires_at();
    sale.expire_due(end).unwrap();
    sale
}

fn released() -> Sale {
    let mut sale = reserved(shared(), 1);
    sale.release(later(4)).unwrap();
    sale.begin_call(1, name(1, 3), later(5)).unwrap();
    sale.apply_release(&name(1, 3), ReleaseOutcome::Released, later(6)).unwrap();
    sale
}

/// Returns a split that expired during a 3-D Secure challenge.
fn late() -> Sale {
    let mut sale = shared();
    let end = sale.payment.expires_at();
    sale.submit_part(1, name(1, 1), sample::card(), end - TimeDelta::seconds(1)).unwrap();
    closed(sale)
}

/// Returns sales for each stage of a split.
fn stages() -> Vec<(&'static str, Sale)> {
    let declined = AuthorizationOutcome::Declined(DeclineCode::InsufficientFunds);
    let challenge = AuthorizationOutcome::ChallengeRequired(sample::symbols(7), sample::challenge());
    let partially_authorized =
        answered(answered(reserved(shared(), 1), 2, declined), 3, AuthorizationOutcome::Ambiguous);
    let mut releasing = all_reserved();
    releasing.release(later(4)).unwrap();
    let partially_paid = captured(captured(capturing(), 1, CaptureOutcome::Captured), 2, CaptureOutcome::HoldGone);
    let partially_paid = captured(partially_paid, 3, CaptureOutcome::Refused);
    let succeeded = (1..=3).fold(capturing(), |sale, ordinal| captured(sale, ordinal, CaptureOutcome::Captured));
    vec![
        ("open", shared()),
        ("challenge", answered(shared(), 2, challenge)),
        ("partially_authorized", reserved(shared(), 1)),
        ("verifying", partially_authorized),
        ("authorized", all_reserved()),
        ("capturing", captured(capturing(), 1, CaptureOutcome::Captured)),
        ("capture_in_doubt", captured(capturing(), 2, CaptureOutcome::Ambiguous)),
        ("partially_paid", partially_paid),
        ("releasing", releasing),
        ("released", released()),
        ("succeeded", succeeded),
        ("expired", closed(shared())),
        ("late", late()),
    ]
}

fn stage(name: &str) -> Sale {
    stages().into_iter().find(|(it, _)| *it == name).unwrap().1
}

fn json_of(answer: &impl serde::Serialize) -> Value {
    serde_json::from_slice(&to_bytes(answer)).unwrap()
}

fn full(sale: &Sale) -> Value {
    json_of(&wire::PaymentResponse::full(sale, &urls(), later(10)))
}

fn split(sale: &Sale) -> Value {
    json_of(&PaymentSplitResponse::of(sale).unwrap())
}

fn part(sale: &Sale, ordinal: u8) -> Value {
    json_of(&PaymentPartResponse::of(sale, ordinal, &urls()).unwrap())
}

fn minor(money: &Value) -> i64 {
    assert_eq!(money["currency"], "DOP");
    money["minorUnits"].as_i64().unwrap()
}

#[test]
fn a_split_at_each_stage_matches_its_file() {
    for (name, sale) in stages() {
        assert_golden(&format!("payment_split-{name}"), &PaymentSplitResponse::of(&sale).unwrap());
    }
    for name in ["open", "verifying", "authorized", "partially_paid", "released", "succeeded"] {
        assert_golden(&format!("payment-split-{name}"), &wire::PaymentResponse::full(&stage(name), &urls(), later(10)));
    }
}

#[test]
fn a_part_in_each_status_matches_its_file() {
    let mut seen = BTreeSet::new();
    for (_, sale) in stages() {
        for ordinal in 1..=3 {
            let status = part(&sale, ordinal)["status"].as_str().unwrap().to_owned();
            if seen.insert(status.clone()) {
                assert_golden(
                    &format!("payment_part-{status}"),
                    &PaymentPartResponse::of(&sale, ordinal, &urls()).unwrap(),
                );
            }
        }
    }
    assert_golden("payment_part-challenge", &PaymentPartResponse::of(&stage("challenge"), 2, &urls()).unwrap());

    let all: BTreeSet<String> = PartStatus::ALL.iter().map(|it| it.as_str().to_owned()).collect();
    assert_eq!(seen, all);
}

#[test]
fn every_status_of_a_split_and_of_a_payment_is_shown() {
    let splits: BTreeSet<String> =
        stages().iter().map(|(_, sale)| split(sale)["status"].as_str().unwrap().to_owned()).collect();
    let payments: BTreeSet<String> =
        stages().iter().map(|(_, sale)| full(sale)["status"].as_str().unwrap().to_owned()).collect();

    assert_eq!(splits, SplitStatus::ALL.iter().map(|it| it.as_str().to_owned()).collect());
    // A decline belongs to a part.
    let all = PaymentStatus::ALL.iter().filter(|it| **it != PaymentStatus::Declined);
    assert_eq!(payments, all.map(|it| it.as_str().to_owned()).collect());
}

#[test]
fn a_split_matches_its_schema_at_every_stage() {
    for (_, sale) in stages() {
        assert_described("Payment", &full(&sale));
        assert_described("CheckoutPayment", &json_of(&wire::PaymentResponse::checkout(&sale, &[], &urls(), later(10))));
        assert_described("PaymentSplit", &split(&sale));
        for ordinal in 1..=3 {
            assert_described("PaymentPart", &part(&sale, ordinal));
        }
    }
}

#[test]
fn only_the_merchant_sees_the_split_in_the_payment() {
    for (name, sale) in stages() {
        let (mut resource, mut full) = (split(&sale), full(&sale));
        for own in ["object", "paymentId", "renewalCount", "organizer", "expiresAt"] {
            resource.as_object_mut().unwrap().remove(own).unwrap();
        }
        assert_eq!(full["split"], resource, "{name}");

        for field in ["checkoutReference", "split", "refundSummary"] {
            full.as_object_mut().unwrap().remove(field).unwrap();
        }
        full["refunds"] = serde_json::json!([]);
        for field in ["merchantInvoiceNumber", "merchantOrderNumber"] {
            full["fiscalDocument"].as_object_mut().unwrap().remove(field).unwrap();
        }
        assert_eq!(json_of(&wire::PaymentResponse::checkout(&sale, &[], &urls(), later(10))), full, "{name}");
    }
}

#[test]
fn settled_reserved_and_remaining_amounts_add_up() {
    for (name, sale) in stages() {
        let payment = full(&sale);
        let split = &payment["split"];
        let [captured, authorized, to_authorize, to_capture] =
            ["captured", "authorized", "remainingToAuthorize", "remainingToCapture"].map(|it| minor(&split[it]));
        let parts = split["parts"].as_array().unwrap();
        let of =
            |statuses: &[&str]| parts.iter().filter(|it| statuses.contains(&it["status"].as_str().unwrap())).count();

        assert_eq!(captured + authorized + to_authorize, minor(&payment["totalAmount"]), "{name}");
        assert_eq!(captured + to_capture, minor(&payment["totalAmount"]), "{name}");
        assert_eq!(split["capturedCount"], of(&["succeeded"]), "{name}");
        assert_eq!((parts.len(), split["partCount"].as_u64()), (3, Some(3)), "{name}");
        assert_eq!(parts.iter().map(|it| minor(&it["amount"])).sum::<i64>(), minor(&payment["totalAmount"]), "{name}");
        let itbis: i64 = parts.iter().map(|it| minor(&it["allocatedItbis"])).sum();
        assert_eq!(Some(itbis), payment["breakdown"]["taxesMinorUnits"].as_i64(), "{name}");
    }
}

#[test]
fn facts_of_a_stage_are_shown_only_during_it() {
    for (name, sale) in stages() {
        let payment = full(&sale);
        let status = payment["status"].as_str().unwrap();
        let is_open = ["requires_customer_action", "partially_authorized"].contains(&status);

        assert_eq!(payment.get("nextAction").is_some(), is_open, "{name}");
        assert_eq!(!payment["verification"].is_null(), status == "verifying", "{name}");
        assert_eq!([&payment["decline"], &payment["paymentMethodSummary"]], [&Value::Null; 2], "{name}");
        assert_eq!(payment["expiresAt"], split(&sale)["expiresAt"], "{name}");
        for ordinal in 1..=3 {
            let part = part(&sale, ordinal);
            let status = part["status"].as_str().unwrap();
            let is_reserved = ["authorized", "capturing", "releasing"].contains(&status);

            assert_eq!(!part["decline"].is_null(), status == "declined", "{name} {ordinal}");
            // During verification, only captures and releases concern reserved funds.
            let is_known = status != "verifying";
            assert!(!is_known || part["authorizationValidUntil"].is_string() == is_reserved, "{name} {ordinal}");
            let is_touched = part["attemptCount"].as_u64().unwrap() > 0;
            assert_eq!(!part["paymentMethodSummary"].is_null(), is_touched, "{name} {ordinal}");
        }
    }
}

#[test]
fn payers_are_redirected_to_the_checkout_or_the_issuer() {
    let sale = stage("challenge");

    let payment = full(&sale);
    let challenged = part(&sale, 2);

    assert_eq!(payment["nextAction"]["url"], format!("https://pay.example/p/{}", sample::symbols(1).as_str()));
    assert_eq!(payment["nextAction"]["expiresAt"], payment["expiresAt"]);
    assert_eq!(challenged["status"], "processing");
    assert_eq!(challenged["nextAction"]["url"], format!("https://pay.example/c/{}", sample::symbols(7).as_str()));
    assert_eq!(challenged["nextAction"]["expiresAt"], "2026-03-01T12:15:03.000Z");
    assert_eq!(part(&sale, 1).get("nextAction"), None);
}

#[test]
fn verification_of_a_split_spans_its_parts() {
    let mut sale = answered(shared(), 1, AuthorizationOutcome::Ambiguous);
    sale.submit_part(2, name(2, 1), sample::card(), later(8)).unwrap();
    sale.apply_authorization(&name(2, 1), AuthorizationOutcome::Ambiguous, later(9)).unwrap();

    let verification = json!({
        "startedAt": "2026-03-01T12:00:03.000Z", "nextCheckAt": "2026-03-01T12:00:18.000Z", "isEscalated": false,
    });
    assert_eq!(full(&sale)["verification"], verification);
}

#[test]
fn an_earlier_decline_is_not_shown_on_the_parts() {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), later(0)).unwrap();
    sale.apply_outcome(&sample::attempt_id(1), ProviderOutcome::Declined(DeclineCode::DoNotHonor), later(0)).unwrap();
    assert!(full(&sale)["paymentMethodSummary"].is_object());
    let (window, limits) = (SplitWindow::default(), AmountLimits::default());
    let context = SplitContext { is_split_enabled: true, can_authorize: true, window, limits };
    sale.open_split(&SplitDraft::Equal { part_count: 2 }, Organizer::Merchant, &context, later(1)).unwrap();

    let payment = full(&sale);

    assert_eq!([&payment["decline"], &payment["paymentMethodSummary"]], [&Value::Null; 2]);
    assert_eq!(split(&sale)["organizer"], "merchant");
}

#[test]
fn absent_parts_and_splits_are_none() {
    let sale = shared();
    for ordinal in [0, 4, 255] {
        assert!(PaymentPartResponse::of(&sale, ordinal, &urls()).is_none(), "{ordinal}");
    }
    assert!(PaymentSplitResponse::of(&sample::sale(1)).is_none());
    assert!(PaymentPartResponse::of(&sample::sale(1), 1, &urls()).is_none());
}

fn record(kind: EventKind, part: Option<u8>, previous_status: Option<&str>, sale: Sale) -> EventRecord {
    EventRecord {
        id: EventId::new(&sample::symbols(1)),
        kind,
        created_at: later(10),
        request: Some(sample::request_id(1)),
        subject: Subject::Sale(Box::new(SaleEvent {
            previous_status: previous_status.map(str::to_owned),
            part,
            sequence: 3,
            sale,
            refund: None,
            note: None,
        })),
    }
}

#[test]
fn events_of_splits_and_parts_show_their_object() {
    let created = record(EventKind::PaymentSplitCreated, None, None, shared());
    let declined = record(EventKind::PaymentPartDeclined, Some(2), Some("processing"), stage("verifying"));
    let paid = record(EventKind::PaymentPartiallyPaid, None, None, stage("partially_paid"));

    assert_golden("event-payment_split", &EventPayload::new(&created, &urls()));
    assert_golden("event-payment_part", &EventPayload::new(&declined, &urls()));
    assert_eq!(json_of(&EventPayload::new(&created, &urls()))["data"]["object"], split(&shared()));
    assert_eq!(json_of(&EventPayload::new(&declined, &urls()))["data"]["object"], part(&stage("verifying"), 2));
    assert_eq!(
        json_of(&EventPayload::new(&paid, &urls()))["data"]["object"]["split"],
        full(&stage("partially_paid"))["split"]
    );
}

#[test]
fn an_event_of_a_deleted_split_shows_the_deletion() {
    let deleted = record(EventKind::PaymentSplitDeleted, None, None, sample::sale(1));

    assert_golden("event-payment_split-deleted", &EventPayload::new(&deleted, &urls()));
    assert_described("Event", &json_of(&EventPayload::new(&deleted, &urls())));
}

#[test]
fn events_of_a_split_sale_match_the_schema_without_reference() {
    for kind in EventKind::ALL {
        for (name, sale) in stages() {
            let reference = sale.payment.facts.checkout_reference.as_str().to_owned();
            let event = json_of(&EventPayload::new(&record(kind, Some(1), None, sale), &urls()));

            assert_described("Event", &event);
            assert!(!event.to_string().contains(&reference), "{kind} {name}");
            let object = event["data"]["object"]["object"].as_str().unwrap();
            let family = kind.as_str().split_once('.').unwrap().0;
            let is_shown = ["fiscal_document", "payment_split", "payment_part"].contains(&family);
            assert_eq!(object, if is_shown { family } else { "payment" }, "{kind} {name}");
        }
    }
}
