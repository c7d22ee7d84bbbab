//! Queries of lists.

use chrono::{DateTime, Utc};
use domain::{
    EventKind, Refusal,
    listing::{PageRequest, SaleFilter},
    payment::PaymentStatus,
};
use jsonschema::{Draft, Validator};
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::sample;
use url::form_urlencoded;
use wire::query;

fn payments(raw: &str) -> (SaleFilter, PageRequest) {
    query::payments(raw).unwrap_or_else(|refusal| panic!("{raw} was refused: {refusal:?}"))
}

#[track_caller]
fn assert_refused<T>(raw: &str, read: impl FnOnce(&str) -> Result<T, Refusal>, param: &str) {
    let Err(refusal) = read(raw) else { panic!("{raw} was accepted") };

    assert_eq!(refusal.code.as_str(), "parameter_invalid", "{raw}");
    assert_eq!(refusal.param.as_deref().unwrap_or("-"), param, "{raw}");
}

fn instant(text: &str) -> Option<DateTime<Utc>> {
    Some(text.parse().unwrap())
}

#[test]
fn an_empty_query_has_defaults() {
    for raw in ["", "&", "&&"] {
        let (filter, page) = payments(raw);

        assert_eq!((page.limit, page.cursor, filter), (20, None, SaleFilter::default()));
        assert_eq!(page.filters, "payments?");
        assert_eq!(query::events(raw).unwrap().1.filters, "events?");
    }
}

#[test]
fn every_parameter_is_parsed() {
    let (query, page) = payments(
        "limit=100&cursor=AQ&status=requires_customer_action&saleReference=mesa+7%26%C3%B1&merchantInvoiceNumber=F%2F1\
         &merchantOrderNumber=0042&createdAfter=2026-03-01T08%3A00%3A00.5-04%3A00&createdBefore=2026-03-02T00:00:00Z",
    );

    assert_eq!((page.limit, page.cursor.as_deref()), (100, Some("AQ")));
    assert_eq!(query.status, Some(PaymentStatus::RequiresCustomerAction));
    assert_eq!(query.sale_reference.unwrap().as_str(), "mesa 7&ñ");
    assert_eq!(query.merchant_invoice_number.unwrap().as_str(), "F/1");
    assert_eq!(query.merchant_order_number.unwrap().as_str(), "0042");
    assert_eq!(query.created_after, instant("2026-03-01T12:00:00.500Z"));
    assert_eq!(query.created_before, instant("2026-03-02T00:00:00Z"));
    for status in PaymentStatus::ALL {
        assert_eq!(payments(&format!("status={}", status.as_str())).0.status, Some(status));
    }
    for text in ["%25", "%27+OR+1%3D1--", "%5C", "_"] {
        assert!(payments(&format!("saleReference={text}")).0.sale_reference.is_some());
    }
}

#[test]
fn unknown_and_repeated_parameters_are_refused() {
    for (raw, param) in [
        ("limit=1&limit=100", "limit"),
        ("limit=1&%6Cimit=1", "limit"),
        ("foo=1", "foo"),
        ("foo=1&foo=2", "foo"),
        ("Limit=1", "Limit"),
        ("limit[]=1", "-"),
        ("limit%5B%5D=1", "-"),
        ("4111111111111111=1", "-"),
        ("=1", "-"),
        ("limit", "limit"),
        ("api_key=sk_test_1", "api_key"),
        ("type=payment.created", "type"),
    ] {
        assert_refused(raw, query::payments, param);
    }
    assert_refused("status=succeeded", query::events, "status");
}

#[test]
fn each_parameter_has_its_own_bounds() {
    let long_cursor = format!("cursor={}", "x".repeat(513));
    let long_reference = format!("saleReference={}", "x".repeat(129));
    let rows = [
        (
            "limit",
            vec!["limit=", "limit=0", "limit=101", "limit=-1", "limit=%2B5", "limit=+5", "limit=1.0", "limit=1e1"],
        ),
        ("limit", vec!["limit=05", "limit=%D9%A1", "limit=ten", "limit=99999999999", "limit=5%00"]),
        ("cursor", vec!["cursor=", "cursor", &long_cursor]),
        ("status", vec!["status=", "status=paid", "status=Succeeded", "status=succeeded,declined"]),
        (
            "saleReference",
            vec!["saleReference=", "saleReference=%00", "saleReference=a%0Ab", "saleReference=+", &long_reference],
        ),
        ("merchantInvoiceNumber", vec!["merchantInvoiceNumber=", "merchantInvoiceNumber=123456789012345678901"]),
        ("merchantOrderNumber", vec!["merchantOrderNumber=", "merchantOrderNumber=123456789012345678901"]),
    ];
    for (param, raws) in rows {
        for raw in raws {
            assert_refused(raw, query::payments, param);
        }
    }
    payments(&format!("cursor={}", "x".repeat(512)));
    payments("limit=1");
}

