use domain::{
    PaymentId,
    credential::{self, Scope},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{CheckoutTokenObject, Coded, Id, Timestamp};

/// New checkout token.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CheckoutToken")]
pub struct CheckoutTokenResponse<'a> {
    /// Type of the object.
    object: CheckoutTokenObject,
    /// Bearer token. No other response contains the token.
    token: &'a str,
    /// `pay` pays the payment, `organizer` also commands the split, `receipt` reads payment and document.
    scope: Coded<Scope>,
    /// Payment that the token opens.
    payment_id: Id<'a, PaymentId>,
    /// When the token expires.
    expires_at: Timestamp,
}

impl<'a> CheckoutTokenResponse<'a> {
    /// Returns the response for a stored token and its secret text.
    pub fn new(stored: &'a credential::CheckoutToken, token: &'a str) -> Self {
        Self {
            object: CheckoutTokenObject,
            token,
            scope: stored.scope.into(),
            payment_id: (&stored.payment).into(),
            expires_at: stored.expires_at.into(),
        }
    }
}
