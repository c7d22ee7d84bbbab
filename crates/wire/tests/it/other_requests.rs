use domain::{credential::Scope, fiscal::DocumentKind};
use wire::{
    cancel_payment, choose_fiscal_document, correct_fiscal_document, create_checkout_token, request_delivery,
    set_voluntary_tip,
};

use crate::support::{SALE, assert_accepted, assert_refused, with, without};

/// Returns the document of a sale as a correction.
fn correction() -> String {
    let sale: serde_json::Value = serde_json::from_str(SALE).unwrap();
    without(&sale["fiscalDocument"].to_string(), "issuanceMode")
}

#[test]
fn a_choice_may_be_empty() {
    let choice = assert_accepted("{}", choose_fiscal_document::parse);

    assert_eq!((choice.kind, choice.buyer_tax_id, choice.government), (None, None, None));
}

#[test]
fn a_choice_names_kind_buyer_and_eligibility() {
    let body = r#"{"kind":"fiscal_credit","buyer":{"identityKind":"domestic","taxId":"101850043"}}"#;

    let choice = assert_accepted(body, choose_fiscal_document::parse);

    assert_eq!(choice.kind, Some(DocumentKind::FiscalCredit));
    assert_eq!(choice.buyer_tax_id.unwrap().as_str(), "101850043");
    for (path, value, code, param) in [
        ("kind", r#""x""#, "parameter_invalid", "kind"),
        ("buyer", "[]", "parameter_invalid", "buyer"),
        ("buyer.identityKind", r#""foreign""#, "parameter_invalid", "buyer.identityKind"),
        ("buyer", r#"{"identityKind":"domestic"}"#, "parameter_missing", "buyer.taxId"),
        ("governmentEligibility", "{}", "parameter_missing", "governmentEligibility.entityKind"),
        ("lines", "[]", "parameter_invalid", "lines"),
    ] {
        assert_refused(&with(body, path, value), choose_fiscal_document::parse, (code, param));
    }
}

#[test]
fn a_correction_replaces_the_whole_document() {
    let correction = correction();

    let read = assert_accepted(&correction, correct_fiscal_document::parse);

    assert_eq!(read.kind, DocumentKind::Consumer);
    assert_eq!(read.lines.len(), 1);
    for path in ["kind", "merchantInvoiceNumber", "merchantOrderNumber"] {
        assert_refused(&without(&correction, path), correct_fiscal_document::parse, ("parameter_missing", path));
    }
    for (path, value, param) in [
        ("issuanceMode", r#""deferred""#, "issuanceMode"),
        ("deliveryEmail", r#""a@x.do""#, "deliveryEmail"),
        ("lines.0.quantity", r#""0""#, "lines.0.quantity"),
        ("merchantOrderNumber", r#""x""#, "merchantOrderNumber"),
        ("buyer", "null", "buyer"),
    ] {
        assert_refused(&with(&correction, path, value), correct_fiscal_document::parse, ("parameter_invalid", param));
    }
}

#[test]
fn the_document_checks_the_lines_of_a_correction() {
    for body in
        [without(&correction(), "lines"), with(&correction(), "lines", "[]"), with(&correction(), "lines", "null")]
    {
        assert_eq!(assert_accepted(&body, correct_fiscal_document::parse).lines, []);
    }
}

#[test]
fn an_email_recipient_must_be_deliverable() {
    let to = |address: &str| format!(r#"{{"recipientEmail":"{address}"}}"#);
    let domain = format!("{}.{}.{}.example", "d".repeat(60), "d".repeat(60), "d".repeat(60));
    let of_length = |length: usize| format!("{}@{domain}", "a".repeat(length - 1 - domain.len()));

    let recipient = assert_accepted(&to("ana@ejemplo.do"), request_delivery::parse);

    assert_eq!(recipient.as_str(), "ana@ejemplo.do");
    assert_accepted(&to(&of_length(254)), request_delivery::parse);
    for body in [to(&of_length(255)), to("ana"), to(""), with("{}", "recipientEmail", "[\"ana@ejemplo.do\"]")] {
        assert_refused(&body, request_delivery::parse, ("parameter_invalid", "recipientEmail"));
    }
    assert_refused("{}", request_delivery::parse, ("parameter_missing", "recipientEmail"));
    let copy = with(&to("ana@ejemplo.do"), "cc", r#""b@ejemplo.do""#);
    assert_refused(&copy, request_delivery::parse, ("parameter_invalid", "cc"));
}

#[test]
fn a_token_is_for_payment_or_receipt() {
    let body = r#"{"checkoutReference":"not even close","purpose":"receipt"}"#;

    let request = assert_accepted(body, create_checkout_token::parse);

    assert_eq!(request.checkout_reference, "not even close");
    assert_eq!(request.purpose, Scope::Receipt);
    let pay = assert_accepted(&with(body, "purpose", r#""pay""#), create_checkout_token::parse);
    assert_eq!(pay.purpose, Scope::Pay);
    // The use case refuses a malformed reference like an unknown one.
    let long = format!("\"{}\"", "x".repeat(257));
    assert_accepted(&with(body, "checkoutReference", r#""""#), create_checkout_token::parse);
    for (path, value) in [
        ("purpose", r#""organizer""#),
        ("purpose", r#""""#),
        ("checkoutReference", "7"),
        ("checkoutReference", &long),
        ("scope", r#""pay""#),
    ] {
        assert_refused(&with(body, path, value), create_checkout_token::parse, ("parameter_invalid", path));
    }
    for path in ["checkoutReference", "purpose"] {
        assert_refused(&without(body, path), create_checkout_token::parse, ("parameter_missing", path));
    }
}

#[test]
fn a_tip_is_zero_or_positive() {
    let tip = |amount: &str| format!(r#"{{"amount":{amount}}}"#);
    let body = tip(r#"{"currency":"DOP","minorUnits":10000}"#);

    let read = assert_accepted(&body, set_voluntary_tip::parse);

    assert_eq!((read.currency.as_str(), read.minor_units), ("DOP", 100_00));
    assert_eq!(assert_accepted(&with(&body, "amount.minorUnits", "0"), set_voluntary_tip::parse).minor_units, 0);
    for (path, value) in [
        ("amount.minorUnits", "-1"),
        ("amount.minorUnits", "1.5"),
        ("amount.minorUnits", r#""1""#),
        ("amount.minorUnits", "9223372036854775808"),
        ("amount.currency", r#""dop""#),
        ("amount.percent", "10"),
        ("amount", "10000"),
        ("paymentId", r#""x""#),
    ] {
        assert_refused(&with(&body, path, value), set_voluntary_tip::parse, ("parameter_invalid", path));
    }
    for path in ["amount", "amount.currency", "amount.minorUnits"] {
        assert_refused(&without(&body, path), set_voluntary_tip::parse, ("parameter_missing", path));
    }
}

#[test]
fn a_cancellation_states_its_reason() {
    for reason in ["requested_by_merchant", "requested_by_customer", "other"] {
        assert_accepted(&format!(r#"{{"reason":"{reason}"}}"#), cancel_payment::parse);
    }
    assert_refused("{}", cancel_payment::parse, ("parameter_missing", "reason"));
    for value in [r#""fraud""#, r#""""#, "1", r#"["other"]"#] {
        assert_refused(&with("{}", "reason", value), cancel_payment::parse, ("parameter_invalid", "reason"));
    }
    assert_refused(r#"{"reason":"other","note":"x"}"#, cancel_payment::parse, ("parameter_invalid", "note"));
}
