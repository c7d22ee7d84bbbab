//! Checkout: tokens and sessions that open one payment.

mod session;
mod token;

pub use session::{
    CheckoutAccess, CheckoutSession, find_by_link, find_by_receipt, form_key, note_action, note_visit,
    open_checkout_session, renew_checkout_session, start_checkout_session,
};
pub(crate) use token::check_retention;
pub use token::{CreateCheckoutToken, CreatedToken, TokenPurpose, create_checkout_token};
