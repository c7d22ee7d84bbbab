use domain::credential;
use serde::Serialize;

use super::Timestamp;

/// A new checkout token: the only answer that shows its text.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutTokenResponse<'a> {
    object: &'static str,
    token: &'a str,
    scope: &'static str,
    payment_id: &'a str,
    expires_at: Timestamp,
}

impl<'a> CheckoutTokenResponse<'a> {
    /// The token that is kept as `kept` and spelled `token`.
    pub fn new(kept: &'a credential::CheckoutToken, token: &'a str) -> Self {
        Self {
            object: "checkout_token",
            token,
            scope: kept.scope.as_str(),
            payment_id: kept.payment.as_str(),
            expires_at: kept.expires_at.into(),
        }
    }
}
