//! A provider that cannot be reached is left alone for a while, and tried again.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use app::{Error, Ports, ProviderFailure, SubmitCard, submit_card};
use chrono::TimeDelta;
use domain::Card;
use ports::{CallOutcome, Committed, MockSaleStore, NotSubmitted, ProviderResponse};
use testkit::{memory::TestClock, sample};
use zeroize::Zeroizing;

use crate::support::{Mocks, keyed, payer, render};

fn command() -> SubmitCard {
    let text = |it: &str| Zeroizing::new(it.to_owned());
    let card = Card::new(text("4222220000000008"), text("123"), 12, 2030, None).unwrap();
    SubmitCard {
        payment: sample::payment_id(1).to_string(),
        instrument: card.into(),
        part_ordinal: None,
        expected_amount: None,
        browser: sample::browser(),
        challenge_base_url: "https://pay.example/c/".to_owned(),
    }
}

/// A provider that refuses each call without effect.
fn busy() -> Ports {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.sales = sales();
    mocks.provider.expect_charge().returning(|_| ProviderResponse {
        outcome: CallOutcome::NotSubmitted(NotSubmitted::Busy),
        reference: None,
        token: None,
    });
    mocks.into_ports()
}

/// A provider that is not there for the first `missing` calls, and then declines.
fn ports(missing: u32) -> Ports {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.sales = sales();
    let calls = AtomicU32::new(0);
    mocks.provider.expect_charge().returning(move |_| {
        let is_there = calls.fetch_add(1, Ordering::Relaxed) >= missing;
        let outcome =
            if is_there { CallOutcome::Ambiguous } else { CallOutcome::NotSubmitted(NotSubmitted::Unavailable) };
        ProviderResponse { outcome, reference: None, token: None }
    });
    mocks.into_ports()
}

fn sales() -> MockSaleStore {
    let mut sales = MockSaleStore::new();
    sales.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
    sales.expect_commit().returning(|_| Ok(Committed::Done));
    sales
}

async fn submit(ports: &Ports) -> Result<(), Error> {
    submit_card(ports, &payer(1), &keyed(), command(), &render).await.map(drop)
}

fn is_unavailable(submitted: &Result<(), Error>) -> bool {
    matches!(submitted, Err(Error::Provider(ProviderFailure::ProviderUnavailable)))
}

#[tokio::test]
async fn an_open_breaker_allows_no_commit_and_no_call() {
    let ports = ports(5);
    for _ in 0..5 {
        assert!(is_unavailable(&submit(&ports).await));
    }
    assert_eq!(ports.breakers.open(), 1);
    // From here on a commit or a call panics.
    let mut untouched = MockSaleStore::new();
    untouched.expect_find().returning(|_, _| Ok(Some(sample::sale(1))));
    let closed = Ports { sales: Arc::new(untouched), ..ports };

    assert!(is_unavailable(&submit(&closed).await));
}

#[tokio::test]
async fn after_its_pause_a_breaker_admits_one_trial_call() {
    let clock = Arc::new(TestClock::default());
    let ports = Ports { clock: clock.clone(), ..ports(6) };
    for _ in 0..5 {
        submit(&ports).await.unwrap_err();
    }
    clock.advance(TimeDelta::seconds(10));
    let tried = submit(&ports).await;
    let too_early = submit(&ports).await;
    clock.advance(TimeDelta::seconds(20));
    let again = submit(&ports).await;

    assert!(is_unavailable(&tried) && is_unavailable(&too_early));
    again.expect("the provider was reached");
}

#[tokio::test]
async fn another_account_is_not_concerned() {
    let ports = ports(5);
    for _ in 0..5 {
        submit(&ports).await.unwrap_err();
    }

    assert!(!ports.breakers.admits(&sample::account_id(1), sample::noon()));
    assert!(ports.breakers.admits(&sample::account_id(2), sample::noon()));
}

/// A provider that responds is reachable: its response to the next card may differ.
#[tokio::test]
async fn a_refusal_without_effect_does_not_open_the_breaker() {
    let ports = busy();

    for _ in 0..12 {
        assert!(is_unavailable(&submit(&ports).await));
        assert!(ports.breakers.admits(&sample::account_id(1), sample::noon()));
    }

    assert_eq!(ports.breakers.open(), 0);
}
