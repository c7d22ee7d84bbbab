//! What card providers promise. Every adapter runs the same facts, each at a counter of its own: see
//! [`provider_contract_tests`](crate::provider_contract_tests).
//!
//! Behind every counter stands the sandbox's acquirer, in whatever way it is reached: its cards say
//! what becomes of a charge.

pub mod charges;
pub mod holds;
pub mod lost_responses;
pub mod reversals;
pub mod stored_cards;
pub mod three_ds;

mod tests;

use std::sync::Arc;

use domain::{Card, Currency::Dop, Money};
use ports::{AttemptRef, Authentication, CardProvider, Charge, Hold, LookUp};
use zeroize::Zeroizing;

use crate::{
    memory::TestClock,
    sample::{account_id, attempt_id, browser, payment_id, returns},
};

/// The card that is approved.
pub const GOOD: &str = "4222220000000008";
/// What every charge is about, in minor units.
pub const PRICE: i64 = 118_00;

/// A provider, its time, and what stands behind it.
pub struct ProviderHarness {
    /// The provider.
    pub provider: Arc<dyn CardProvider>,
    /// The time at both ends.
    pub clock: Arc<TestClock>,
    /// What stands behind it.
    pub backend: Box<dyn ProviderBackend>,
}

/// A call that moves money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderCall {
    /// [`CardProvider::charge`].
    Charge,
    /// [`CardProvider::hold`].
    Hold,
    /// [`CardProvider::capture`].
    Capture,
    /// [`CardProvider::void`].
    Void,
    /// [`CardProvider::reverse`], soon after the charge.
    Reverse,
    /// [`CardProvider::continue_authentication`], after the browser was looked at.
    Looked,
    /// The same, after the cardholder has answered.
    Answered,
}

/// What knows where the money is, whatever anybody was told.
pub trait ProviderBackend: Send + Sync {
    /// Lets the next call not arrive.
    fn drop_next_request(&self);
    /// Lets the next such call take effect and not be answered.
    fn lose_next_response(&self, to: ProviderCall);
    /// What the issuer lets a browser bring back once the cardholder has answered `request`.
    fn authentication_result(&self, request: &str, is_authenticated: bool) -> String;
    /// What was taken and not given back, in minor units.
    fn captured(&self) -> i64;
    /// What is reserved, in minor units.
    fn authorized(&self) -> i64;
}

impl ProviderHarness {
    /// What is known of the `n`th attempt.
    pub async fn look_up(&self, n: u32) -> LookUp {
        self.provider.look_up(attempt(n)).await
    }

    /// What was taken, and what is reserved.
    pub fn money(&self) -> (i64, i64) {
        (self.backend.captured(), self.backend.authorized())
    }
}

/// The `n`th attempt to take [`PRICE`] from that card.
pub fn charge(n: u32, number: &str) -> Charge {
    let card = Card::new(secret(number), secret("987"), 12, 2034, Some(secret("Rosa Prueba")));
    Charge {
        attempt: attempt(n),
        payment: payment_id(1),
        amount: Money::new(PRICE, Dop),
        itbis: Money::new(18_00, Dop),
        statement_descriptor: "LA ESQUINA".to_owned(),
        instrument: card.expect("a number with its check digit").into(),
        email: None,
        authentication: None,
        stores_card: false,
    }
}

/// The same, with a payer whose browser can be sent to an issuer.
pub fn charge_with_browser(n: u32, number: &str) -> Charge {
    let authentication = Some(Authentication { browser: browser(), returns: returns() });
    Charge { authentication, ..charge(n, number) }
}

/// What the `n`th attempt holds, under the name that the provider gave it.
pub fn held(n: u32, reference: Option<String>) -> Hold {
    Hold { attempt: attempt(n), reference, amount: Money::new(PRICE, Dop), itbis: Money::new(18_00, Dop) }
}

/// The `n`th attempt.
pub fn attempt(n: u32) -> AttemptRef {
    AttemptRef { account: account_id(1), attempt: attempt_id(n) }
}

/// Whether it was found that [`PRICE`] was taken at once.
pub fn is_approved(found: &LookUp) -> bool {
    matches!(found, LookUp::Approved { amount, .. } if amount.minor_units() == PRICE)
}

/// Whether it was found that [`PRICE`] is reserved.
pub fn is_held(found: &LookUp) -> bool {
    matches!(found, LookUp::Held { amount, reference: Some(_) } if amount.minor_units() == PRICE)
}

/// Whether it was found that [`PRICE`] was reserved and taken.
pub fn is_captured(found: &LookUp) -> bool {
    matches!(found, LookUp::Captured { amount, .. } if amount.minor_units() == PRICE)
}

/// A text that is wiped when it is dropped.
fn secret(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.to_owned())
}
