//! A failure of one item in a batch does not stop the others.

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

/// The tenant with an unreadable set-up.
fn lost() -> Tenant {
    Tenant { merchant: merchant_id(9), ..tenant() }
}

/// All other tenants have the set-up of the samples, with an outdated announcement.
fn merchants() -> Mocks {
    let mut mocks = Mocks::default();
    mocks.merchants.expect_setup().with(eq(lost())).returning(|_| Err(unavailable()));
    mocks.merchants.expect_setup().with(eq(tenant())).returning(|_| {
        let SaleContext { profile, accounts, issuer, .. } = sample::sale_context();
        let failed_emails = |it| Account { notified: None, ..it };
        Ok(Setup {
            profile: Some(profile),
            accounts: accounts.into_iter().map(failed_emails).collect(),
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
async fn a_failed_readiness_check_does_not_stop_the_others() {
    let mut setup = MockSetupStore::new();
    setup.expect_claim_looks().return_once(|_, _, _| Ok(vec![(lost(), account_id(9)), (tenant(), account_id(1))]));
    setup.expect_record_readiness_change().withf(|of, _| *of == tenant()).once().returning(|_, _| Ok(Committed::Done));
    let ports = Ports { setup: Arc::new(setup), ..merchants().into_ports() };

    let looked = announce_readiness(&ports, 10).await;

    assert!(looked.is_err(), "the caller gets the error");
}

#[tokio::test]
async fn a_failed_probe_does_not_stop_the_others() {
    let mut setup = MockSetupStore::new();
    setup.expect_claim_probes().return_once(|_, _, _| Ok(vec![(lost(), account_id(9)), (tenant(), account_id(1))]));
    let mut provider = MockAccountProvider::new();
    provider.expect_probe().with(eq(account_id(1))).once().returning(|_| None);
    let accounts = BTreeMap::from([(Provider::Simulator, Arc::new(provider) as _)]);
    let ports = Ports { setup: Arc::new(setup), accounts, ..merchants().into_ports() };

    let result = probe_accounts(&ports, 10).await;

    assert!(result.is_err(), "the caller gets the error");
}

/// Another deployment may have the provider of a card.
#[tokio::test]
async fn a_card_of_an_unknown_provider_does_not_stop_other_deletions() {
    let mut stored_cards = MockStoredCards::new();
    let due = vec![StoredCard { provider: Provider::Azul, ..stored_card(1) }, stored_card(2)];
    stored_cards.expect_claim().return_once(|_, _, _| Ok(due));
    stored_cards
        .expect_reschedule()
        .withf(|_, it, until| *it == attempt_id(1) && *until > noon())
        .returning(|_, _, _| Ok(()));
    stored_cards.expect_remove().withf(|_, it| *it == attempt_id(2)).once().returning(|_, _| Ok(()));
    let mut mocks = Mocks::default();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::paid(1))));
    mocks.provider.expect_delete_token().once().returning(|_, _| true);
    let ports = Ports { stored_cards: Arc::new(stored_cards), ..mocks.into_ports() };

    assert_eq!(delete_unused_cards(&ports, 10).await.unwrap(), 2);
}
