//! What the tests of the acquirer share: a till that charges cards.

use std::{path::Path, sync::Arc};

use domain::{Card, Currency::Dop, Money, payment::DeclineCode};
use ports::{AttemptRef, CallOutcome, CardProvider, Charge, Hold, LookUp, Opening, ProviderResponse};
use sandbox::{Acquirer, Faults};
use testkit::{
    memory::TestClock,
    sample::{account_id, attempt_id, payment_id},
};
use zeroize::Zeroizing;

/// An acquirer, and what moves it.
pub(crate) struct Till {
    pub(crate) acquirer: Acquirer,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) faults: Arc<Faults>,
}

impl Till {
    pub(crate) fn new() -> Self {
        let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
        Self { acquirer: Acquirer::in_memory(clock.clone(), faults.clone()), clock, faults }
    }

    pub(crate) fn with_journal(path: &Path) -> Self {
        let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
        Self { acquirer: Acquirer::open(path, clock.clone(), faults.clone()).unwrap(), clock, faults }
    }

    /// Charges 118.00 in the `n`th attempt.
    pub(crate) async fn charge(&self, n: u32, number: &str) -> ProviderResponse {
        self.acquirer.charge(charge(n, number, 118_00)).await
    }

    /// Reserves 118.00 in the `n`th attempt.
    pub(crate) async fn hold(&self, n: u32, number: &str) -> ProviderResponse {
        self.acquirer.hold(charge(n, number, 118_00)).await
    }

    pub(crate) async fn capture(&self, n: u32) -> ProviderResponse {
        self.acquirer.capture(held(n)).await
    }

    pub(crate) async fn void(&self, n: u32) -> ProviderResponse {
        self.acquirer.void(held(n)).await
    }

    pub(crate) async fn open(&self, n: u32, sale_reference: &str) -> ProviderResponse {
        self.acquirer.open(opening(n, sale_reference)).await
    }

    pub(crate) async fn look_up(&self, n: u32) -> LookUp {
        self.acquirer.look_up(attempt(n)).await
    }

    pub(crate) async fn reverse(&self, n: u32) -> ProviderResponse {
        self.acquirer.reverse(attempt(n)).await
    }

    /// What has arrived, the newest first.
    pub(crate) fn statuses(&self) -> Vec<&'static str> {
        self.acquirer.transactions().iter().map(|it| it.status).collect()
    }
}

pub(crate) fn charge(n: u32, number: &str, minor_units: i64) -> Charge {
    Charge {
        attempt: attempt(n),
        payment: payment_id(1),
        amount: Money::new(minor_units, Dop),
        itbis: Money::new(18_00, Dop),
        statement_descriptor: "LA ESQUINA".to_owned(),
        instrument: card(number, "987").into(),
        email: None,
        authentication: None,
        stores_card: false,
    }
}

/// What the `n`th attempt holds.
pub(crate) fn held(n: u32) -> Hold {
    let money = |minor_units| Money::new(minor_units, Dop);
    Hold { attempt: attempt(n), reference: None, amount: money(118_00), itbis: money(18_00) }
}

pub(crate) fn card(number: &str, security_code: &str) -> Card {
    let text = |it: &str| Zeroizing::new(it.to_owned());
    Card::new(text(number), text(security_code), 12, 2034, Some(text("Rosa Prueba"))).unwrap()
}

pub(crate) fn opening(n: u32, sale_reference: &str) -> Opening {
    Opening {
        attempt: attempt(n),
        payment: payment_id(1),
        sale_reference: sale_reference.to_owned(),
        amount: Money::new(118_00, Dop),
        itbis: Money::new(18_00, Dop),
    }
}

pub(crate) fn attempt(n: u32) -> AttemptRef {
    AttemptRef { account: account_id(1), attempt: attempt_id(n) }
}

/// Whether a look-up found 118.00.
pub(crate) fn is_approved(found: &LookUp) -> bool {
    matches!(found, LookUp::Approved { amount, reference: Some(_) } if *amount == Money::new(118_00, Dop))
}

#[track_caller]
pub(crate) fn assert_declined(answer: &ProviderResponse, code: DeclineCode) {
    assert_eq!(answer.outcome, CallOutcome::Declined(code));
    assert!(answer.reference.is_some());
}
