//! Requests about a split.

use domain::{sale::AmountDraft, split::SplitDraft};
use wire::{empty_body, open_split, release_split};

use crate::support::{assert_accepted, assert_refused, with, without};

const EQUAL: &str = r#"{"strategy":"equal","partCount":3}"#;
const AMOUNTS: &str = r#"{"strategy":"amounts","parts":[
    {"amount":{"currency":"DOP","minorUnits":100000}},
    {"amount":{"currency":"DOP","minorUnits":28000}}
]}"#;

#[test]
fn a_split_is_equal_or_by_amounts() {
    let amount = |minor_units| AmountDraft { currency: "DOP".to_owned(), minor_units };

    assert_eq!(assert_accepted(EQUAL, open_split::parse), SplitDraft::Equal { part_count: 3 });
    let by_amounts = SplitDraft::Amounts(vec![amount(1000_00), amount(280_00)]);
    assert_eq!(assert_accepted(AMOUNTS, open_split::parse), by_amounts);
}

#[test]
fn the_payment_checks_the_number_and_the_total_of_the_parts() {
    for count in [i64::MIN, -1, 0, 1, 11, i64::MAX] {
        let body = with(EQUAL, "partCount", &count.to_string());
        assert_eq!(assert_accepted(&body, open_split::parse), SplitDraft::Equal { part_count: count });
    }
    for parts in ["[]".to_owned(), format!("[{}]", [r#"{"amount":{"currency":"EUR","minorUnits":-1}}"#; 50].join(","))]
    {
        assert_accepted(&with(AMOUNTS, "parts", &parts), open_split::parse);
    }
}

#[test]
fn an_invalid_split_is_refused_with_the_field() {
    for (body, path, value) in [
        (EQUAL, "strategy", r#""percentages""#),
        (EQUAL, "strategy", r#""Equal""#),
        (EQUAL, "strategy", "1"),
        (EQUAL, "partCount", r#""3""#),
        (EQUAL, "partCount", "3.0"),
        (EQUAL, "partCount", "3e0"),
        (EQUAL, "partCount", "[3]"),
        (EQUAL, "partCount", "9223372036854775808"),
        (EQUAL, "organizer", r#""payer""#),
        (AMOUNTS, "parts", "{}"),
        (AMOUNTS, "parts", r#""2""#),
        (AMOUNTS, "parts.0", "100000"),
        (AMOUNTS, "parts.1.amount", "28000"),
        (AMOUNTS, "parts.1.amount.minorUnits", "280.00"),
        (AMOUNTS, "parts.1.amount.minorUnits", r#""28000""#),
        (AMOUNTS, "parts.0.amount.currency", r#""dop""#),
        (AMOUNTS, "parts.0.amount.percent", "50"),
        (AMOUNTS, "parts.1.ordinal", "2"),
        // Fields of the other strategy.
        (EQUAL, "parts", "[]"),
        (AMOUNTS, "partCount", "2"),
    ] {
        assert_refused(&with(body, path, value), open_split::parse, ("parameter_invalid", path));
    }
}

#[test]
fn an_incomplete_split_is_refused_with_the_field() {
    assert_refused("{}", open_split::parse, ("parameter_missing", "strategy"));
    assert_refused(r#"{"partCount":3}"#, open_split::parse, ("parameter_missing", "strategy"));
    assert_refused(r#"{"strategy":null,"partCount":3}"#, open_split::parse, ("parameter_missing", "strategy"));
    assert_refused(r#"{"strategy":"equal"}"#, open_split::parse, ("parameter_missing", "partCount"));
    assert_refused(r#"{"strategy":"amounts","partCount":3}"#, open_split::parse, ("parameter_missing", "parts"));
    for path in ["parts", "parts.1.amount", "parts.1.amount.minorUnits", "parts.0.amount.currency"] {
        assert_refused(&with(AMOUNTS, path, "null"), open_split::parse, ("parameter_missing", path));
    }
    for path in ["strategy", "parts"] {
        assert_refused(&without(AMOUNTS, path), open_split::parse, ("parameter_missing", path));
    }
    let parts = r#"[{"amount":{"currency":"d","minorUnits":1}},{}]"#;
    assert_refused(&with(AMOUNTS, "parts", parts), open_split::parse, ("parameter_missing", "parts.1.amount"));
}

#[test]
fn a_release_states_its_reason() {
    for reason in ["requested_by_organizer", "other"] {
        assert_accepted(&format!(r#"{{"reason":"{reason}"}}"#), release_split::parse);
    }
    assert_refused("{}", release_split::parse, ("parameter_missing", "reason"));
    for value in [r#""requested_by_merchant""#, r#""""#, "1", "{}"] {
        assert_refused(&with("{}", "reason", value), release_split::parse, ("parameter_invalid", "reason"));
    }
    assert_refused(r#"{"reason":"other","note":"x"}"#, release_split::parse, ("parameter_invalid", "note"));
}

#[test]
fn a_command_without_parameters_has_an_empty_body() {
    assert_accepted("{}", empty_body::parse);
    for (body, field) in [(r#"{"amount":1}"#, "amount"), (r#"{"reason":null}"#, "reason"), (r#"{"":1}"#, "-")] {
        assert_refused(body, empty_body::parse, ("parameter_invalid", field));
    }
}
