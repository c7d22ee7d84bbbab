//! What is sent about a payment.

use std::ops::RangeInclusive;

use domain::{credential::Scope, merchant::CheckoutMode};
use serde_json::{Value, json};

use super::{
    super::schema::{
        boolean, checkout_mode, choice, closed, currency, email, integer, line, list, matching, one_of, optional, page,
        prose, required, saying, with,
    },
    Named, document_request,
};
use crate::cancel_payment::CancellationReason;

pub(super) fn schemas() -> Vec<Named> {
    let mut schemas = vec![
        ("CreatePayment", create_payment()),
        ("SetVoluntaryTip", closed([required("amount", money(0..=i64::MAX))])),
        ("CancelPayment", closed([required("reason", choice(CancellationReason::ALL.iter().map(|it| it.as_str())))])),
        ("CreateCheckoutToken", create_checkout_token()),
    ];
    schemas.extend(card_submissions());
    schemas
}

pub(super) fn money(minor_units: RangeInclusive<i64>) -> Value {
    closed([
        required("currency", saying(currency(), "ISO 4217 alphabetic code.")),
        required("minorUnits", saying(integer(minor_units), "Minor units, base 10; never a fraction.")),
    ])
}

fn create_payment() -> Value {
    let reference = "The merchant's own business reference. It need not be unique.";
    let display = closed([required("mode", checkout_mode())]);
    let description =
        format!("Required where the checkout shows only the amount (mode {}).", CheckoutMode::AmountOnly.as_str());
    let metadata = json!({
        "type": "object",
        "maxProperties": 20,
        "propertyNames": line(1..=128),
        "additionalProperties": prose(),
    });
    closed([
        required("saleReference", saying(line(1..=128), reference)),
        required("amount", money(i64::MIN..=i64::MAX)),
        optional("returnUrl", saying(web_address(2048), "Where the payer may go afterwards. Omit for QR or POS.")),
        optional("serviceLabel", saying(line(0..=24), "Context, as of a table.")),
        optional("description", saying(line(1..=80), &description)),
        required("fiscalDocument", document()),
        optional("checkoutDisplay", display),
        optional("metadata", metadata),
    ])
}

fn document() -> Value {
    let kinds = with(list(document_request::kind()), [("minItems", json!(1)), ("uniqueItems", json!(true))]);
    let mode = "Whether the checkout is complete only once the document is issued.";
    closed([
        required("issuanceMode", saying(document_request::issuance_mode(), mode)),
        required("kind", document_request::kind()),
        required("merchantInvoiceNumber", line(1..=20)),
        required("merchantOrderNumber", document_request::order_number()),
        required("lines", document_request::lines()),
        optional("deliveryEmail", email_address(320)),
        optional("buyer", document_request::buyer()),
        optional("governmentEligibility", document_request::government()),
        optional("allowedKinds", saying(kinds, "What the payer may choose; every kind if left out.")),
        optional("isKindLocked", boolean()),
        optional("isBuyerLocked", boolean()),
    ])
}

/// An e-mail address in a domain of the public DNS.
pub(super) fn email_address(most: usize) -> Value {
    with(email(most), [("pattern", json!(r"^[^@\s]+@[^@\s]+\.[^@\s]+$"))])
}

fn web_address(most: usize) -> Value {
    with(
        page(),
        [
            ("maxLength", json!(most)),
            ("pattern", json!(r#"^https?://[^/?#:@\\\s<>"{}|^`][^/?#@\\\s<>"{}|^`]*([/?#][^\\\s<>"{}|^`]*)?$"#)),
        ],
    )
}

fn card_submissions() -> Vec<Named> {
    let card = closed([
        required("number", matching("^[0-9]{12,19}$")),
        required("expirationMonth", integer(1..=12)),
        required("expirationYear", saying(integer(1000..=9999), "A card of which the month is past is refused.")),
        required("securityCode", matching("^[0-9]{3,4}$")),
        optional("holderName", line(1..=128)),
    ]);
    let wallet = closed([
        required("kind", saying(line(1..=64), "One of the payment's checkoutDisplay.wallets.")),
        required("payload", saying(json!({"type": "string", "minLength": 1}), "As the wallet gave it to the page.")),
    ]);
    let part = || optional("partOrdinal", saying(integer(1..=255), "The part that is paid, if the sale is split."));
    let expected = "The amount that the payer was shown: the payment's totalAmount, or the amount of the part. If it is \
                    another by now, the answer is precondition_failed, and nothing is submitted.";
    let amount = || optional("expectedAmount", saying(money(i64::MIN..=i64::MAX), expected));
    let note = "An idempotency key does not compare it: another card needs another key.";
    vec![
        ("SubmitCard", one_of(&["CardSubmission", "WalletSubmission"])),
        ("CardSubmission", closed([required("card", saying(card, note)), part(), amount()])),
        ("WalletSubmission", closed([required("wallet", wallet), part(), amount()])),
    ]
}

fn create_checkout_token() -> Value {
    let purposes = [Scope::Pay, Scope::Receipt];
    closed([
        required("checkoutReference", json!({"type": "string", "maxLength": 256})),
        required("purpose", choice(purposes.iter().map(|it| it.as_str()))),
    ])
}
