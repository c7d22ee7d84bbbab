//! Payments at each stage, for their merchant and for their payer.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Currency, Money,
    account::AccountSelector,
    money::AmountLimits,
    payment::{AttemptFinding, DeclineCode, Payment, PaymentState, ProviderOutcome},
    sale::{Sale, SaleDraft},
    text::{BoundedText, Email, Prose, WebUrl},
};
use serde_json::{Value, json};
use testkit::sample;
use wire::{PublicUrls, to_bytes};

use crate::{contract::assert_described, golden::assert_golden};

fn urls() -> PublicUrls {
    PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() }
}

fn later(seconds: i64) -> DateTime<Utc> {
    sample::noon() + TimeDelta::milliseconds(seconds * 1000 + 7)
}

fn submitted() -> Sale {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), later(1)).unwrap();
    sale
}

fn answered(answer: ProviderOutcome) -> Sale {
    let mut sale = submitted();
    sale.apply_outcome(&sample::attempt_id(1), answer, later(2)).unwrap();
    sale
}

fn open(draft: SaleDraft) -> Sale {
    let (names, wish, limits) = (sample::sale_ids(1), AccountSelector::default(), AmountLimits::default());
    draft.open(names, &sample::sale_context(), &wish, &limits, sample::noon()).unwrap()
}

/// Returns a sale with every optional field.
fn rich() -> Sale {
    let mut draft = sample::draft();
    draft.return_url = WebUrl::parse("https://tienda.example/gracias?mesa=7");
    draft.service_label = BoundedText::parse("Mesa 7");
    draft.description = BoundedText::parse("Cena & <vino>");
    draft.metadata = Some(vec![note("waiter", "Ana"), note("notes", "dos\nlíneas")]);
    draft.document.lines[0].group = BoundedText::parse("Platos");
    draft.document.delivery_email = Email::parse("ana@ejemplo.example");
    let Sale { payment, document } = open(draft);
    let tip = Money::new(100_00, Currency::Dop);
    let state = PaymentState { voluntary_tip: tip, ..payment.state().clone() };
    Sale { payment: Payment::restore(payment.facts, state), document }
}

fn note(key: &str, value: &str) -> (String, Prose) {
    (key.to_owned(), Prose::parse(value).unwrap())
}

/// Returns a sale for each stage of a payment.
fn stages() -> Vec<(&'static str, Sale)> {
    let mut canceled = sample::sale(1);
    canceled.cancel(later(3)).unwrap();
    let mut expired = sample::sale(1);
    expired.expire_due(later(24 * 3600)).unwrap();
    let mut verified = answered(ProviderOutcome::Ambiguous);
    verified.apply_finding(&sample::attempt_id(1), AttemptFinding::Approved, later(60)).unwrap();
    vec![
        ("requires_customer_action", sample::sale(1)),
        ("challenge", answered(ProviderOutcome::ChallengeRequired(sample::symbols(7), sample::challenge()))),
        ("processing", submitted()),
        ("verifying", answered(ProviderOutcome::Ambiguous)),
        ("declined", answered(ProviderOutcome::Declined(DeclineCode::InsufficientFunds))),
        ("declined_for_good", answered(ProviderOutcome::Declined(DeclineCode::SuspectedFraud))),
        ("succeeded", verified),
        ("canceled", canceled),
        ("expired", expired),
    ]
}

fn full(sale: &Sale) -> Value {
    serde_json::from_slice(&to_bytes(&wire::PaymentResponse::full(sale, &urls(), later(5)))).unwrap()
}

fn checkout(sale: &Sale) -> Value {
    serde_json::from_slice(&to_bytes(&wire::PaymentResponse::checkout(sale, &[], &urls(), later(5)))).unwrap()
}

#[test]
fn a_payment_at_each_stage_matches_its_file() {
    for (name, sale) in stages() {
        assert_golden(&format!("payment-{name}"), &wire::PaymentResponse::full(&sale, &urls(), later(5)));
    }
    assert_golden("payment-rich", &wire::PaymentResponse::full(&rich(), &urls(), later(5)));
    assert_golden("checkout-payment", &wire::PaymentResponse::checkout(&rich(), &[], &urls(), later(5)));
}

#[test]
fn a_token_does_not_show_the_merchants_data() {
    for (_, sale) in stages().into_iter().chain([("rich", rich())]) {
        let mut full = full(&sale);
        for field in ["checkoutReference", "split", "refundSummary", "metadata"] {
            full.as_object_mut().unwrap().remove(field);
        }
        full["refunds"] = json!([]);
        for field in ["merchantInvoiceNumber", "merchantOrderNumber"] {
            full["fiscalDocument"].as_object_mut().unwrap().remove(field).unwrap();
        }
        full["fiscalDocument"]["delivery"]["email"] = Value::Null;

        assert_eq!(checkout(&sale), full);
    }
}

