use domain::Currency::Dop;
use testkit::sample::noon;

use super::*;
use crate::response::Body;

fn parse(json: &str) -> Option<Record> {
    match Body::parse(json.as_bytes()) {
        Body::Fields(answer) => Record::parse(&answer),
        Body::Page | Body::Unreadable => panic!("{json}"),
    }
}

fn record(kind: Kind, class: Class, order: &str) -> Record {
    let money = |minor_units| Money::new(minor_units, Dop);
    Record {
        order: Some(order.to_owned()),
        reference: None,
        order_number: String::new(),
        failure: None,
        custom_order_id: "attempt".to_owned(),
        kind,
        class,
        amount: money(118_00),
        itbis: money(18_00),
        at: noon(),
    }
}

#[test]
fn a_record_in_azuls_format_is_parsed() {
    let text = r#"{"Amount":"1000","AuthorizationCode":"OK919C","CardNumber":"999999******9999",
        "CurrencyPosCode":"$","CustomOrderId":"ABC123","DateTime":"20150206125646","ErrorDescription":"",
        "Found":true,"IsoCode":"00","Itbis":"00","LotNumber":"93","RRN":"000006003745","ResponseCode":"ISO8583",
        "Ticket":"3407","TransactionType":"Sale"}"#;

    let record = parse(text).unwrap();

    assert_eq!((record.kind, record.class, record.order), (Kind::Sale, Class::Approved, None));
    assert_eq!((record.amount, record.itbis), (Money::new(10_00, Dop), Money::zero(Dop)));
    // UTC is four hours ahead, all year.
    assert_eq!(record.at.to_rfc3339(), "2015-02-06T16:56:46+00:00");
}

#[test]
fn an_incomprehensible_record_is_refused() {
    let with = |kind: &str, amount: &str, at: &str| {
        parse(&format!(
            r#"{{"ResponseCode":"ISO8583","IsoCode":"00","TransactionType":"{kind}","Amount":"{amount}","DateTime":"{at}"}}"#
        ))
    };

    assert!(with("hold", "100", "20260301080000").is_some());
    assert_eq!(with("", "100", "20260301080000"), None);
    assert_eq!(with("Capture", "100", "20260301080000"), None);
    assert_eq!(with("Hold", "1.00", "20260301080000"), None);
    assert_eq!(with("Hold", "100", "2026-03-01"), None);
}

#[test]
fn records_of_an_attempt_show_its_state() {
    use Class::{Ambiguous, Approved, ChallengeRequired, Declined, MethodRequired, Rejected, Unavailable};
    use Kind::{Hold, Post, Refund, Sale, Void};
    let refused = Declined(DeclineCode::InsufficientFunds);
    let amount = Money::new(118_00, Dop);
    let named = |order: &str| Some(order.to_owned());
    let charged = || LookUp::Approved { amount, reference: named("0") };
    let held = || LookUp::Held { amount, reference: named("0") };
    let cases: &[(&[(Kind, Class)], LookUp)] = &[
        (&[], LookUp::NotFound),
        (&[(Sale, Approved)], charged()),
        (&[(Sale, refused)], LookUp::Declined(DeclineCode::InsufficientFunds)),
        (&[(Sale, Approved), (Void, refused)], charged()),
        (&[(Sale, Approved), (Refund, Rejected)], charged()),
        (&[(Sale, Approved), (Void, Approved)], LookUp::NotFound),
        (&[(Sale, Approved), (Refund, Approved)], LookUp::NotFound),
        (&[(Sale, MethodRequired)], LookUp::Unfinished),
        (&[(Hold, ChallengeRequired)], LookUp::Unfinished),
        (&[(Sale, Rejected)], LookUp::Declined(DeclineCode::GenericDecline)),
        (&[(Sale, Unavailable)], LookUp::NotFound),
        (&[(Sale, Ambiguous)], LookUp::Unknown),
        (&[(Hold, Approved)], held()),
        (&[(Hold, Approved), (Post, refused)], held()),
        (&[(Hold, Approved), (Void, Ambiguous)], held()),
        (&[(Hold, Approved), (Post, Approved)], LookUp::Captured { amount, reference: named("1") }),
        (&[(Post, Approved)], LookUp::Captured { amount, reference: named("0") }),
        (&[(Hold, Approved), (Void, Approved)], LookUp::Gone),
        (&[(Hold, Approved), (Post, Approved), (Void, Approved)], LookUp::Gone),
        (&[(Void, Approved)], LookUp::Gone),
        (&[(Post, refused)], LookUp::Unknown),
        (&[(Hold, refused)], LookUp::Declined(DeclineCode::InsufficientFunds)),
    ];

    for (rows, expected) in cases {
        let name = |(at, &(kind, class)): (usize, &(Kind, Class))| record(kind, class, &at.to_string());
        let records: Vec<Record> = rows.iter().enumerate().map(name).collect();

        assert_eq!(summarize(&records, noon()), *expected, "{rows:?}");
    }
}

/// Refunds that lack an order id of their own are listed under that of the charge.
#[test]
fn only_refunds_of_the_whole_amount_reverse_a_charge() {
    let of = |kind, minor_units| Record { amount: Money::new(minor_units, Dop), ..record(kind, Class::Approved, "1") };
    let state = |kind, refunds: &[i64]| {
        let refunds = refunds.iter().map(|minor_units| of(Kind::Refund, *minor_units));
        summarize(&[of(kind, 118_00)].into_iter().chain(refunds).collect::<Vec<_>>(), noon())
    };
    let (amount, reference) = (Money::new(118_00, Dop), Some("1".to_owned()));
    let charged = LookUp::Approved { amount, reference: reference.clone() };

    assert_eq!(state(Kind::Sale, &[18_00]), charged);
    assert_eq!(state(Kind::Sale, &[18_00, 99_99]), charged);
    assert_eq!(state(Kind::Sale, &[18_00, 100_00]), LookUp::NotFound);
    assert_eq!(state(Kind::Post, &[117_99]), LookUp::Captured { amount, reference });
    assert_eq!(state(Kind::Post, &[118_00]), LookUp::Gone);
    assert_eq!(summarize(&[of(Kind::Refund, 18_00)], noon()), LookUp::Unknown);
}

/// Until the time limit the authentication may still be finished.
#[test]
fn an_abandoned_authentication_is_declined_after_its_time_limit() {
    for class in [Class::MethodRequired, Class::ChallengeRequired] {
        let records = [record(Kind::Sale, class, "1")];

        let just_before = summarize(&records, noon() + AUTHENTICATION_LIFE - TimeDelta::seconds(1));
        let then = summarize(&records, noon() + AUTHENTICATION_LIFE);

        assert_eq!(just_before, LookUp::Unfinished);
        assert_eq!(then, LookUp::Declined(DeclineCode::AuthenticationFailed));
    }
}

#[test]
fn a_hold_expires_although_azul_still_lists_it() {
    let records = [record(Kind::Hold, Class::Approved, "1")];

    let just_before = summarize(&records, noon() + HOLD_LIFE - TimeDelta::seconds(1));
    let then = summarize(&records, noon() + HOLD_LIFE);

    assert!(matches!(just_before, LookUp::Held { .. }));
    assert_eq!(then, LookUp::Gone);
}
