use actix_web::http::header::HeaderValue;
use app::CheckoutSession;
use chrono::{DateTime, Utc};
use domain::PaymentId;

use crate::{base_url::PublicBaseUrl, config::Checkout, language::Language};

/// Cookie with the language that the payer has chosen.
pub(crate) const LANGUAGE_COOKIE: &str = "checkout_language";

const YEAR: i64 = 365 * 24 * 3600;

/// Name of a payment's session cookie: a browser can have sessions of several payments.
pub(crate) fn session_cookie_name(base_url: &PublicBaseUrl, payment: &PaymentId) -> String {
    let prefix = if base_url.is_secure() { "__Secure-" } else { "" };
    let symbols = payment.as_str().strip_prefix(PaymentId::PREFIX).unwrap_or_default();
    format!("{prefix}checkout_{symbols}")
}

pub(crate) fn session_cookie(checkout: &Checkout, session: &CheckoutSession) -> Option<HeaderValue> {
    token_cookie(checkout, &session.sale.payment.facts.id, &session.token, session.expires_at)
}

pub(crate) fn token_cookie(
    checkout: &Checkout,
    payment: &PaymentId,
    token: &str,
    expires_at: DateTime<Utc>,
) -> Option<HeaderValue> {
    let name = session_cookie_name(&checkout.base_url, payment);
    let life = expires_at.signed_duration_since(checkout.ports.clock.now()).num_seconds();
    cookie(&checkout.base_url, "/p", (&name, token), life)
}

pub(crate) fn language_cookie(base_url: &PublicBaseUrl, language: Language) -> Option<HeaderValue> {
    cookie(base_url, "/", (LANGUAGE_COOKIE, language.texts().tag), YEAR)
}

/// `SameSite=Lax`, so that the browser sends the cookie after the redirect from the issuer's form. `Strict` would lose it.
fn cookie(base_url: &PublicBaseUrl, path: &str, (name, value): (&str, &str), seconds: i64) -> Option<HeaderValue> {
    let (path, secure) = (base_url.path(path), if base_url.is_secure() { "; Secure" } else { "" });
    let text = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).ok()
}
