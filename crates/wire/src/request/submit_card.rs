//! `POST /payments/{paymentId}/card-submissions`: the one body that holds a card number.

use domain::{Card, Refusal, sale::AmountDraft, text::BoundedText};
use zeroize::Zeroizing;

use super::money;
use crate::{
    json::Json,
    read::{self, Object, Value},
};

/// How a payer pays, and which part. Like the card in it, it has no `Debug` and no `Clone`.
pub struct CardSubmission {
    /// What is charged.
    pub method: SubmittedMethod,
    /// The part of a split that it is for. Whether there is such a part is for the split to say.
    pub part_ordinal: Option<u8>,
    /// The amount that the client displayed.
    pub expected_amount: Option<AmountDraft>,
}

/// What a payer pays with.
pub enum SubmittedMethod {
    /// A card. Whether it has expired is for whoever has the clock to say.
    Card(Card),
    /// A wallet. Whether the checkout offers it is for the payment to say.
    Wallet(SubmittedWallet),
}

/// A wallet's word for a card.
pub struct SubmittedWallet {
    /// The published name of the wallet, as sent.
    pub kind: BoundedText<1, 64>,
    /// What the wallet gave the page: as good as a card, and treated as one.
    pub payload: Zeroizing<String>,
}

/// The submission in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field; nothing that was sent is repeated.
pub fn parse(body: &Json) -> Result<CardSubmission, Refusal> {
    read::request(body, |it| {
        let method = method(it);
        let part_ordinal = it.optional("partOrdinal", |value| value.integer_of(1..=255));
        let expected_amount = it.optional("expectedAmount", |value| money::amount(value, i64::MIN..=i64::MAX));
        Some(CardSubmission { method: method?, part_ordinal: part_ordinal?, expected_amount: expected_amount? })
    })
}

/// Exactly one of the two. Without a wallet it is the card that is missing.
fn method(object: &mut Object<'_>) -> Option<SubmittedMethod> {
    match (object.has("card"), object.has("wallet")) {
        (true, true) => object.invalid("wallet", "A submission has a card or a wallet, not both."),
        (false, true) => object.required("wallet", wallet).map(SubmittedMethod::Wallet),
        (_, false) => object.required("card", card).map(SubmittedMethod::Card),
    }
}

fn card(value: Value<'_>) -> Option<Card> {
    const NUMBER: &str = "The value must be a card number: 12 to 19 digits, of which the last checks the others.";
    const SECURITY_CODE: &str = "The value must be a string of 3 or 4 digits.";

    value.object(|it| {
        let number = it.required("number", |value| secret(value, Card::is_number, NUMBER));
        let expiration_month = it.required("expirationMonth", |value| value.integer_of(1..=12));
        let expiration_year = it.required("expirationYear", |value| value.integer_of(1000..=9999));
        let security_code = it.required("securityCode", |value| secret(value, Card::is_security_code, SECURITY_CODE));
        let holder_name = it.optional("holderName", |value| {
            let name: BoundedText<1, 128> = read::line(value)?;
            Some(Zeroizing::new(name.as_str().to_owned()))
        });
        Card::new(number?, security_code?, expiration_month?, expiration_year?, holder_name?)
    })
}

fn wallet(value: Value<'_>) -> Option<SubmittedWallet> {
    value.object(|it| {
        let kind = it.required("kind", read::line);
        let payload =
            it.required("payload", |value| secret(value, |text| !text.is_empty(), "The value must not be empty."));
        Some(SubmittedWallet { kind: kind?, payload: payload? })
    })
}

/// Text that is wiped when it is dropped.
fn secret(value: Value<'_>, is_right: impl FnOnce(&str) -> bool, rule: &str) -> Option<Zeroizing<String>> {
    value.parsed(|text| is_right(text).then(|| Zeroizing::new(text.to_owned())), rule)
}
