//! The answers that are neither a payment nor a document.

use domain::{
    account::{Lifecycle, Readiness},
    text::Email,
};
use testkit::sample;
use wire::{CheckoutToken, Delivery, ErrorBody, MerchantAccount, Site, to_bytes};

use crate::golden::assert_golden;

fn site() -> Site {
    Site { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() }
}

#[test]
fn an_account_says_whether_it_is_ready() {
    let account = sample::account();
    let setting = sample::setting();

    let ready = Readiness::assess(&account, Some(&setting.profile), &setting.issuer, sample::noon());

    assert_golden("merchant-account-ready", &MerchantAccount::new(&account, &ready));
}

#[test]
fn an_account_says_what_keeps_it_from_selling() {
    let mut account = sample::account();
    account.lifecycle = Lifecycle::Suspended;
    account.credential_version = 0;
    account.venue_reference = None;
    let mut issuer = sample::setting().issuer;
    issuer.certificate = None;

    let not_ready = Readiness::assess(&account, None, &issuer, sample::noon());

    assert_golden("merchant-account-not-ready", &MerchantAccount::new(&account, &not_ready));
}

#[test]
fn a_token_is_shown_once() {
    assert_golden("checkout-token", &CheckoutToken::new(&sample::token(1), "ct_test_0000"));
}

#[test]
fn a_requested_delivery_shows_the_address_that_was_sent() {
    let recipient = Email::parse("ana@ejemplo.example").unwrap();

    assert_eq!(
        to_bytes(&Delivery::queued_for(&recipient)),
        br#"{"email":"ana@ejemplo.example","status":"waiting_for_document"}"#
    );
}

#[test]
fn an_error_names_the_field_if_there_is_one() {
    let request = sample::request_id(1);
    let site = site();

    let with_param = ErrorBody::new(
        "invalid_request",
        "parameter_invalid",
        "The value must be a string.",
        Some("fiscalDocument.lines.0.quantity"),
        &request,
        &site,
    );
    let without_param = ErrorBody::new("api_error", "internal_error", "Try again.", None, &request, &site);

    assert_golden("error", &with_param);
    assert!(!String::from_utf8(to_bytes(&without_param)).unwrap().contains("param"));
}
