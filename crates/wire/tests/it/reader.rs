use proptest::prelude::*;
use wire::{Json, create_payment, json, submit_card};

use crate::support::{SALE, assert_accepted, assert_refused, tree, with};

const SYNTAX: (&str, &str) = ("parameter_invalid", "-");

#[test]
fn a_body_is_one_object() {
    for body in [r#"["s-1",["DOP",1],null]"#, "null", "true", "7", r#""text""#, "[]"] {
        assert_refused(body, create_payment::parse, SYNTAX);
    }
}

#[test]
fn a_body_that_is_almost_json_is_refused() {
    let almost = [
        "",
        " ",
        "{",
        "}",
        "{} {}",
        "{}x",
        r#"{"a":1,}"#,
        r#"{"a":[1,]}"#,
        r#"{"a" 1}"#,
        "{a:1}",
        "{'a':1}",
        "// no\n{}",
        "{/* no */}",
        "\u{FEFF}\u{FEFF}{}",
        "{}\u{FEFF}",
        "{\u{A0}}",
        "{} \0",
    ];
    for body in almost {
        assert_refused(body, |_| Ok(()), SYNTAX);
    }
}

#[test]
fn a_malformed_value_is_refused_with_its_path() {
    let huge = "1".repeat(401);
    for value in ["NaN", "Infinity", "'x'", "+1", "01", ".5", "1.", "0x10", "nul", "True", "1e999", &huge] {
        let body = with(SALE, "fiscalDocument.lines.0.quantity", value);
        let (code, param) = crate::support::refusal(&body, create_payment::parse);

        // The body is malformed in either case.
        assert_eq!(code, "parameter_invalid", "{value}");
        assert!(param.is_none_or(|it| it.starts_with("fiscalDocument.lines.0")), "{value}");
    }
}

#[test]
fn text_must_be_valid_unicode() {
    for text in [r"\ud800", r"\udc00", r"\ud800\ud800", r"\ud800x", r"\uZZZZ", r"\x41", "a\nb"] {
        let body = with(SALE, "saleReference", &format!("\"{text}\""));
        assert_refused(&body, create_payment::parse, ("parameter_invalid", "saleReference"));
    }
    for bytes in [&b"\xFF"[..], b"\xC0\x80", b"\xED\xA0\x80", b"\xF5\x80\x80\x80"] {
        let body = [br#"{"saleReference":""#, bytes, br#""}"#].concat();
        assert!(json::read(&body).is_err(), "{bytes:?}");
    }

    let whole = assert_accepted(&with(SALE, "saleReference", r#""\ud83c\udf64""#), create_payment::parse);
    assert_eq!(whole.sale_reference.as_str(), "🍤");
}

#[test]
fn a_repeated_field_is_refused() {
    let metadata = with(SALE, "metadata", r#"{"k":"1","k":"2"}"#);
    assert_refused(&metadata, create_payment::parse, ("parameter_invalid", "metadata.k"));
    let amount = with(SALE, "amount", r#"{"currency":"DOP","minorUnits":1,"\u0063urrency":"USD"}"#);
    assert_refused(&amount, create_payment::parse, ("parameter_invalid", "amount.currency"));
    let unnamed = with(SALE, "metadata", r#"{"4111111111111111":"1","4111111111111111":"2"}"#);
    assert_refused(&unnamed, create_payment::parse, ("parameter_invalid", "metadata"));
    assert_refused(r#"{"a":1,"b":2,"a":1}"#, |_| Ok(()), ("parameter_invalid", "a"));
}

#[test]
fn nesting_is_at_most_16_deep() {
    // The body is the first level.
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));

    tree(&nested(16));
    assert_refused(&nested(17), |_| Ok(()), SYNTAX);
    assert_refused(&"[".repeat(100_000), |_| Ok(()), SYNTAX);
    assert_refused(&"{\"a\":".repeat(100_000), |_| Ok(()), SYNTAX);
}

#[test]
fn a_body_has_at_most_20_000_values() {
    // The body and the list count too.
    let holding = |values: usize| format!("{{\"a\":[{}]}}", vec!["0"; values - 2].join(","));

    tree(&holding(20_000));
    assert_refused(&holding(20_001), |_| Ok(()), SYNTAX);
}

#[test]
fn a_key_has_at_most_1024_bytes() {
    tree(&format!("{{\"{}\":0}}", "k".repeat(1024)));
    assert_refused(&format!("{{\"{}\":0}}", "k".repeat(1025)), |_| Ok(()), SYNTAX);
    assert_refused(&format!("{{\"a\":{{\"{}\":0}}}}", "k".repeat(10_000)), |_| Ok(()), ("parameter_invalid", "a"));
}

#[test]
fn a_number_is_read_only_if_it_is_an_integer_of_64_bits() {
    for (text, number) in [("0", 0), ("-1", -1), ("9223372036854775807", i64::MAX), ("-9223372036854775808", i64::MIN)]
    {
        let body = tree(&format!("{{\"a\":{text}}}"));
        let Json::Object(fields) = body else { panic!("an object") };

        assert!(matches!(fields[0].1, Json::Integer(it) if it == number), "{text}");
    }
    for text in ["10.0", "1e3", "1E0", "-0", "0.5", "9223372036854775808", "-9223372036854775809", "1e400"] {
        let body = with(SALE, "amount.minorUnits", text);
        assert_refused(&body, create_payment::parse, ("parameter_invalid", "amount.minorUnits"));
    }
    let body = with(SALE, "amount.minorUnits", &"9".repeat(400));
    assert_refused(&body, create_payment::parse, ("parameter_invalid", "amount.minorUnits"));
}

#[test]
fn no_refusal_repeats_the_body() {
    for value in [r#""secret-value""#, r#"{"secret-value":1}"#, r#"["secret-value"]"#] {
        for path in ["saleReference", "amount.minorUnits", "fiscalDocument.kind", "returnUrl", "metadata", "extra"] {
            let Err(refusal) = create_payment::parse(&tree(&with(SALE, path, value))) else { continue };

            assert!(!format!("{refusal} {refusal:?}").contains("secret"), "{refusal:?}");
        }
    }
}

/// Generates JSON tokens in random order.
fn soup() -> impl Strategy<Value = String> {
    let token = proptest::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "\\u",
        "d800",
        "\"amount\"",
        "\"card\"",
        "\"k\"",
        "null",
        "true",
        "1",
        "-",
        ".5",
        "e9",
        " ",
        "ñ",
        "\0",
    ]);
    proptest::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in any::<Vec<u8>>(), soup in soup()) {
        for bytes in [&bytes[..], soup.as_bytes()] {
            if let Ok(body) = json::read(bytes) {
                let _ = create_payment::parse(&body).is_ok();
                let _ = submit_card::parse(&body).is_ok();
            }
        }
    }

    #[test]
    fn no_damage_to_a_good_body_makes_a_reader_panic(at in 0..SALE.len(), byte in any::<u8>(), is_cut in any::<bool>()) {
        let mut bytes = SALE.as_bytes().to_vec();
        if is_cut { bytes.truncate(at) } else { bytes[at] = byte }

        let read = json::read(&bytes).and_then(|body| create_payment::parse(&body));

        prop_assert!(read.is_err() || !is_cut);
    }
}
