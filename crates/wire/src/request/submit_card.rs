//! `POST /payments/{paymentId}/card-submissions`: the one body with a card number.

use domain::{Card, Refusal, sale::AmountDraft, text::BoundedText};
use serde_json::json;
use zeroize::Zeroizing;

use super::money;
use crate::{
    json::Json,
    read::{self, Object, Reader, Value, read_fields},
    schema,
};

/// Card or wallet, and the part to pay. Without `Debug` and `Clone`, like the card.
pub struct CardSubmission {
    /// Payment method to charge.
    pub method: SubmittedMethod,
    /// Part of a split to pay. The split checks the ordinal.
    pub part_ordinal: Option<u8>,
    /// Amount that the client displayed.
    pub expected_amount: Option<AmountDraft>,
}

/// Payment method of a submission.
pub enum SubmittedMethod {
    /// Card. The use case checks the expiry.
    Card(Card),
    /// Wallet. The payment checks that the checkout offers this kind.
    Wallet(SubmittedWallet),
}

/// Token of a wallet in place of a card.
pub struct SubmittedWallet {
    /// Published name of the wallet, as sent.
    pub kind: BoundedText<1, 64>,
    /// Token from the wallet. As secret as a card.
    pub payload: Zeroizing<String>,
}

/// Parses the submission. No message repeats what was sent.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<CardSubmission, Refusal> {
    read::request(body, fields)
}

/// Reads a card or a wallet. If both are absent, the card is reported as missing.
pub(crate) fn fields(body: &mut Object<'_>) -> Option<CardSubmission> {
    let variants: [(_, Reader<CardSubmission>); 2] =
        [("CardSubmission", card_submission), ("WalletSubmission", wallet_submission)];
    body.one_of(variants, |body| usize::from(!body.has("card") && body.has("wallet")))
}

fn card_submission(body: &mut Object<'_>) -> Option<CardSubmission> {
    let card = match body.has("wallet") {
        true => body.invalid("wallet", "A submission has a card or a wallet, not both."),
        false => body.required(
            "card",
            "The payer's card. Idempotency keys do not compare it: another card needs another key.",
            card,
        ),
    };
    submission(body, card.map(SubmittedMethod::Card))
}

fn wallet_submission(body: &mut Object<'_>) -> Option<CardSubmission> {
    let wallet = body.required("wallet", "The payer's wallet.", wallet);
    submission(body, wallet.map(SubmittedMethod::Wallet))
}

fn submission(body: &mut Object<'_>, method: Option<SubmittedMethod>) -> Option<CardSubmission> {
    let part_ordinal = body.optional(
        "partOrdinal",
        "Ordinal of the part that is paid, counted from 1. Required if the payment is split.",
        |value| value.integer_of(1..=255),
    );
    let expected_amount = body.optional(
        "expectedAmount",
        "Amount that the payer was shown: the payment's `totalAmount`, or the amount of the part. If it has changed, \
             the submission is refused with `precondition_failed`.",
        |value| money::amount(value, i64::MIN..=i64::MAX),
    );
    Some(CardSubmission { method: method?, part_ordinal: part_ordinal?, expected_amount: expected_amount? })
}

fn card(value: Value<'_>) -> Option<Card> {
    const NUMBER: &str = "The value must be a card number: 12 to 19 digits, of which the last checks the others.";
    const SECURITY_CODE: &str = "The value must be a string of 3 or 4 digits.";

    value.object(|card| {
        let number = card.required("number", "Card number: 12 to 19 digits, with its check digit.", |value| {
            secret(value, || schema::digits(12..=19), Card::is_number, NUMBER)
        });
        let expiration_month =
            card.required("expirationMonth", "Month of expiry, 1 to 12.", |value| value.integer_of(1..=12));
        let expiration_year =
            card.required("expirationYear", "Year of expiry, in four digits. An expired card is refused.", |value| {
                value.integer_of(1000..=9999)
            });
        let security_code = card.required("securityCode", "Security code (CVV): 3 or 4 digits.", |value| {
            secret(value, || schema::digits(3..=4), Card::is_security_code, SECURITY_CODE)
        });
        let holder_name = card.optional("holderName", "Name of the cardholder.", |value| {
            let name: BoundedText<1, 128> = read::line(value)?;
            Some(Zeroizing::new(name.as_str().to_owned()))
        });
        Card::new(number?, security_code?, expiration_month?, expiration_year?, holder_name?)
    })
}

fn wallet(value: Value<'_>) -> Option<SubmittedWallet> {
    value.object(|wallet| {
        let schema = || json!({"type": "string", "minLength": 1});
        read_fields!(wallet => SubmittedWallet {
            /// One of the payment's `checkoutDisplay.wallets`.
            kind: required("kind", read::line),
            /// Token as the wallet returned it to the page.
            payload: required("payload", |value| {
                secret(value, schema, |text| !text.is_empty(), "The value must not be empty.")
            }),
        })
    })
}

/// Reads text into memory that is wiped when dropped.
fn secret(
    value: Value<'_>,
    schema: impl FnOnce() -> serde_json::Value,
    is_valid: impl FnOnce(&str) -> bool,
    rule: &str,
) -> Option<Zeroizing<String>> {
    value.parsed(schema, |text| is_valid(text).then(|| Zeroizing::new(text.to_owned())), rule)
}
