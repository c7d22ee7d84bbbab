//! Requests that set up a merchant account.

use wire::{create_merchant_account, set_account_credentials};

use crate::support::{assert_accepted, assert_refused, tree, with, without};

const ACCOUNT: &str = r#"{"provider":"azul","venueReference":"Piantini"}"#;
const CREDENTIALS: &str = r#"{"provider":"azul","credentials":{"merchantId":"39038540035","auth1":"clave\n"}}"#;

#[test]
fn an_account_names_provider_and_venue() {
    let account = assert_accepted(ACCOUNT, create_merchant_account::parse);

    assert_eq!(account.provider.as_str(), "azul");
    assert_eq!(account.venue_reference.unwrap().as_str(), "Piantini");
    let without_venue = assert_accepted(&without(ACCOUNT, "venueReference"), create_merchant_account::parse);
    assert_eq!(without_venue.venue_reference, None);
    // The use case refuses unavailable providers with another code.
    assert_accepted(&with(ACCOUNT, "provider", r#""unknown""#), create_merchant_account::parse);
    assert_refused(&without(ACCOUNT, "provider"), create_merchant_account::parse, ("parameter_missing", "provider"));
    let long = format!("\"{}\"", "v".repeat(257));
    for (path, value) in [
        ("provider", r#""""#),
        ("provider", "1"),
        ("venueReference", "null"),
        ("venueReference", r#""""#),
        ("venueReference", &long),
        ("mode", r#""live""#),
    ] {
        assert_refused(&with(ACCOUNT, path, value), create_merchant_account::parse, ("parameter_invalid", path));
    }
}

#[test]
fn credentials_become_canonical_bytes() {
    let spelled =
        r#"{ "credentials": { "auth1": "\u0063lave\u000a", "merchantId": "39038540035" }, "provider": "azul" }"#;

    for body in [CREDENTIALS, spelled] {
        let read = assert_accepted(body, set_account_credentials::parse);

        assert_eq!(read.provider.as_str(), "azul");
        assert_eq!(*read.credentials, br#"{"auth1":"clave\n","merchantId":"39038540035"}"#);
    }
}

#[test]
fn credentials_are_one_to_twenty_secrets() {
    let secrets = |count: usize, secret: &str| {
        let secrets: Vec<String> = (0..count).map(|it| format!("\"k{it}\":\"{secret}\"")).collect();
        with(CREDENTIALS, "credentials", &format!("{{{}}}", secrets.join(",")))
    };

    let longest = "ñ".repeat(8192);
    assert_accepted(&secrets(20, &longest), set_account_credentials::parse);
    assert_refused(&secrets(0, ""), set_account_credentials::parse, ("parameter_invalid", "credentials"));
    assert_refused(&secrets(21, "x"), set_account_credentials::parse, ("parameter_invalid", "credentials"));
    let too_long = secrets(2, &format!("{longest}x"));
    assert_refused(&too_long, set_account_credentials::parse, ("parameter_invalid", "credentials.k0"));
    for value in [r#""""#, "1", "null", "{}", r#"["x"]"#, r#""a\u0000""#, r#""a\u007f""#] {
        let body = with(CREDENTIALS, "credentials.auth1", value);
        assert_refused(&body, set_account_credentials::parse, ("parameter_invalid", "credentials.auth1"));
    }
    for path in ["provider", "credentials"] {
        assert_refused(&without(CREDENTIALS, path), set_account_credentials::parse, ("parameter_missing", path));
    }
    assert_refused(
        &with(CREDENTIALS, "credentials", "[]"),
        set_account_credentials::parse,
        ("parameter_invalid", "credentials"),
    );
}

#[test]
fn no_refusal_repeats_a_secret() {
    let bodies = [
        with(CREDENTIALS, "credentials", r#""s3cr3t""#),
        with(CREDENTIALS, "credentials", r#"["s3cr3t"]"#),
        with(CREDENTIALS, "credentials.auth1", r#"{"s3cr3t":1}"#),
        with(CREDENTIALS, "credentials", r#"{"s3cr3t key":1}"#),
        with(CREDENTIALS, "provider", r#"["s3cr3t"]"#),
    ];
    for body in bodies {
        let refusal = set_account_credentials::parse(&tree(&body)).err().unwrap();

        assert!(!format!("{refusal} {refusal:?}").contains("s3cr3t"), "{refusal:?}");
    }
}
