//! Requests about refunds.

use domain::{
    Currency, Money, PaymentId,
    refund::{
        LineKey, LinePart, LineSelection, PartAmount, RefundReason, RefundSelection, RefundSettlement, RefundStatus,
    },
    text::BoundedText,
};
use testkit::sample;
use wire::{attribute_refund, correct_credit_note, create_refund, preview_refund, query};

use crate::support::{assert_accepted, assert_refused, with, without};

const ALL: &str = r#"{"scope":"all","reason":"other"}"#;
const LINES: &str = r#"{"scope":"lines","reason":"returned","lines":[
    {"sourceLineId":"a","quantity":"0.50"},
    {"lineNumber":2,"netMinorUnits":100}
]}"#;
const AMOUNT: &str = r#"{"scope":"amount","reason":"other","amount":{"currency":"DOP","minorUnits":1},
    "parts":[{"ordinal":1,"amount":{"currency":"DOP","minorUnits":1}}]}"#;
const TIP: &str = r#"{"scope":"tip","reason":"other","voluntaryTip":{"currency":"DOP","minorUnits":1}}"#;
const RETRY: &str = r#"{"scope":"retry","reason":"other","retriedRefundId":"refund_x"}"#;
const SCOPES: [&str; 5] = [ALL, LINES, AMOUNT, TIP, RETRY];

fn pesos(minor_units: i64) -> Money {
    Money::new(minor_units, Currency::Dop)
}

#[test]
fn each_part_is_named_once() {
    let part = |ordinal: u8| format!(r#"{{"ordinal":{ordinal},"amount":{{"currency":"DOP","minorUnits":1}}}}"#);
    let of = |ordinals: [u8; 3]| with(AMOUNT, "parts", &format!("[{}]", ordinals.map(part).join(",")));

    assert_accepted(&of([3, 1, 2]), create_refund::parse);
    assert_refused(&of([3, 1, 3]), create_refund::parse, ("parameter_invalid", "parts.2.ordinal"));
    assert_refused(&of([3, 1, 3]), preview_refund::parse, ("parameter_invalid", "parts.2.ordinal"));
}

#[test]
fn every_scope_selects_its_part() {
    let line = |line, part| LineSelection { line, part };
    let by_id = line(
        LineKey::SourceLineId(BoundedText::parse("a").unwrap()),
        LinePart::Quantity(domain::fiscal::Quantity::parse("0.50").unwrap()),
    );
    let selected = RefundSelection::Lines(vec![by_id, line(LineKey::Number(2), LinePart::Net(1_00))], None);
    let expected = [
        RefundSelection::All,
        selected,
        RefundSelection::Amount(pesos(1), None),
        RefundSelection::Tip(pesos(1)),
        RefundSelection::Retry,
    ];

    for (body, expected) in SCOPES.into_iter().zip(expected) {
        let request = assert_accepted(body, create_refund::parse);

        assert_eq!(request.draft.selection, expected);
        assert_eq!(request.draft.settlement, RefundSettlement::Acquirer);
        assert!(!request.draft.acknowledges_itbis_loss);
        assert_eq!(request.retried.is_some(), body == RETRY);
        assert_eq!(assert_accepted(body, preview_refund::parse).draft, request.draft);
        if body != RETRY {
            let body = if body == AMOUNT { without(body, "parts") } else { body.to_owned() };
            assert_eq!(assert_accepted(&body, attribute_refund::parse).selection, expected);
        }
    }
    let parts = assert_accepted(AMOUNT, create_refund::parse).draft.parts.unwrap();
    assert_eq!(parts, [PartAmount { ordinal: 1, amount: pesos(1) }]);
}

#[test]
fn every_optional_field_is_read() {
    let body = r#"{"scope":"lines","reason":"duplicate","lines":[{"lineNumber":1000,"quantity":"1"}],
        "voluntaryTip":{"currency":"USD","minorUnits":0},"settlement":"outside","settlementReference":"caja 2",
        "description":"Cobrado dos veces","refundReference":"dev-1","metadata":{"a":"b"},"acknowledgesItbisLoss":true}"#;

    let request = assert_accepted(body, create_refund::parse);

    let RefundSelection::Lines(_, tip) = request.draft.selection else { panic!("{:?}", request.draft) };
    assert_eq!(tip, Some(Money::new(0, Currency::Usd)));
    assert_eq!((request.reason, request.draft.settlement), (RefundReason::Duplicate, RefundSettlement::Outside));
    assert_eq!(request.settlement_reference.unwrap().as_str(), "caja 2");
    assert_eq!(request.description.unwrap().as_str(), "Cobrado dos veces");
    assert_eq!(request.refund_reference.unwrap().as_str(), "dev-1");
    assert_eq!(request.metadata.unwrap().len(), 1);
    assert!(request.draft.acknowledges_itbis_loss);
}

