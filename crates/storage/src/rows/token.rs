use domain::credential::CheckoutToken;

use super::row;
use crate::schema::checkout_tokens;

row! {
    /// One row of `checkout_tokens`.
    TokenRow in checkout_tokens by payment {
        digest: Vec<u8>,
        merchant: String,
        mode: String,
        payment: String,
        scope: String,
        expires_at: i64,
        (session: Option<String>, session_seen_at: Option<i64>) as session,
    }
    CheckoutToken { digest, merchant, mode, payment, scope, expires_at, session }
}