#[test]
fn malformed_encoding_is_refused_with_the_parameter() {
    for (raw, param) in [
        ("saleReference=%", "saleReference"),
        ("saleReference=%4", "saleReference"),
        ("saleReference=%GG", "saleReference"),
        ("saleReference=%+1", "saleReference"),
        ("saleReference=%ff", "saleReference"),
        ("saleReference=%C0%80", "saleReference"),
        ("saleReference=%ED%A0%80", "saleReference"),
        ("%ff=1", "-"),
        ("foo=%", "foo"),
    ] {
        assert_refused(raw, query::payments, param);
    }
    // The replacement character itself is valid text.
    assert_eq!(payments("saleReference=%EF%BF%BD").0.sale_reference.unwrap().as_str(), "\u{FFFD}");
}

#[test]
fn a_moment_exists_and_has_a_zone() {
    let refused = [
        "yesterday",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00+00:00",
        "2026-02-30T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T23:60:00Z",
        "2016-12-31T23:59:60Z",
        "2016-12-31T23:59:60.5Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00%2B24:00",
        "2026-01-01T00:00:00%2B01:60",
        "2026-01-01T00:00:00%2B0100",
        "2026-01-01T00:00:00%E2%88%9204:00",
        "2026-01-01T00:00:00ZZ",
        "292277026597-01-01T00:00:00Z",
        "%2B2026-01-01T00:00:00Z",
        "-2026-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00%2B01:00",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59-01:00",
        "1767225600",
        "%D9%A2026-01-01T00:00:00Z",
        "",
    ];
    for text in refused {
        for name in ["createdAfter", "createdBefore"] {
            assert_refused(&format!("{name}={text}"), query::payments, name);
            assert_refused(&format!("{name}={text}"), query::events, name);
        }
    }
    for (text, moment) in [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("2024-02-29T00:00:00%2B05:30", "2024-02-28T18:30:00Z"),
        ("2026-01-01t00:00:00z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00.123456789123Z", "2026-01-01T00:00:00.123456789Z"),
    ] {
        assert_eq!(payments(&format!("createdAfter={text}")).0.created_after, instant(moment));
    }
}

#[test]
fn a_period_begins_before_it_ends() {
    let (early, late) = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z");

    payments(&format!("createdBefore={late}&createdAfter={early}"));
    for (after, before) in [(late, early), (early, early)] {
        let raw = format!("createdBefore={before}&createdAfter={after}");
        assert_refused(&raw, query::payments, "createdAfter");
        assert_refused(&raw, query::events, "createdAfter");
    }
}

#[test]
fn events_are_filtered_by_type_and_payment() {
    let id = sample::payment_id(1);

    let (query, page) =
        query::events(&format!("type=fiscal_document.*&paymentId={}&limit=5&cursor=AQ", id.as_str())).unwrap();

    assert_eq!((page.limit, page.cursor.as_deref()), (5, Some("AQ")));
    assert_eq!(query.payment, Some(id));
    assert_eq!(query.kinds.len(), 10);
    assert!(query.kinds.iter().all(|it| it.as_str().starts_with("fiscal_document.")));
    assert_eq!(query::events("type=payment.succeeded").unwrap().0.kinds, [EventKind::PaymentSucceeded]);
    for raw in ["type=", "type=*", "type=nope", "type=payment", "type=payment.created,payment.declined"] {
        assert_refused(raw, query::events, "type");
    }
    for raw in ["paymentId=", "paymentId=payment_1", "paymentId=fiscal_document_0000000000000000000000000a"] {
        assert_refused(raw, query::events, "paymentId");
    }
}

