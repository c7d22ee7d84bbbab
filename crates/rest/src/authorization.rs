use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use app::Authentication;

/// The credential that was sent: one header, of the Bearer scheme, with one token (RFC 6750, 2.1).
pub(crate) fn credential(headers: &HeaderMap) -> Result<&str, Authentication> {
    let mut values = headers.get_all(AUTHORIZATION);
    let value = match (values.next(), values.next()) {
        (None, _) => return Err(Authentication::ApiKeyMissing),
        (Some(value), None) => value,
        // Whoever reads the first and whoever reads the last would see two different callers.
        (Some(_), Some(_)) => return Err(Authentication::ApiKeyInvalid),
    };
    let text = value.to_str().map_err(|_| Authentication::ApiKeyInvalid)?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(Authentication::ApiKeyMissing);
    }
    if token.contains(|it: char| it.is_whitespace() || it == ',') {
        return Err(Authentication::ApiKeyInvalid);
    }
    Ok(token)
}
