use domain::{Currency::Dop, Money};
use ports::RefundedCharge;
use testkit::{
    provider::attempt,
    sample::{attempt_id, noon},
};

use super::*;
use crate::{classify::classify, response::Body};

const REFERENCE: &str = "2026030112000044772545";

fn request(method: ReturnMethod) -> RefundRequest {
    let money = |minor_units| Money::new(minor_units, Dop);
    RefundRequest {
        attempt: attempt(2),
        opened_at: noon(),
        of: RefundedCharge {
            attempt: attempt_id(1),
            reference: Some("44772544".to_owned()),
            amount: money(118_00),
            itbis: money(18_00),
            captured_at: noon(),
        },
        amount: money(118_00),
        itbis: money(18_00),
        method,
    }
}

/// A response of AZUL about the request's attempt.
fn response(class: &str, iso: &str, description: &str) -> HttpResult {
    let name = attempt(2).attempt;
    let body = format!(
        r#"{{"ResponseCode":"{class}","IsoCode":"{iso}","ErrorDescription":"{description}","CustomOrderId":"{name}",
            "AzulOrderId":"44772545","RRN":"{REFERENCE}","AuthorizationCode":"","ResponseMessage":""}}"#
    );
    HttpResult::Response { status: 200, body: Body::parse(body.as_bytes()) }
}

fn judged(method: ReturnMethod, result: &HttpResult) -> Reading {
    interpret(&request(method), classify(result).class, result)
}

fn refused(code: RefundFailureCode) -> Reading {
    Reading::Clear(RefundResponse::Refused(code))
}

#[test]
fn refusals_have_their_public_reason() {
    use RefundFailureCode::{DeclinedByProvider, InsufficientMerchantFunds, WindowElapsed};
    let cases = [
        ("ISO8583", "51", "", InsufficientMerchantFunds),
        ("ISO8583", "61", "", InsufficientMerchantFunds),
        ("ISO8583", "99", "INSUF FONDOS", InsufficientMerchantFunds),
        ("ISO8583", "05", "", DeclinedByProvider),
        ("ISO8583", "65", "", DeclinedByProvider),
        ("ISO8583", "ZZ", "", DeclinedByProvider),
        ("ISO8583", "99", "SGS-005009: Nothing to return.", WindowElapsed),
        ("ISO8583", "99", "SGS-005995: Order too old.", WindowElapsed),
        ("ISO8583", "99", "Transaction is too old", WindowElapsed),
        ("Error", "", "VALIDATION_ERROR:Amount", DeclinedByProvider),
        ("Error", "", "VALIDATION_ERROR:TrxType", DeclinedByProvider),
    ];
    for (class, iso, description, code) in cases {
        for method in [ReturnMethod::Void, ReturnMethod::Refund] {
            assert_eq!(judged(method, &response(class, iso, description)), refused(code), "{iso} {description}");
        }
    }
}

#[test]
fn refusals_by_the_state_of_the_charge_need_a_look_up() {
    let cases = [
        ("Error", "", "Original transaction is invalid, exceeds original amount or has already been returned"),
        ("Error", "", "Original transaction is invalid or has already been voided"),
        ("Error", "", "WRONG TRANSACTION STATE"),
        ("ISO8583", "99", "SGS-005019: Not voidable."),
        ("ISO8583", "99", "SGS-050308: Wrong transaction state."),
    ];
    for (class, iso, description) in cases {
        assert_eq!(judged(ReturnMethod::Refund, &response(class, iso, description)), Reading::WrongState);
        assert_eq!(judged(ReturnMethod::Void, &response(class, iso, description)), Reading::WrongState);
    }
}

#[test]
fn faults_of_transport_and_set_up_keep_their_class() {
    let clear = Reading::Clear;
    let not_submitted = |reason| clear(RefundResponse::NotSubmitted(reason));
    let judged = |result: &HttpResult| judged(ReturnMethod::Refund, result);

    assert_eq!(judged(&HttpResult::NotConnected), not_submitted(NotSubmitted::Unavailable));
    assert_eq!(judged(&HttpResult::Interrupted), clear(RefundResponse::Ambiguous));
    assert_eq!(judged(&response("Error", "", "PROCESSING_ERROR")), clear(RefundResponse::Ambiguous));
    assert_eq!(judged(&response("Error", "", "TRANSACTION_NOT_FOUND")), clear(RefundResponse::Ambiguous));
    assert_eq!(judged(&response("Error", "", "INVALID_AUTH:Auth")), not_submitted(NotSubmitted::Rejected));
    assert_eq!(judged(&response("ISO8583", "99", "SGS-007778: not processed")), not_submitted(NotSubmitted::Busy));
    assert_eq!(judged(&response("ISO8583", "99", "SGS-030508: timed out")), clear(RefundResponse::Ambiguous));
    assert_eq!(judged(&response("ISO8583", "3D", "")), clear(RefundResponse::Ambiguous));
}