#[test]
fn the_scope_and_the_reason_are_required() {
    for body in SCOPES {
        assert_refused(&without(body, "scope"), create_refund::parse, ("parameter_missing", "scope"));
        assert_refused(&without(body, "scope"), preview_refund::parse, ("parameter_missing", "scope"));
        assert_refused(&without(body, "reason"), create_refund::parse, ("parameter_missing", "reason"));
        assert_accepted(&without(body, "reason"), preview_refund::parse);
        assert_refused(&with(body, "reason", "null"), preview_refund::parse, ("parameter_invalid", "reason"));
    }
    for body in [ALL, LINES, TIP] {
        assert_refused(&without(body, "reason"), attribute_refund::parse, ("parameter_missing", "reason"));
    }
    assert_refused("{}", create_refund::parse, ("parameter_missing", "scope"));
    for scope in [r#""everything""#, "1", r#""All""#, "[]"] {
        assert_refused(&with(ALL, "scope", scope), create_refund::parse, ("parameter_invalid", "scope"));
    }
    assert_refused(&with(ALL, "scope", r#""retry""#), attribute_refund::parse, ("parameter_invalid", "scope"));
}

#[test]
fn each_scope_has_its_required_fields() {
    for (body, field) in [(LINES, "lines"), (AMOUNT, "amount"), (TIP, "voluntaryTip"), (RETRY, "retriedRefundId")] {
        for value in [without(body, field), with(body, field, "null")] {
            assert_refused(&value, create_refund::parse, ("parameter_missing", field));
            assert_refused(&value, preview_refund::parse, ("parameter_missing", field));
        }
    }
    let rows = [
        ("lines.0.sourceLineId", "lines.0.sourceLineId"),
        ("lines.0.quantity", "lines.0.quantity"),
        // Without any name, the first of the pair is missing.
        ("lines.1.lineNumber", "lines.1.sourceLineId"),
        ("lines.1.netMinorUnits", "lines.1.quantity"),
    ];
    for (removed, missing) in rows {
        assert_refused(&without(LINES, removed), create_refund::parse, ("parameter_missing", missing));
    }
}

#[test]
fn a_field_of_another_scope_is_unknown() {
    let money = r#"{"currency":"DOP","minorUnits":1}"#;
    let fields = [
        ("lines", r#"[{"lineNumber":1,"quantity":"1"}]"#, vec![LINES]),
        ("amount", money, vec![AMOUNT]),
        ("voluntaryTip", money, vec![LINES, AMOUNT, TIP]),
        ("retriedRefundId", r#""refund_x""#, vec![RETRY]),
        ("parts", r#"[{"ordinal":1,"amount":{"currency":"DOP","minorUnits":1}}]"#, vec![ALL, LINES, AMOUNT, TIP]),
    ];
    for (field, value, scopes) in fields {
        for body in SCOPES {
            let body_with = with(body, field, value);
            match scopes.contains(&body) {
                true => drop(assert_accepted(&body_with, create_refund::parse)),
                false => assert_refused(&body_with, create_refund::parse, ("parameter_invalid", field)),
            }
        }
    }
    for field in ["parts", "settlement", "settlementReference", "refundReference", "metadata", "retriedRefundId"] {
        assert_refused(&with(ALL, field, r#""x""#), attribute_refund::parse, ("parameter_invalid", field));
    }
}

#[test]
fn invalid_values_are_refused_with_the_field() {
    let rows = [
        (ALL, "reason", r#""fraud""#),
        (ALL, "settlement", r#""cash""#),
        (ALL, "settlementReference", r#""x""#),
        (ALL, "description", r#""""#),
        (ALL, "description", r#""two\nlines""#),
        (ALL, "refundReference", "7"),
        (ALL, "metadata", "[]"),
        (ALL, "acknowledgesItbisLoss", r#""true""#),
        (ALL, "parts", "[]"),
        (LINES, "lines", "[]"),
        (LINES, "lines", "{}"),
        (LINES, "lines.0", "1"),
        (LINES, "lines.0.sourceLineId", r#""""#),
        (LINES, "lines.0.quantity", "1"),
        (LINES, "lines.0.quantity", r#""0""#),
        (LINES, "lines.0.quantity", r#""1.255""#),
        (LINES, "lines.0.lineNumber", "1"),
        (LINES, "lines.0.netMinorUnits", "1"),
        (LINES, "lines.1.lineNumber", "0"),
        (LINES, "lines.1.lineNumber", "1001"),
        (LINES, "lines.1.netMinorUnits", "0"),
        (LINES, "lines.1.netMinorUnits", "-1"),
        (LINES, "lines.1.netMinorUnits", "1.5"),
        (LINES, "voluntaryTip", r#"{"currency":"DOP","minorUnits":-1}"#),
        (AMOUNT, "amount.minorUnits", "0"),
        (AMOUNT, "amount.currency", r#""XXX""#),
        (AMOUNT, "amount.currency", r#""dop""#),
        (AMOUNT, "parts.0.ordinal", "0"),
        (AMOUNT, "parts.0.ordinal", "11"),
        (AMOUNT, "parts.0.amount.minorUnits", "0"),
        (TIP, "voluntaryTip.minorUnits", "0"),
        (RETRY, "retriedRefundId", "1"),
    ];
    for (body, path, value) in rows {
        let param = match value.contains("-1}") {
            true => "voluntaryTip.minorUnits",
            false => path,
        };
        assert_refused(&with(body, path, value), create_refund::parse, ("parameter_invalid", param));
        assert_refused(&with(body, path, value), preview_refund::parse, ("parameter_invalid", param));
    }
    let part = |ordinal| format!(r#"{{"ordinal":{ordinal},"amount":{{"currency":"DOP","minorUnits":1}}}}"#);
    let parts = |count: u8| format!("[{}]", (1..=count).map(part).collect::<Vec<_>>().join(","));
    assert_accepted(&with(ALL, "parts", &parts(10)), create_refund::parse);
    assert_refused(&with(ALL, "parts", &parts(11)), create_refund::parse, ("parameter_invalid", "parts"));
    let long = format!("\"{}\"", "x".repeat(91));
    assert_refused(&with(ALL, "description", &long), create_refund::parse, ("parameter_invalid", "description"));
    let outside = with(ALL, "settlement", r#""outside""#);
    assert_accepted(&with(&outside, "settlementReference", r#""x""#), create_refund::parse);
}

#[test]
fn a_missing_field_is_reported_before_an_invalid_one() {
    let body = r#"{"scope":"amount","amount":{"currency":"DOP","minorUnits":0},"settlement":"cash"}"#;
    assert_refused(body, create_refund::parse, ("parameter_missing", "reason"));
    assert_refused(body, preview_refund::parse, ("parameter_invalid", "amount.minorUnits"));
}

#[test]
fn a_malformed_name_of_a_refund_is_left_to_the_search() {
    for name in ["x", "refund_", "payment_01jqzm4v8n2x5y7t3c6d9f0g1h"] {
        let request = assert_accepted(&with(RETRY, "retriedRefundId", &format!("\"{name}\"")), create_refund::parse);
        assert_eq!(request.retried.unwrap().as_str(), name);
    }
}

#[test]
fn a_correction_may_have_another_text() {
    let text = |body| assert_accepted(body, correct_credit_note::parse).map(|text| text.as_str().to_owned());

    assert_eq!(text("{}"), None);
    assert_eq!(text(r#"{"description":"Otro"}"#).as_deref(), Some("Otro"));
    for (body, field) in [(r#"{"description":null}"#, "description"), (r#"{"lines":[]}"#, "lines")] {
        assert_refused(body, correct_credit_note::parse, ("parameter_invalid", field));
    }
}

#[test]
fn the_list_has_filters() {
    let payment = sample::payment_id(1);
    let raw = format!(
        "limit=5&payment={payment}&status=partially_succeeded&refundReference=dev%201\
         &createdAfter=2026-03-01T12:00:00Z&createdBefore=2026-03-02T00:00:00Z"
    );
    let (filter, page) = query::refunds(&raw).unwrap();

    assert_eq!((page.limit, filter.payment), (5, Some(payment)));
    assert_eq!(filter.status, Some(RefundStatus::PartiallySucceeded));
    assert_eq!(filter.refund_reference.unwrap().as_str(), "dev 1");
    assert!(filter.created_after.is_some() && filter.created_before.is_some());
    assert_eq!(query::refunds("").unwrap().1.filters, "refunds?");
    for status in RefundStatus::ALL {
        assert_eq!(query::refunds(&format!("status={}", status.as_str())).unwrap().0.status, Some(status));
    }
    for (raw, param) in [
        ("payment=x", "payment"),
        ("status=done", "status"),
        ("refundReference=", "refundReference"),
        ("paymentId=x", "paymentId"),
        ("createdAfter=2026-03-02T00:00:00Z&createdBefore=2026-03-01T00:00:00Z", "createdAfter"),
    ] {
        let refusal = query::refunds(raw).unwrap_err();
        assert_eq!((refusal.code.as_str(), refusal.param.as_deref()), ("parameter_invalid", Some(param)), "{raw}");
    }
    assert!(PaymentId::parse("payment_x").is_none());
}