#[test]
fn equal_queries_have_equal_filters() {
    let one = payments("status=succeeded&saleReference=a+b&createdAfter=2026-03-01T08:00:00-04:00&limit=5&cursor=AQ");
    let other = payments("createdAfter=2026-03-01T12:00:00.000Z&saleReference=%61%20b&status=succeeded");

    assert_eq!(one.1.filters, other.1.filters);
    let different = [
        "saleReference=a",
        "merchantInvoiceNumber=a",
        "saleReference=a%26status%3Dsucceeded",
        "saleReference=a&status=succeeded",
        "saleReference=a&status=declined",
        "merchantOrderNumber=1",
        "merchantInvoiceNumber=1",
        "createdAfter=2026-03-01T12:00:00Z",
        "createdBefore=2026-03-01T12:00:00Z",
        "createdAfter=2026-03-01T12:00:00.001Z",
        "",
    ];
    let mut filters: Vec<String> = different.iter().map(|it| payments(it).1.filters).collect();
    filters.push(query::events("").unwrap().1.filters);
    filters.push(query::events("type=payment.*").unwrap().1.filters);
    filters.push(query::events("type=payment.created").unwrap().1.filters);
    let count = filters.len();
    filters.sort();
    filters.dedup();
    assert_eq!(filters.len(), count);
    assert_eq!(query::events("type=webhook_endpoint.test").unwrap().1.filters, "events?type=webhook_endpoint.test");
}

/// Whether the schema of a parameter accepts `text`, as text or as an integer.
fn is_described(schema: &Validator, text: &str) -> bool {
    let as_number = text.parse::<i64>().ok().filter(|it| it.to_string() == text);
    schema.is_valid(&json!(text)) || as_number.is_some_and(|it| schema.is_valid(&json!(it)))
}

#[test]
fn schema_and_reader_agree_on_parameters() {
    let texts = [
        "",
        "0",
        "1",
        "20",
        "100",
        "101",
        "-1",
        "05",
        "1.0",
        "ten",
        "0042",
        "12a",
        "succeeded",
        "paid",
        "a b",
        "a\nb",
        " ",
        "ñ",
        "payment.created",
        "payment.*",
        "*",
        "payment",
        "payment_0000000000000000000000000000",
        "payment_0000000000000000000000000u",
        "fiscal_document_0000000000000000000000000000",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.123+05:30",
        "2026-01-01t00:00:00z",
        "2026-01-01T00:00:00",
        "2026-02-30T00:00:00Z",
        "2016-12-31T23:59:60Z",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01",
    ];
    let lengths = [20, 21, 128, 129, 512, 513].map(|length| ["x".repeat(length), "7".repeat(length)]).into_iter();
    let texts: Vec<String> = texts.iter().map(|it| (*it).to_owned()).chain(lengths.flatten()).collect();
    let document: Value = serde_json::from_str(include_str!("../../../../docs/generated/openapi.json")).unwrap();
    for path in ["/v1/payments", "/v1/events"] {
        for reference in document["paths"][path]["get"]["parameters"].as_array().unwrap() {
            let parameter = document.pointer(&reference["$ref"].as_str().unwrap()[1..]).unwrap();
            let name = parameter["name"].as_str().unwrap();
            let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
            let schema = options.build(&parameter["schema"]).unwrap();
            for text in &texts {
                let raw = form_urlencoded::Serializer::new(String::new()).append_pair(name, text).finish();
                let is_taken =
                    if path == "/v1/events" { query::events(&raw).is_ok() } else { query::payments(&raw).is_ok() };

                assert_eq!(is_described(&schema, text), is_taken, "{path}?{raw}");
            }
        }
    }
}

#[test]
fn no_refusal_repeats_a_query() {
    for raw in ["limit=s3cr3t", "s3cr3t%20=1", "saleReference=s3cr3t%", "cursor=s3cr3t&cursor=s3cr3t"] {
        let refusal = query::payments(raw).unwrap_err();

        assert!(!format!("{refusal} {refusal:?}").contains("s3cr3t"), "{refusal:?}");
    }
}

proptest! {
    #[test]
    // A mark alone is invisible, so a letter comes first.
    fn encoded_text_is_decoded(text in "x[^\\p{C}\\p{Z}]{0,19}") {
        let raw = form_urlencoded::Serializer::new(String::new()).append_pair("saleReference", &text).finish();

        let read = payments(&raw).0.sale_reference.unwrap();
        prop_assert_eq!(read.as_str(), text);
    }

    #[test]
    fn no_query_makes_the_reader_panic(raw in "[a-zA-Z0-9%&=+:.Tñ-]{0,60}", any in any::<String>()) {
        for raw in [&raw, &any, &format!("createdAfter={raw}")] {
            let _ = query::payments(raw).is_ok();
            let _ = query::events(raw).is_ok();
            let _ = query::refunds(raw).is_ok();
        }
    }
}
