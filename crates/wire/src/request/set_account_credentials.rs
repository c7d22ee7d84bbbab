//! `PUT /merchant_accounts/{merchantAccountId}/credentials`.

use domain::{Refusal, text::BoundedText};
use serde_json::json;
use zeroize::Zeroizing;

use super::create_merchant_account::PROVIDER;
use crate::{
    json::Json,
    read::{self, Object, Value, read_fields},
    schema,
};

/// New credentials of an account. Without `Debug` and `Clone`, because they are secret.
pub struct AccountCredentials {
    /// Code of the provider, as sent. Must equal the account's.
    pub provider: BoundedText<1, 64>,
    /// One JSON object, in canonical bytes. The adapter of the provider reads the keys.
    pub credentials: Zeroizing<Vec<u8>>,
}

/// Maximum number of secrets of an account.
const MAX_SECRETS: usize = 20;
/// Maximum length of a secret: enough for a certificate chain.
const MAX_SECRET: usize = 8192;

/// Parses the credentials. No message repeats them.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<AccountCredentials, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<AccountCredentials> {
    read_fields!(body => AccountCredentials {
        provider: required("provider", PROVIDER, read::line),
        /// Secrets as the provider issued them. They are stored encrypted and never returned. An account that sells or
        /// has sold keeps its store at the provider: credentials of another store are refused and need a new account.
        credentials: required("credentials", credentials),
    })
}

fn credentials(value: Value<'_>) -> Option<Zeroizing<Vec<u8>>> {
    value.map::<64, _>(1..=MAX_SECRETS, |_, value| secret(value))?;
    value.canonical()
}

/// Checks a secret. Keys in PEM have several lines, so line breaks and tabs are accepted.
fn secret(value: Value<'_>) -> Option<()> {
    const PATTERN: &str = r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$";

    let is_allowed = |symbol: char| matches!(symbol, '\t' | '\n' | '\r') || !symbol.is_control();
    let is_secret = |text: &str| (1..=MAX_SECRET).contains(&text.chars().count()) && text.chars().all(is_allowed);
    value.parsed(
        || schema::with(schema::text(1..=MAX_SECRET), [("pattern", json!(PATTERN))]),
        |text| is_secret(text).then_some(()),
        format_args!("The value must be a string of 1 to {MAX_SECRET} characters, none of them a control character."),
    )
}
