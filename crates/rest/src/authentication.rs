use actix_web::{
    dev::RequestHead,
    http::header::{AUTHORIZATION, HeaderMap},
};
use app::{Authentication, Caller};

use crate::{problem::Problem, state::State};

/// Authenticates the sender of a request for `operation`. Addresses that sent too many invalid credentials are refused.
pub(crate) async fn authenticate(state: &State, head: &RequestHead, operation: &str) -> Result<Caller, Problem> {
    let address = state.proxies.client(head);
    state.limits.admit(address, operation)?;
    let authenticated = match credential(head.headers()) {
        Ok(credential) => app::authenticate(&state.ports, credential).await,
        Err(code) => Err(code.into()),
    };
    Ok(authenticated.inspect_err(|error| state.limits.record_failure(address, error))?)
}

/// Returns the credential: one `Authorization` header with the Bearer scheme and one token (RFC 6750, 2.1).
fn credential(headers: &HeaderMap) -> Result<&str, Authentication> {
    let mut values = headers.get_all(AUTHORIZATION);
    let value = match (values.next(), values.next()) {
        (None, _) => return Err(Authentication::ApiKeyMissing),
        (Some(value), None) => value,
        // A proxy that reads the first header and a server that reads the last would see two different callers.
        (Some(_), Some(_)) => return Err(Authentication::ApiKeyInvalid),
    };
    let text = value.to_str().map_err(|_| Authentication::ApiKeyInvalid)?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(Authentication::ApiKeyMissing);
    }
    if token.contains(|symbol: char| symbol.is_whitespace() || symbol == ',') {
        return Err(Authentication::ApiKeyInvalid);
    }
    Ok(token)
}
