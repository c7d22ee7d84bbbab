use domain::Mode;

use crate::{Authentication, Caller, Error, Ports};

/// Prefixes of API keys, in test and in live mode.
const KEY_PREFIXES: [(&str, Mode); 2] = [("gk_test_", Mode::Test), ("gk_live_", Mode::Live)];
/// Prefixes of checkout tokens.
const TOKEN_PREFIXES: [&str; 2] = ["ct_test_", "ct_live_"];
/// Symbols of an API key and of its check sum.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Number of random symbols of an API key, before its check sum.
const KEY_SYMBOLS: usize = 43;
/// Number of symbols of the check sum: CRC-32 of the symbols before.
const CHECK_SYMBOLS: usize = 6;

/// Returns the caller of a credential.
///
/// Credentials are stored as SHA-256 digests: they are random enough to need no slow hash.
pub async fn authenticate(ports: &Ports, credential: &str) -> Result<Caller, Error> {
    let Ports { credentials, vault, clock, .. } = ports;

    let is_token = TOKEN_PREFIXES.iter().any(|it| credential.starts_with(it));
    if is_token {
        let digest = vault.digest(credential.as_bytes());
        let token = credentials.find_token(&digest).await?.ok_or(Authentication::CheckoutTokenInvalid)?;
        if !token.is_valid(clock.now()) {
            return Err(Authentication::CheckoutTokenExpired.into());
        }
        return Ok(Caller::Holder(token));
    }

    if !has_key_form(credential) {
        return Err(Authentication::ApiKeyInvalid.into());
    }
    let digest = vault.digest(credential.as_bytes());
    let known = credentials.find_key(&digest).await?.filter(|it| it.key.is_valid(clock.now()));
    let known = known.ok_or(Authentication::ApiKeyInvalid)?;
    Ok(Caller::Merchant { key: known.key, is_live_enabled: known.is_live_enabled })
}

/// Whether `text` has the form of an API key, with a right check sum. Typing errors are refused without a query.
fn has_key_form(text: &str) -> bool {
    let Some(symbols) = KEY_PREFIXES.iter().find_map(|(prefix, _)| text.strip_prefix(prefix)) else { return false };
    symbols.len() == KEY_SYMBOLS + CHECK_SYMBOLS
        && symbols.bytes().all(|it| BASE62.contains(&it))
        && text.split_at_checked(text.len() - CHECK_SYMBOLS).is_some_and(|(body, sum)| check_sum(body) == sum)
}

/// Returns the text of an API key for `mode`, from 43 or more random bytes.
pub(crate) fn spell_key(mode: Mode, chance: &[u8]) -> String {
    let mut text = String::from(match mode {
        Mode::Test => KEY_PREFIXES[0].0,
        Mode::Live => KEY_PREFIXES[1].0,
    });
    text.extend(chance.iter().take(KEY_SYMBOLS).map(|&it| char::from(BASE62[usize::from(it) % BASE62.len()])));
    text.push_str(&check_sum(&text));
    text
}

/// CRC-32 in base 62, zero-padded to six symbols.
fn check_sum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes()) as usize;
    let mut symbols = [b'0'; CHECK_SYMBOLS];
    for symbol in symbols.iter_mut().rev() {
        *symbol = BASE62[rest % BASE62.len()];
        rest /= BASE62.len();
    }
    symbols.iter().map(|&it| char::from(it)).collect()
}
