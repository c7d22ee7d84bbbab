//! What is sent about a split.

use domain::{sale::AmountDraft, split::SplitDraft};
use wire::{
    capture_split,
    open_split::{self, SplitStrategy},
    release_split::{self, ReleaseReason},
    renew_split,
};

use crate::support::{assert_accepted, assert_told, with, without};

const EQUAL: &str = r#"{"strategy":"equal","partCount":3}"#;
const AMOUNTS: &str = r#"{"strategy":"amounts","parts":[
    {"amount":{"currency":"DOP","minorUnits":100000}},
    {"amount":{"currency":"DOP","minorUnits":28000}}
]}"#;

#[test]
fn a_bill_is_cut_equally_or_by_amounts() {
    let amount = |minor_units| AmountDraft { currency: "DOP".to_owned(), minor_units };

    assert_eq!(assert_accepted(EQUAL, open_split::parse), SplitDraft::Equal { part_count: 3 });
    let cut = SplitDraft::Amounts(vec![amount(1000_00), amount(280_00)]);
    assert_eq!(assert_accepted(AMOUNTS, open_split::parse), cut);
}

#[test]
fn what_is_no_partition_is_still_well_formed() {
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
fn a_split_is_refused_at_the_very_field() {
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
        // What belongs to the other strategy.
        (EQUAL, "parts", "[]"),
        (AMOUNTS, "partCount", "2"),
    ] {
        assert_told(&with(body, path, value), open_split::parse, ("parameter_invalid", path));
    }
}

#[test]
fn a_split_that_lacks_something_is_told_what() {
    assert_told("{}", open_split::parse, ("parameter_missing", "strategy"));
    assert_told(r#"{"partCount":3}"#, open_split::parse, ("parameter_missing", "strategy"));
    assert_told(r#"{"strategy":null,"partCount":3}"#, open_split::parse, ("parameter_missing", "strategy"));
    assert_told(r#"{"strategy":"equal"}"#, open_split::parse, ("parameter_missing", "partCount"));
    assert_told(r#"{"strategy":"amounts","partCount":3}"#, open_split::parse, ("parameter_missing", "parts"));
    for path in ["parts", "parts.1.amount", "parts.1.amount.minorUnits", "parts.0.amount.currency"] {
        assert_told(&with(AMOUNTS, path, "null"), open_split::parse, ("parameter_missing", path));
    }
    for path in ["strategy", "parts"] {
        assert_told(&without(AMOUNTS, path), open_split::parse, ("parameter_missing", path));
    }
    let parts = r#"[{"amount":{"currency":"d","minorUnits":1}},{}]"#;
    assert_told(&with(AMOUNTS, "parts", parts), open_split::parse, ("parameter_missing", "parts.1.amount"));
}

#[test]
fn a_release_says_at_whose_request() {
    for reason in ReleaseReason::ALL {
        let body = format!(r#"{{"reason":"{}"}}"#, reason.as_str());

        assert_eq!(assert_accepted(&body, release_split::parse), reason);
    }
    assert_told("{}", release_split::parse, ("parameter_missing", "reason"));
    for value in [r#""requested_by_merchant""#, r#""""#, "1", "{}"] {
        assert_told(&with("{}", "reason", value), release_split::parse, ("parameter_invalid", "reason"));
    }
    assert_told(r#"{"reason":"other","note":"x"}"#, release_split::parse, ("parameter_invalid", "note"));
}

#[test]
fn a_capture_and_a_renewal_say_nothing_more() {
    for parse in [capture_split::parse, renew_split::parse] {
        assert_accepted("{}", parse);
        for (body, field) in [(r#"{"amount":1}"#, "amount"), (r#"{"reason":null}"#, "reason"), (r#"{"":1}"#, "-")] {
            assert_told(body, parse, ("parameter_invalid", field));
        }
    }
}

#[test]
fn strategies_and_reasons_are_read_as_they_are_spelled() {
    for it in SplitStrategy::ALL {
        assert_eq!(SplitStrategy::from_code(it.as_str()), Some(it));
    }
    for it in ReleaseReason::ALL {
        assert_eq!(ReleaseReason::from_code(it.as_str()), Some(it));
    }
}
