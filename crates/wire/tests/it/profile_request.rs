//! Bodies of `PUT /merchant_profile`, parsed and applied to a profile.

use chrono::TimeDelta;
use domain::merchant::Profile;
use serde_json::Value;
use testkit::sample;
use wire::{MerchantProfileResponse, put_merchant_profile, to_bytes};

use crate::support::{assert_accepted, assert_refused, with, without};

const PROFILE: &str = r#"{
    "legalName": "Comedor La Esquina, S.R.L.",
    "rnc": "101850043",
    "displayName": "La Esquina",
    "supportPhone": "809-555-0100",
    "supportEmail": "hola@laesquina.example",
    "permanentAddress": {
        "line1": "Calle El Conde 1", "line2": "Zona Colonial", "city": "Santo Domingo",
        "province": "Distrito Nacional", "postalCode": "10210", "countryCode": "DO"
    },
    "deliveryPolicy": {"kind": "not_offered"},
    "statementDescriptor": "LA ESQUINA & CO.",
    "locale": "es-DO",
    "isPropinaApplicable": true,
    "defaultCheckoutMode": "grouped",
    "paymentWindowSeconds": 900,
    "isSplitEnabled": true
}"#;

fn shown(profile: &Profile) -> Value {
    serde_json::from_slice(&to_bytes(&MerchantProfileResponse::from(profile))).unwrap()
}

#[test]
fn every_field_of_a_profile_is_returned() {
    let draft = assert_accepted(PROFILE, put_merchant_profile::parse);

    let mut shown = shown(&draft.apply(sample::profile()));

    assert_eq!(shown["object"].take(), "merchant_profile");
    assert_eq!(shown["missingFields"].take(), serde_json::json!([]));
    assert_eq!(shown["version"].take(), 1);
    let profile: Value = serde_json::from_str(PROFILE).unwrap();
    for (field, value) in profile.as_object().unwrap() {
        assert_eq!(shown[field], *value, "{field}");
    }
}

#[test]
fn absent_fields_of_a_profile_are_cleared() {
    let before = Profile { version: 7, is_split_enabled: true, ..sample::profile() };

    let after = assert_accepted("{}", put_merchant_profile::parse).apply(before.clone());

    let blank = Profile::blank(&before.merchant, before.mode, before.updated_at);
    assert_eq!(after, Profile { version: 7, ..blank });
    assert_eq!(after.missing_fields().len(), 6);
    for path in ["permanentAddress.line2", "permanentAddress.province", "permanentAddress.postalCode", "supportEmail"] {
        assert_accepted(&without(PROFILE, path), put_merchant_profile::parse);
    }
}

#[test]
fn a_payment_window_is_15_minutes_to_7_days() {
    for (seconds, window) in [("900", TimeDelta::minutes(15)), ("604800", TimeDelta::days(7))] {
        let body = with(PROFILE, "paymentWindowSeconds", seconds);
        assert_eq!(assert_accepted(&body, put_merchant_profile::parse).payment_window, Some(window));
    }
    for seconds in ["899", "604801", "0", "-900", "900.0", r#""900""#] {
        let body = with(PROFILE, "paymentWindowSeconds", seconds);
        assert_refused(&body, put_merchant_profile::parse, ("parameter_invalid", "paymentWindowSeconds"));
    }
}

#[test]
fn a_statement_descriptor_has_printable_characters() {
    for descriptor in ["A", "Cafe 24/7", "O'BRIEN, S.R.L. & *-", &"x".repeat(22)] {
        let body = with(PROFILE, "statementDescriptor", &format!("\"{descriptor}\""));
        assert_accepted(&body, put_merchant_profile::parse);
    }
    for descriptor in ["", " ", "CAFÉ", "A™", "A_B", "A\\u0000", "A\\tB", "<A>", "A;B", "A+B", &"x".repeat(23)] {
        let body = with(PROFILE, "statementDescriptor", &format!("\"{descriptor}\""));
        assert_refused(&body, put_merchant_profile::parse, ("parameter_invalid", "statementDescriptor"));
    }
}

#[test]
fn each_field_has_its_own_rule() {
    let long_email = format!("\"hola@{}.example\"", vec!["d".repeat(60); 4].join("."));
    let rows: [(&str, &[&str]); 13] = [
        ("legalName", &[r#""""#, "7", "null", r#""a\nb""#]),
        ("rnc", &[r#""1-01-85004-3""#, r#""101850044""#, r#""10185004""#, r#""00113918205""#, "101850043", r#""""#]),
        ("displayName", &[r#""  ""#, r#""a\u202Eb""#]),
        ("supportPhone", &[r#""""#, "8095550100", r#""123456789012345678901234567890123""#]),
        ("supportEmail", &[r#""hola""#, r#""hola@laesquina""#, &long_email]),
        ("permanentAddress", &["[]", r#""Calle""#]),
        ("permanentAddress.countryCode", &[r#""do""#, r#""DOM""#, r#""D""#, r#""ÑO""#]),
        ("permanentAddress.line3", &[r#""x""#]),
        ("deliveryPolicy", &[r#""not_offered""#, "null"]),
        ("deliveryPolicy.kind", &[r#""offered""#]),
        (
            "locale",
            &[r#""e""#, r#""es_DO""#, r#""es-""#, r#""-do""#, r#""1s""#, r#""español""#, r#""es-DO-x-variants1""#],
        ),
        ("defaultCheckoutMode", &[r#""all""#]),
        ("isPropinaApplicable", &["1", r#""true""#]),
    ];
    for (path, values) in rows {
        for value in values {
            assert_refused(&with(PROFILE, path, value), put_merchant_profile::parse, ("parameter_invalid", path));
        }
    }
    for path in ["permanentAddress.line1", "permanentAddress.city", "permanentAddress.countryCode"] {
        assert_refused(&without(PROFILE, path), put_merchant_profile::parse, ("parameter_missing", path));
    }
    assert_refused(
        &with(PROFILE, "deliveryPolicy", "{}"),
        put_merchant_profile::parse,
        ("parameter_missing", "deliveryPolicy.kind"),
    );
}

#[test]
fn a_profile_refuses_fields_of_the_server() {
    for field in ["version", "missingFields", "object", "mode", "isLiveMode", "merchant"] {
        assert_refused(&with(PROFILE, field, "1"), put_merchant_profile::parse, ("parameter_invalid", field));
    }
}
