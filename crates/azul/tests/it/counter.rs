//! Sample accounts and charges.

use std::sync::Arc;

use async_trait::async_trait;
use azul::{AccountUnavailable, AzulAccount, AzulAccounts};
use domain::{Card, Currency::Dop, MerchantAccountId, Mode, Money, text::Email};
use ports::{AttemptRef, Charge, Hold};
use testkit::sample::{account_id, attempt_id, payment_id};
use zeroize::Zeroizing;

/// Returns one account, or an error.
pub(crate) struct OneAccount(pub(crate) Result<Arc<AzulAccount>, AccountUnavailable>);

#[async_trait]
impl AzulAccounts for OneAccount {
    async fn account(&self, _of: &MerchantAccountId) -> Result<Arc<AzulAccount>, AccountUnavailable> {
        self.0.clone()
    }
}

pub(crate) fn account(identity: &[u8]) -> AzulAccount {
    let secret = |text: &str| Zeroizing::new(text.to_owned());
    AzulAccount {
        version: 1,
        mode: Mode::Test,
        store: "39000000001".to_owned(),
        channel: "EC".to_owned(),
        auth1: secret("first-secret"),
        auth2: secret("second-secret"),
        identity: Zeroizing::new(identity.to_vec()),
        has_3ds: true,
        has_vault: true,
        takes_one_refund: false,
        phone: "8095550100".to_owned(),
        shop: "https://shop.example".to_owned(),
    }
}

/// Charge of 118.00 in the `n`th attempt.
pub(crate) fn charge(n: u32, number: &str) -> Charge {
    let text = |it: &str| Zeroizing::new(it.to_owned());
    Charge {
        attempt: attempt(n),
        payment: payment_id(1),
        amount: Money::new(118_00, Dop),
        itbis: Money::new(18_00, Dop),
        statement_descriptor: "LA ESQUINA".to_owned(),
        instrument: Card::new(text(number), text("987"), 12, 2034, Some(text("Rosa Prueba"))).unwrap().into(),
        email: Email::parse("rosa@example.com"),
        authentication: None,
        stores_card: false,
    }
}

/// Hold of the `n`th attempt.
pub(crate) fn held(n: u32, reference: Option<&str>) -> Hold {
    let money = |minor_units| Money::new(minor_units, Dop);
    let reference = reference.map(str::to_owned);
    Hold { attempt: attempt(n), reference, amount: money(118_00), itbis: money(18_00) }
}

pub(crate) fn attempt(n: u32) -> AttemptRef {
    AttemptRef { account: account_id(1), attempt: attempt_id(n) }
}