/// A refund is approved without an authorization code, under the name of its attempt.
#[test]
fn only_the_approval_of_the_request_counts() {
    let approved =
        |method| Reading::Clear(RefundResponse::Approved { method, reference: AcquirerReference::parse(REFERENCE) });
    let body = |fields: &str| HttpResult::Response {
        status: 200,
        body: Body::parse(format!(r#"{{"ResponseCode":"ISO8583","IsoCode":"00",{fields}}}"#).as_bytes()),
    };
    let ambiguous = Reading::Clear(RefundResponse::Ambiguous);
    let own = attempt(2).attempt;

    for method in [ReturnMethod::Void, ReturnMethod::Refund] {
        assert_eq!(judged(method, &response("ISO8583", "00", "")), approved(method));
    }
    for fields in [
        format!(r#""CustomOrderId":"{own}","AzulOrderId":"1","AuthorizationCode":"OK1234""#),
        format!(r#""CustomOrderId":"{own}","AzulOrderId":"""#),
        r#""CustomOrderId":"another","AzulOrderId":"1""#.to_owned(),
        r#""AzulOrderId":"1""#.to_owned(),
    ] {
        assert_eq!(judged(ReturnMethod::Refund, &body(&fields)), ambiguous, "{fields}");
    }
    let void = judged(ReturnMethod::Void, &body(r#""AzulOrderId":"44772546","AuthorizationCode":"OK1234""#));
    let reference = AcquirerReference::parse("44772546");
    assert_eq!(void, Reading::Clear(RefundResponse::Approved { method: ReturnMethod::Void, reference }));
}

#[test]
fn a_void_without_an_amount_returns_the_whole_charge() {
    let row = |fields: &str| match Body::parse(
        format!(r#"{{"ResponseCode":"ISO8583","IsoCode":"00","DateTime":"20260301080000",{fields}}}"#).as_bytes(),
    ) {
        Body::Fields(response) => Record::parse(&response).unwrap(),
        body => panic!("{body:?}"),
    };
    let finding = |fields: &str| found_void(&row(fields), &request(ReturnMethod::Void)).finding;

    assert_eq!(finding(r#""TransactionType":"Void""#), RefundFinding::Done { amount: 118_00 });
    assert_eq!(finding(r#""TransactionType":"Void","Amount":"10000""#), RefundFinding::Done { amount: 100_00 });
    assert_eq!(finding(r#""TransactionType":"Sale","Amount":"11800""#), RefundFinding::NotDone);
    assert_eq!(finding(r#""TransactionType":"Post","Amount":"11800""#), RefundFinding::NotDone);
    assert_eq!(finding(r#""TransactionType":"Refund","Amount":"100""#), RefundFinding::Unknown);
    assert_eq!(finding(r#""TransactionType":"Hold","Amount":"11800""#), RefundFinding::Unknown);
}

#[test]
fn a_listed_return_names_what_the_list_states() {
    let own = attempt(2).attempt;
    let row = format!(
        r#"{{"ResponseCode":"ISO8583","IsoCode":"00","DateTime":"20260301080000","TransactionType":"Refund",
            "CustomOrderId":"","OrderNumber":"{}","AzulOrderId":"44772545","RRN":"{REFERENCE}","Amount":"11800"}}"#,
        request::order_number(&own)
    );
    let Body::Fields(response) = Body::parse(row.as_bytes()) else { panic!("{row}") };

    let listed = listed(Record::parse(&response).unwrap());

    assert_eq!((listed.attempt.as_str(), listed.order.as_deref()), ("", Some("44772545")));
    assert_eq!(listed.reference, AcquirerReference::parse(REFERENCE));
    assert!(listed.attempt_endings.iter().any(|ending| own.as_str().ends_with(ending)), "{listed:?}");
}
