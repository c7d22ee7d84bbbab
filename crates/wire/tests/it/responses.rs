//! Responses other than payments and documents.

use domain::{
    WebhookEndpointId,
    account::{Lifecycle, Readiness},
    merchant::Profile,
    text::{BoundedText, Email},
    webhook::{self, DisabledReason, EndpointUrl, EventSelection},
};
use testkit::sample;
use wire::{
    CheckoutTokenResponse, DocumentEmailResponse, ErrorResponse, ListResponse, MerchantAccountResponse,
    MerchantProfileResponse, PublicUrls, WebhookEndpointResponse, to_bytes,
};

use crate::{contract::assert_described, golden::assert_golden};

fn urls() -> PublicUrls {
    PublicUrls { checkout_base_url: "https://pay.example".to_owned(), docs_url: "https://docs.example".to_owned() }
}

#[test]
fn an_account_shows_its_readiness() {
    let account = sample::account();
    let context = sample::sale_context();

    let ready = Readiness::assess(&account, Some(&context.profile), &context.issuer, sample::noon());

    assert_golden("merchant-account-ready", &MerchantAccountResponse::new(&account, &ready));
}

#[test]
fn an_account_shows_its_blockers() {
    let mut account = sample::account();
    account.lifecycle = Lifecycle::Suspended;
    account.credential_version = 0;
    account.venue_reference = None;
    let mut issuer = sample::sale_context().issuer;
    issuer.certificates.clear();

    let not_ready = Readiness::assess(&account, None, &issuer, sample::noon());

    assert_golden("merchant-account-not-ready", &MerchantAccountResponse::new(&account, &not_ready));
}

#[test]
fn a_token_is_shown_once() {
    assert_golden("checkout-token", &CheckoutTokenResponse::new(&sample::token(1), "ct_test_0000"));
}

#[test]
fn a_requested_delivery_shows_the_address_that_was_sent() {
    let recipient = Email::parse("ana@ejemplo.example").unwrap();

    assert_golden("requested-delivery", &DocumentEmailResponse::queued_for(&recipient));
}

#[test]
fn an_error_names_the_field_if_there_is_one() {
    let request = sample::request_id(1);
    let urls = urls();

    let with_param = ErrorResponse::new(
        "invalid_request",
        "parameter_invalid",
        "The value must be a string.",
        Some("fiscalDocument.lines.0.quantity"),
        &request,
        &urls,
    );
    let without_param = ErrorResponse::new("api_error", "internal_error", "Try again.", None, &request, &urls);

    assert_golden("error", &with_param);
    assert!(!String::from_utf8(to_bytes(&without_param)).unwrap().contains("param"));
}

#[test]
fn a_profile_lists_its_missing_fields() {
    let profile = sample::profile();
    let blank = Profile::blank(&profile.merchant, profile.mode, profile.updated_at);

    assert_golden("merchant-profile", &MerchantProfileResponse::from(&profile));
    assert_golden("merchant-profile-blank", &MerchantProfileResponse::from(&blank));
}

fn endpoint() -> webhook::WebhookEndpoint {
    let account = sample::account();
    webhook::WebhookEndpoint {
        id: WebhookEndpointId::new(&sample::symbols(1)),
        merchant: account.merchant,
        mode: account.mode,
        url: EndpointUrl::parse("https://tienda.example/eventos?v=1").unwrap(),
        enabled_events: EventSelection::parse(&["payment.*".to_owned(), "fiscal_document.issued".to_owned()]).unwrap(),
        description: BoundedText::parse("Contabilidad"),
        disabled: None,
        created_at: sample::noon(),
        updated_at: sample::noon(),
        version: 0,
    }
}

#[test]
fn only_the_creation_of_an_endpoint_shows_its_secret() {
    let endpoint = endpoint();

    let secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    assert_golden("webhook-endpoint-created", &WebhookEndpointResponse::created(&endpoint, secret));
    let shown = String::from_utf8(to_bytes(&WebhookEndpointResponse::from(&endpoint))).unwrap();
    assert!(!shown.contains("signingSecret") && !shown.contains("whsec_"), "{shown}");
}

#[test]
fn a_disabled_endpoint_shows_the_reason() {
    for reason in DisabledReason::ALL {
        let endpoint = webhook::WebhookEndpoint { disabled: Some(reason), description: None, ..endpoint() };

        let shown: serde_json::Value =
            serde_json::from_slice(&to_bytes(&WebhookEndpointResponse::from(&endpoint))).unwrap();

        assert_eq!(shown["status"], "disabled");
        assert_eq!(shown["disabledReason"], reason.as_str());
        assert_eq!(shown.get("description"), None);
        assert_described("WebhookEndpoint", &shown);
    }
}

#[test]
fn a_list_has_a_cursor_even_if_it_is_empty() {
    let empty: ListResponse<'_, DocumentEmailResponse<'_>> = ListResponse::new(Vec::new(), false, "AQ");

    assert_eq!(to_bytes(&empty), br#"{"object":"list","data":[],"hasMore":false,"nextCursor":"AQ"}"#);
}
