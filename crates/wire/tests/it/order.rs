//! Order of errors: the first missing field, or else the first invalid one.

use wire::{choose_fiscal_document, create_payment, submit_card};

use crate::support::{SALE, assert_refused, with, without};

#[test]
fn a_missing_field_is_reported_before_an_invalid_one() {
    let body = with(&without(SALE, "fiscalDocument.lines.0.isLegalTipApplicable"), "saleReference", "7");
    assert_refused(&body, create_payment::parse, ("parameter_missing", "fiscalDocument.lines.0.isLegalTipApplicable"));

    let body = with(&without(SALE, "fiscalDocument.kind"), "amount.minorUnits", "10.5");
    assert_refused(&body, create_payment::parse, ("parameter_missing", "fiscalDocument.kind"));

    let body = with(&without(SALE, "amount"), "unknown", "1");
    assert_refused(&body, create_payment::parse, ("parameter_missing", "amount"));
}

#[test]
fn errors_are_reported_in_the_order_of_the_schema() {
    // The order of the fields in the body does not matter: `metadata` precedes `saleReference` there.
    let invalid = ["saleReference", "amount.currency", "amount.minorUnits", "returnUrl", "serviceLabel", "description"];
    let invalid = invalid.iter().chain(&["fiscalDocument.issuanceMode", "fiscalDocument.kind"]);
    let invalid: Vec<&str> = invalid.chain(&["checkoutDisplay", "metadata"]).copied().collect();
    for first in 0..invalid.len() {
        let body = invalid[first..].iter().fold(SALE.to_owned(), |body, path| with(&body, path, "[]"));
        assert_refused(&body, create_payment::parse, ("parameter_invalid", invalid[first]));
    }

    let missing = [
        "saleReference",
        "amount.minorUnits",
        "fiscalDocument.issuanceMode",
        "fiscalDocument.merchantOrderNumber",
        "fiscalDocument.lines.0.sourceLineId",
        "fiscalDocument.lines.0.isLegalTipApplicable",
    ];
    for first in 0..missing.len() {
        let body = missing[first..].iter().fold(SALE.to_owned(), |body, path| {
            let (parent, _) = path.rsplit_once('.').unwrap_or_default();
            if parent.ends_with(".0") { with(&body, path, "null") } else { without(&body, path) }
        });
        assert_refused(&body, create_payment::parse, ("parameter_missing", missing[first]));
    }
}

#[test]
fn an_unknown_field_is_reported_after_the_known_ones() {
    let body = with(&with(SALE, "amount.note", "1"), "amount.minorUnits", "true");
    assert_refused(&body, create_payment::parse, ("parameter_invalid", "amount.minorUnits"));

    let body = with(&with(SALE, "amount.note", "1"), "returnUrl", "1");
    assert_refused(&body, create_payment::parse, ("parameter_invalid", "amount.note"));
}

#[test]
fn a_missing_field_of_a_later_line_is_reported_first() {
    let line = r#"{"sourceLineId":"l2"}"#;
    let first = r#"{"sourceLineId":"l1","description":"x","quantity":"0","unitPriceMinorUnits":1,"measurementUnit":"unit",
        "itemKind":"good","taxTreatment":"exempt","isLegalTipApplicable":false}"#;

    let body = with(SALE, "fiscalDocument.lines", &format!("[{first},{line}]"));
    assert_refused(&body, create_payment::parse, ("parameter_missing", "fiscalDocument.lines.1.description"));

    let body = with(SALE, "fiscalDocument.lines", &format!("[{first},3]"));
    assert_refused(&body, create_payment::parse, ("parameter_invalid", "fiscalDocument.lines.0.quantity"));
}

#[test]
fn null_is_missing_for_required_and_invalid_for_optional_fields() {
    for path in ["saleReference", "amount", "amount.currency", "fiscalDocument", "fiscalDocument.lines.0.itemKind"] {
        assert_refused(&with(SALE, path, "null"), create_payment::parse, ("parameter_missing", path));
    }
    let optional = ["returnUrl", "serviceLabel", "description", "checkoutDisplay", "metadata", "fiscalDocument.buyer"];
    for path in optional.into_iter().chain(["fiscalDocument.isKindLocked", "fiscalDocument.lines.0.group"]) {
        assert_refused(&with(SALE, path, "null"), create_payment::parse, ("parameter_invalid", path));
    }
    assert_refused(r#"{"kind":null}"#, choose_fiscal_document::parse, ("parameter_invalid", "kind"));
    assert_refused(r#"{"card":null}"#, submit_card::parse, ("parameter_missing", "card"));
}

#[test]
fn an_unknown_field_is_named_only_if_its_name_is_plain() {
    for (key, param) in [
        ("isLiveMode", "amount.isLiveMode"),
        ("_x1", "amount._x1"),
        ("4111111111111111", "amount"),
        ("a b", "amount"),
        ("a.b", "amount"),
        ("naïve", "amount"),
        ("", "amount"),
        (&"k".repeat(65), "amount"),
        (&"k".repeat(64), &format!("amount.{}", "k".repeat(64))),
    ] {
        let amount = format!(r#"{{"currency":"DOP","minorUnits":118000,"{key}":1}}"#);
        assert_refused(&with(SALE, "amount", &amount), create_payment::parse, ("parameter_invalid", param));
    }
    assert_refused(&with(SALE, "<script>", "1"), create_payment::parse, ("parameter_invalid", "-"));
}
