//! Contract of card providers. Every adapter runs the same facts, each with a new harness: see
//! [`provider_contract_tests`](crate::provider_contract_tests).
//!
//! The backend of every harness is the sandbox's acquirer: its cards decide the outcome of a charge.

pub mod charges;
pub mod holds;
pub mod lost_responses;
pub mod refunds;
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

/// An approved card.
pub const GOOD: &str = "4222220000000008";
/// Amount of every charge, in minor units.
pub const PRICE: i64 = 118_00;

/// A provider with a clock and a backend.
pub struct ProviderHarness {
    /// The provider.
    pub provider: Arc<dyn CardProvider>,
    /// The clock of both sides.
    pub clock: Arc<TestClock>,
    /// The backend.
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
    /// [`CardProvider::refund`], by a refund.
    Refund,
    /// [`CardProvider::reverse`], soon after the charge.
    Reverse,
    /// [`CardProvider::continue_authentication`], after the 3-D Secure method.
    Looked,
    /// [`CardProvider::continue_authentication`], after the challenge.
    Answered,
}

/// Returns the real position of the money, regardless of responses.
pub trait ProviderBackend: Send + Sync {
    /// Drops the next request before arrival.
    fn drop_next_request(&self);
    /// Drops the response to the next such call.
    fn lose_next_response(&self, to: ProviderCall);
    /// Result of the challenge `request` that the issuer sends through the browser.
    fn authentication_result(&self, request: &str, is_authenticated: bool) -> String;
    /// Refunds an amount of the charge of the `n`th attempt at the provider's portal, in minor units.
    fn return_at_portal(&self, n: u32, minor_units: i64);
    /// Amount captured and not returned, in minor units.
    fn captured(&self) -> i64;
    /// Reserved amount, in minor units.
    fn authorized(&self) -> i64;
}

impl ProviderHarness {
    /// Looks up the `n`th attempt.
    pub async fn look_up(&self, n: u32) -> LookUp {
        self.provider.look_up(attempt(n)).await
    }

    /// Captured and reserved amounts.
    pub fn money(&self) -> (i64, i64) {
        (self.backend.captured(), self.backend.authorized())
    }
}

/// The `n`th attempt to charge [`PRICE`] to the card.
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

/// Like [`charge`], with a browser for 3-D Secure.
pub fn charge_with_browser(n: u32, number: &str) -> Charge {
    let authentication = Some(Authentication { browser: browser(), returns: returns() });
    Charge { authentication, ..charge(n, number) }
}

/// The hold of the `n`th attempt, with the provider's reference.
pub fn held(n: u32, reference: Option<String>) -> Hold {
    Hold { attempt: attempt(n), reference, amount: Money::new(PRICE, Dop), itbis: Money::new(18_00, Dop) }
}

/// The `n`th attempt.
pub fn attempt(n: u32) -> AttemptRef {
    AttemptRef { account: account_id(1), attempt: attempt_id(n) }
}

/// Whether the look-up found a charge of [`PRICE`].
pub fn is_approved(found: &LookUp) -> bool {
    matches!(found, LookUp::Approved { amount, .. } if amount.minor_units() == PRICE)
}

/// Whether the look-up found a hold of [`PRICE`].
pub fn is_held(found: &LookUp) -> bool {
    matches!(found, LookUp::Held { amount, reference: Some(_) } if amount.minor_units() == PRICE)
}

/// Whether the look-up found a captured hold of [`PRICE`].
pub fn is_captured(found: &LookUp) -> bool {
    matches!(found, LookUp::Captured { amount, .. } if amount.minor_units() == PRICE)
}

fn secret(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.to_owned())
}
