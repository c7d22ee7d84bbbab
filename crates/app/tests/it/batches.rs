//! What cannot be done for one of a batch keeps nothing from the others.

use std::{collections::BTreeMap, sync::Arc};

use app::{Ports, announce_readiness, delete_unused_cards, probe_accounts};
use domain::{
    account::{Account, Provider},
    sale::SaleContext,
};
use mockall::predicate::eq;
use ports::{Committed, MockAccountProvider, MockSetupStore, MockStoredCards, Setup, StoredCard, Tenant, Unavailable};
use testkit::sample::{self, account_id, attempt_id, merchant_id, noon, stored_card, tenant};

use crate::support::Mocks;

/// Whose set-up cannot be read.
fn lost() -> Tenant {
    Tenant { merchant: merchant_id(9), ..tenant() }
}

/// The set-up of everybody else is that of the samples, of whose account something else was told.
fn merchants() -> Mocks {
    let mut mocks = Mocks::default();
    mocks.merchants.expect_setup().with(eq(lost())).returning(|_| Err(unavailable()));
    mocks.merchants.expect_setup().with(eq(tenant())).returning(|_| {
        let SaleContext { profile, accounts, issuer, .. } = sample::sale_context();
        let untold = |it| Account { notified: None, ..it };
        Ok(Setup {
            profile: Some(profile),
            accounts: accounts.into_iter().map(untold).collect(),
            issuer,
            ..Setup::default()
        })
    });
    mocks
}

fn unavailable() -> Unavailable {
    Unavailable { what: "the database", source: "it does not answer".into() }
}

#[tokio::test]
async fn an_account_that_cannot_be_looked_at_keeps_no_other_from_it() {
    let mut setup = MockSetupStore::new();
    setup.expect_claim_looks().return_once(|_, _, _| Ok(vec![(lost(), account_id(9)), (tenant(), account_id(1))]));
    setup.expect_tell().withf(|of, _| *of == tenant()).once().returning(|_, _| Ok(Committed::Done));
    let ports = Ports { setup: Arc::new(setup), ..merchants().into_ports() };

    let looked = announce_readiness(&ports, 10).await;

    assert!(looked.is_err(), "and whoever runs it hears of it");
}

#[tokio::test]
async fn an_account_that_cannot_be_asked_about_keeps_no_other_from_it() {
    let mut setup = MockSetupStore::new();
    setup.expect_claim_probes().return_once(|_, _, _| Ok(vec![(lost(), account_id(9)), (tenant(), account_id(1))]));
    let mut provider = MockAccountProvider::new();
    provider.expect_probe().with(eq(account_id(1))).once().returning(|_| None);
    let accounts = BTreeMap::from([(Provider::Simulator, Arc::new(provider) as _)]);
    let ports = Ports { setup: Arc::new(setup), accounts, ..merchants().into_ports() };

    let asked = probe_accounts(&ports, 10).await;

    assert!(asked.is_err(), "and whoever runs it hears of it");
}

/// Another deployment may have the provider of a card.
#[tokio::test]
async fn a_card_of_a_provider_that_is_not_wired_keeps_no_other_from_being_let_go_of() {
    let mut stored_cards = MockStoredCards::new();
    let due = vec![StoredCard { provider: Provider::Azul, ..stored_card(1) }, stored_card(2)];
    stored_cards.expect_claim().return_once(|_, _, _| Ok(due));
    stored_cards
        .expect_put_off()
        .withf(|_, it, until| *it == attempt_id(1) && *until > noon())
        .returning(|_, _, _| Ok(()));
    stored_cards.expect_remove().withf(|_, it| *it == attempt_id(2)).once().returning(|_, _| Ok(()));
    let mut mocks = Mocks::default();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::paid(1))));
    mocks.provider.expect_delete_token().once().returning(|_, _| true);
    let ports = Ports { stored_cards: Arc::new(stored_cards), ..mocks.into_ports() };

    assert_eq!(delete_unused_cards(&ports, 10).await.unwrap(), 2);
}
