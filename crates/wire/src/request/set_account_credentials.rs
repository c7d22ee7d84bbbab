//! `PUT /merchant_accounts/{merchantAccountId}/credentials`.

use domain::{Refusal, text::BoundedText};
use zeroize::Zeroizing;

use crate::{
    json::Json,
    read::{self, Value},
};

/// New credentials of an account. Like what is in it, it has no `Debug` and no `Clone`.
pub struct AccountCredentials {
    /// The provider, as sent: it has to be the account's.
    pub provider: BoundedText<1, 64>,
    /// One JSON object, in canonical bytes. What is in it only the provider's adapter knows.
    pub credentials: Zeroizing<Vec<u8>>,
}

/// A provider has this many secrets for a merchant at most.
const MAX_SECRETS: usize = 20;
/// Enough for a certificate with its chain.
const MAX_SECRET: usize = 8192;

/// The credentials in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field; nothing that was sent is repeated.
pub fn parse(body: &Json) -> Result<AccountCredentials, Refusal> {
    read::request(body, |it| {
        let provider = it.required("provider", read::line);
        let credentials = it.required("credentials", credentials);
        Some(AccountCredentials { provider: provider?, credentials: credentials? })
    })
}

fn credentials(value: Value<'_>) -> Option<Zeroizing<Vec<u8>>> {
    let secrets = value.map(MAX_SECRETS, secret)?;
    if secrets.is_empty() {
        return value.invalid("There must be at least one property.");
    }
    Some(value.canonical())
}

/// Checks a secret. Keys in PEM run over lines, so line breaks and tabs stand.
fn secret(key: &str, value: Value<'_>) -> Option<()> {
    const RULE: &str = "The value must be a string of 1 to 8192 characters, none of them a control character.";

    let stands = |symbol: char| matches!(symbol, '\t' | '\n' | '\r') || !symbol.is_control();
    let is_secret = |text: &str| (1..=MAX_SECRET).contains(&text.chars().count()) && text.chars().all(stands);
    let checked = value.parsed(|text| is_secret(text).then_some(()), RULE);
    if BoundedText::<1, 64>::parse(key).is_none() {
        return value.invalid("A key must be one line of 1 to 64 visible characters.");
    }
    checked
}
