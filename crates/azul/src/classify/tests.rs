use domain::payment::DeclineCode::{self, *};

use super::*;
use Class::{Ambiguous, Approved, Busy, ChallengeRequired, Declined, MethodRequired, Rejected, Unavailable};

fn answered(status: u16, body: &str) -> HttpResult {
    HttpResult::Response { status, body: Body::parse(body.as_bytes()) }
}

fn answer(response_code: &str, iso: &str, description: &str) -> HttpResult {
    let body = format!(
        r#"{{"ResponseCode":"{response_code}","IsoCode":"{iso}","ErrorDescription":"{description}","ResponseMessage":""}}"#
    );
    answered(200, &body)
}

#[track_caller]
fn check(cases: &[(HttpResult, Class)]) {
    for (result, class) in cases {
        assert_eq!(classify(result).class, *class, "{result:?}");
    }
}

#[test]
fn connection_status_and_body_decide_the_class() {
    let approval = r#"{"ResponseCode":"ISO8583","IsoCode":"00","ErrorDescription":""}"#;
    check(&[
        (HttpResult::NotConnected, Unavailable),
        (HttpResult::Interrupted, Ambiguous),
        (answered(403, "<html>Request unsuccessful. Incapsula incident</html>"), Unavailable),
        (answered(403, "no page"), Ambiguous),
        (answered(200, "<html>maintenance</html>"), Ambiguous),
        (answered(500, "<html>Server Error</html>"), Ambiguous),
        (answered(502, ""), Ambiguous),
        (answered(503, "Service Unavailable"), Ambiguous),
        (answered(302, "<html>Object moved</html>"), Ambiguous),
        (answered(200, ""), Ambiguous),
        (answered(200, r#"{"ResponseCode":"ISO8583","IsoCode":"0"#), Ambiguous),
        (answered(200, "{}"), Ambiguous),
        (answered(200, "[]"), Ambiguous),
        (answered(200, approval), Approved),
        // The body counts more than the status, except an approval with a server error.
        (answered(400, approval), Approved),
        (answered(500, approval), Ambiguous),
        (answered(500, r#"{"ResponseCode":"Error","ErrorDescription":"VALIDATION_ERROR:Amount"}"#), Rejected),
    ]);
}

#[test]
fn the_response_code_decides_first() {
    check(&[
        (answer("ISO8583", "00", ""), Approved),
        (answer("Iso8583", "00", ""), Approved),
        (answer("ISO8583", "", ""), Ambiguous),
        (answer("", "00", ""), Ambiguous),
        (answer("SEARCHED", "00", ""), Ambiguous),
        (answer("ERROR", "00", "VALIDATION_ERROR:CVC"), Rejected),
        (answer("Error", "00", ""), Ambiguous),
        (answer("ISO8583", "3D2METHOD", ""), MethodRequired),
        (answer("ISO8583", "3D", ""), ChallengeRequired),
    ]);
}

/// The whole table of issuers' codes, written independently.
#[test]
fn every_issuer_code_has_a_decline_code() {
    let cases: &[(DeclineCode, &[&str])] = &[
        (DoNotHonor, &["01", "02", "05"]),
        (GenericDecline, &["03", "06", "19", "30", "99"]),
        (CardRestricted, &["04", "46", "62", "63", "78", "82", "5C", "9G", "5c"]),
        (SuspectedFraud, &["07", "59", "83"]),
        (AuthenticationFailed, &["08", "1A"]),
        (TransactionNotPermitted, &["12", "57", "58", "93", "R0", "R1", "R3"]),
        (ExceedsLimit, &["13", "61", "65"]),
        (InvalidCardNumber, &["14", "15"]),
        (IssuerUnavailable, &["28", "91", "92", "96"]),
        (CardReportedLostOrStolen, &["41", "43"]),
        (InsufficientFunds, &["51"]),
        (CardExpired, &["54"]),
        (IncorrectPin, &["55", "70", "75"]),
        (IncorrectSecurityCode, &["N7"]),
    ];

    for (word, codes) in cases {
        for code in *codes {
            assert_eq!(classify(&answer("ISO8583", code, "")).class, Declined(*word), "{code}");
        }
    }
    check(&[(answer("ISO8583", "68", ""), Ambiguous), (answer("ISO8583", "94", ""), Ambiguous)]);
}

#[test]
fn an_unknown_code_is_a_decline_with_an_alert() {
    for code in ["Z9", "1", "000", "0 0"] {
        let verdict = classify(&answer("ISO8583", code, ""));

        assert_eq!(verdict, Verdict { class: Declined(GenericDecline), alert: OperatorAlert::UnknownCode }, "{code}");
    }
    assert_eq!(classify(&answer("Error", "", "EL SERVIDOR")).alert, OperatorAlert::UnknownCode);
}

#[test]
fn the_gateway_number_outweighs_the_issuer_code() {
    check(&[
        (answer("ISO8583", "99", "SGS-002303: Invalid credit card number"), Declined(InvalidCardNumber)),
        (answer("ISO8583", "99", "SGS-002304: Credit card is expired"), Declined(CardExpired)),
        (answer("ISO8583", "99", "SGS-005002: The merchant is not setup"), Declined(TransactionNotPermitted)),
        (answer("ISO8583", "05", "SGS-005005: blocked by fraud settings"), Declined(SuspectedFraud)),
        (answer("ISO8583", "99", "SGS-005101: 3D Secure authentication failed."), Declined(AuthenticationFailed)),
        (answer("ISO8583", "99", "SGS-007778: has not been processed, please retry."), Busy),
        (answer("ISO8583", "99", "SGS-030508: Transaction timed out."), Ambiguous),
        (answer("ISO8583", "99", "SGS-005998: being processed"), Ambiguous),
        (answer("ISO8583", "99", "SGS-050308: Wrong transaction state"), Ambiguous),
        (answer("ISO8583", "99", "SGS-005995: Order too old"), Rejected),
        (answer("ISO8583", "51", "SGS-099999: no such number"), Declined(InsufficientFunds)),
        (answer("ISO8583", "99", "SGS-: nothing"), Declined(GenericDecline)),
        (answer("ISO8583", "00", "SGS-005101: left over"), Approved),
    ]);
}

#[test]
fn the_words_of_code_99_count_without_a_number() {
    let with_message = |text: &str| {
        answered(200, &format!(r#"{{"ResponseCode":"ISO8583","IsoCode":"99","ResponseMessage":"{text}"}}"#))
    };
    check(&[
        (answer("ISO8583", "99", "ERROR CVC"), Declined(IncorrectSecurityCode)),
        (answer("ISO8583", "99", "CCV INVALIDO"), Declined(IncorrectSecurityCode)),
        (answer("ISO8583", "99", "INSUF FONDOS"), Declined(InsufficientFunds)),
        (with_message("Tarjeta Invalida"), Declined(InvalidCardNumber)),
        (answer("ISO8583", "99", "PROVEEDOR INVALIDO"), Declined(GenericDecline)),
        // Words count for code 99 alone.
        (answer("ISO8583", "05", "ERROR CVC"), Declined(DoNotHonor)),
    ]);
}

#[test]
fn an_error_is_rejected_or_ambiguous() {
    let rejected = [
        "VALIDATION_ERROR:Amount",
        "VALIDATION_ERROR:TrxType",
        "validation_error:CVC",
        "PARSING_ERROR",
        "INVALID_HTTP_METHOD",
        "SSL_OFF",
        "MISSING_AUTH_HEADER:Auth1",
        "INVALID_AUTH:Auth",
        "DISABLED_PROFILE",
        "INVALID_MERCHANTID",
        "INVALID_CHANNEL",
        "INVALID_VPN_IPADDRESS",
        "INVALID_CLIENT_CERT",
        "MISSING_CLIENT_CERT",
        "DataVault TokenId does not exist.",
        "Amount to be posted cannot be greater than 15pct of original Hold/preAuth.",
    ];
    let ambiguous = [
        "INVALID_AUTH:Hash Mismatch",
        "PROCESSING_ERROR",
        "FATAL_ERROR.",
        "The operation has timed out.",
        "The underlying connection was closed: An unexpected error occurred on a receive.",
        "500 - Internal server error",
        "503 - Service unavailable",
        "The remote server returned an error: (401) Unauthorized.",
        "The request was aborted: Could not create SSL/TLS secure channel.",
        "WRONG TRANSACTION STATE",
        "Original transaction is invalid or has already been posted",
        "Original transaction is invalid or has already been voided",
        "Original transaction is invalid, exceeds original amount or has already been returned",
        "3DS repost detected.",
        "3DS time frame expired or loss of session.",
        "TRANSACTION_NOT_FOUND",
        "",
    ];

    for text in rejected {
        check(&[(answer("Error", "", text), Rejected)]);
    }
    for text in ambiguous {
        check(&[(answer("Error", "", text), Ambiguous)]);
    }
}

#[test]
fn setup_errors_alert_an_operator() {
    for result in [
        answer("Error", "", "INVALID_AUTH:Auth"),
        answer("Error", "", "VALIDATION_ERROR:TrxType"),
        answer("ISO8583", "03", ""),
        answer("ISO8583", "99", "SGS-005002: not set up"),
        answered(403, "<html>"),
    ] {
        assert_eq!(classify(&result).alert, OperatorAlert::CheckSetup, "{result:?}");
    }
    assert_eq!(classify(&answer("ISO8583", "51", "")).alert, OperatorAlert::NoAlert);
}

#[test]
fn codes_are_unique_in_each_table() {
    let iso: Vec<&str> = codes::ISO.iter().map(|it| it.0).collect();
    let numbers: Vec<u32> = codes::GATEWAY.iter().flat_map(|it| it.2).copied().collect();

    assert!(iso.iter().enumerate().all(|(at, it)| !iso[..at].contains(it)));
    assert!(numbers.iter().enumerate().all(|(at, it)| !numbers[..at].contains(it)));
}