#[test]
fn a_payment_matches_its_schema_at_every_stage() {
    for (_, sale) in stages().into_iter().chain([("rich", rich())]) {
        assert_described("Payment", &full(&sale));
        assert_described("CheckoutPayment", &checkout(&sale));
    }
}

#[test]
fn required_keys_are_present_at_every_stage() {
    let required = [
        "id",
        "object",
        "status",
        "amount",
        "voluntaryTip",
        "totalAmount",
        "saleReference",
        "breakdown",
        "checkoutDisplay",
        "checkoutReference",
        "decline",
        "verification",
        "paymentMethodSummary",
        "fiscalDocument",
        "split",
        "refundSummary",
        "isLiveMode",
        "expiresAt",
        "createdAt",
        "updatedAt",
    ];
    for (name, sale) in stages() {
        let payment = full(&sale);
        let mut keys: Vec<&str> = payment.as_object().unwrap().keys().map(String::as_str).collect();
        keys.retain(|key| *key != "nextAction");
        let mut expected = required.to_vec();
        expected.sort_unstable();

        assert_eq!(keys, expected, "{name}");
    }
}

#[test]
fn facts_of_a_stage_are_shown_only_during_it() {
    for (name, sale) in stages() {
        let payment = full(&sale);
        let status = payment["status"].as_str().unwrap();

        assert_eq!(payment.get("nextAction").is_some(), status == "requires_customer_action", "{name}");
        assert_eq!(!payment["decline"].is_null(), status == "declined", "{name}");
        assert_eq!(!payment["verification"].is_null(), status == "verifying", "{name}");
        assert_eq!(payment["split"], Value::Null, "{name}");
    }
}

#[test]
fn the_next_action_is_the_checkout_or_the_challenge() {
    let page = full(&sample::sale(1));
    let challenge = full(&answered(ProviderOutcome::ChallengeRequired(sample::symbols(7), sample::challenge())));

    let link = sample::sale_ids(1).checkout_link;
    assert_eq!(page["nextAction"]["url"], format!("https://pay.example/p/{}", link.as_str()));
    assert_eq!(page["nextAction"]["expiresAt"], page["expiresAt"]);
    assert_eq!(challenge["nextAction"]["url"], format!("https://pay.example/c/{}", sample::symbols(7).as_str()));
    assert_eq!(challenge["nextAction"]["expiresAt"], "2026-03-01T12:15:02.007Z");
}

#[test]
fn the_fiscal_choice_is_locked_once_the_payment_is_past_editing() {
    for (name, sale) in stages() {
        let is_locked = full(&sale)["checkoutDisplay"]["fiscal"]["isLocked"].as_bool().unwrap();

        assert_eq!(is_locked, !["requires_customer_action", "declined"].contains(&name), "{name}");
    }
    let mut draft = sample::draft();
    draft.document.is_kind_locked = true;
    assert_eq!(full(&open(draft))["checkoutDisplay"]["fiscal"]["isLocked"], true);
}

#[test]
fn instants_have_three_decimals_and_the_tip_is_in_the_total() {
    let payment = full(&rich());

    assert_eq!(payment["createdAt"], "2026-03-01T12:00:00.000Z");
    assert_eq!(full(&submitted())["updatedAt"], "2026-03-01T12:00:01.007Z");
    assert_eq!(payment["amount"]["minorUnits"], 1_280_00);
    assert_eq!(payment["totalAmount"]["minorUnits"], 1_380_00);
    assert_eq!(payment["breakdown"]["totalMinorUnits"], 1_280_00);
}

#[test]
fn a_large_consumer_sale_requires_a_buyer() {
    let mut draft = sample::draft();
    draft.amount.minor_units = 256_000_00;
    draft.document.lines = vec![sample::line(200_000_00)];

    let payment = full(&open(draft));

    let kinds = payment["checkoutDisplay"]["fiscal"]["availableKinds"].as_array().unwrap();
    assert!(kinds.iter().all(|it| it["buyerRequirement"] == "required"));
    let small = full(&sample::sale(1));
    let kinds = &small["checkoutDisplay"]["fiscal"]["availableKinds"];
    assert_eq!(kinds[0], serde_json::json!({"kind": "consumer", "isAvailable": true, "buyerRequirement": "optional"}));
}
