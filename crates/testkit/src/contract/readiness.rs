//! Events about accounts.

use std::slice;

use chrono::TimeDelta;
use domain::{
    EventId, MerchantAccountId,
    account::{Account, Probe, ProbeVerdict, Readiness, ReadinessChange},
    event::EventRecord,
    fiscal::IssuerState,
};
use ports::{Change, EventFilter, Page, RegistryError, SetupChange, SetupCommit};

use super::{
    Stores, count_done, done, stale,
    webhooks::{claim, register},
};
use crate::sample::{self, account_id, noon, tenant};

/// A change found concurrently creates one event, for each interested endpoint.
pub async fn a_change_of_readiness_creates_one_event(stores: &Stores) {
    let account = looked_at(stores).await;
    let tell = |stores: Stores, n| {
        let change = lacking_all(&account, n);
        async move { stores.setup.record_readiness_change(&tenant(), &change).await }
    };
    let commits = stores.concurrently(8, tell).await;

    assert_eq!(count_done(commits), 1);
    let events = events_of(stores).await;
    let [event] = &events[..] else { panic!("{events:?}") };
    let change = lacking_all(&account, 1);
    let expected = EventRecord { id: event.id.clone(), ..change.event.expect("an earlier event") };
    assert_eq!(*event, expected);
    let found = stores.events.find(&tenant(), &event.id).await.expect("the store answers");
    assert_eq!(found, Some(expected));
    let claimed: Vec<_> = claim(stores, noon()).await.into_iter().map(|it| it.event).collect();
    assert_eq!(claimed, slice::from_ref(&event.id));
    assert_eq!(present(stores).await.notified, change.account.notified);
}

/// A commit that changes the readiness of an account stores the event; a refused commit does not.
pub async fn a_readiness_change_and_its_event_are_one_commit(stores: &Stores) {
    let account = looked_at(stores).await;
    let profile = |n: u32, based_on| {
        let to = sample::profile();
        let change = SetupChange::Profile(Box::new(Change { to, based_on, lease_until: None }));
        SetupCommit { readiness: vec![lacking_all(&account, n)], ..sample::setup(n, change) }
    };
    stale(stores.setup.commit(profile(1, Some(9))).await);
    assert_eq!(events_of(stores).await, []);
    done(stores.setup.commit(profile(2, Some(1))).await, "it is the version that was read");
    assert_eq!(events_of(stores).await.len(), 1);

    let lacking = present(stores).await;
    let credentials = |n: u32| {
        let change = sample::new_credentials(1, &[1]);
        SetupCommit { readiness: vec![lacking_nothing(&lacking, n)], ..sample::setup(n, change) }
    };
    done(stores.setup.commit(credentials(3)).await, "it is the count that was read");
    stale(stores.setup.commit(credentials(4)).await);
    assert_eq!(events_of(stores).await.len(), 2);

    let account = present(stores).await;
    assert_eq!(account.credential_version, 2);
    let (next, change) = (account.clone().with_new_credentials(), lacking_all(&account, 5));
    stores.registry.set_credentials(&next, vec![1], Some(&change), noon()).await.expect("it is the next count");
    let again = stores.registry.set_credentials(&next, vec![1], Some(&change), noon()).await;
    assert!(matches!(again, Err(RegistryError::Moved)), "{again:?}");
    assert_eq!(events_of(stores).await.len(), 3);
}

/// A provider's finding and the resulting event are stored together.
pub async fn a_providers_finding_and_its_event_are_stored_together(stores: &Stores) {
    let account = looked_at(stores).await;
    let probe = Probe { certificate_until: None, skew: None, ..sample::probe(1) };
    let found = (&probe, noon() + TimeDelta::minutes(15));
    let change = lacking_all(&account, 1);

    done(stores.setup.store_probe(&tenant(), &account, found, Some(&change)).await, "no event was written since");
    let other = Probe { verdict: ProbeVerdict::Accepted, ..probe };
    stale(stores.setup.store_probe(&tenant(), &account, (&other, noon()), Some(&change)).await);

    let account = present(stores).await;
    assert_eq!((account.probe, account.notified), (Some(probe), change.account.notified));
    assert_eq!(events_of(stores).await.len(), 1);
}

/// An account is claimed once, again after a while, and at once after an operator's change.
pub async fn an_account_is_looked_at_by_one(stores: &Stores) {
    let claimed = stores.concurrently(8, |stores, _| async move { due(&stores, 0).await }).await;

    assert_eq!(claimed.concat(), [account_id(1)]);
    assert_eq!(due(stores, 4).await, []);
    assert_eq!(due(stores, 5).await, [account_id(1)]);
    stores.registry.add_certificate(sample::stored_certificate(2)).await.expect("a new certificate");
    assert_eq!(due(stores, 6).await, [account_id(1)]);
}

/// Events of an account are listed with those of its payments.
pub async fn events_of_an_account_are_listed_by_account(stores: &Stores) {
    let account = looked_at(stores).await;
    done(
        stores.setup.record_readiness_change(&tenant(), &lacking_all(&account, 1)).await,
        "no event was written since",
    );

    for (accounts, many) in [(vec![account_id(1)], 1), (vec![account_id(9)], 0)] {
        let filter = EventFilter { accounts, ..EventFilter::default() };
        let events = stores.events.search(&tenant(), &filter, &Page { after: None, limit: 9 }).await;
        assert_eq!(events.expect("the store answers").len(), many);
    }
}

/// The account of a merchant with an endpoint for all events, after the first check, which creates no event.
async fn looked_at(stores: &Stores) -> Account {
    register(stores, 1, &["*"]).await;
    let change = lacking_nothing(&present(stores).await, 1);
    assert_eq!(change.event, None);
    done(stores.setup.record_readiness_change(&tenant(), &change).await, "no event was written before");
    assert_eq!(events_of(stores).await, []);
    present(stores).await
}

async fn present(stores: &Stores) -> Account {
    stores.merchants.setup(&tenant()).await.expect("the store answers").accounts.remove(0)
}

fn lacking_nothing(account: &Account, n: u32) -> ReadinessChange {
    let context = sample::sale_context();
    let readiness = Readiness::assess(account, Some(&context.profile), &context.issuer, noon());
    change(account, &readiness, n)
}

fn lacking_all(account: &Account, n: u32) -> ReadinessChange {
    change(account, &Readiness::assess(account, None, &IssuerState::default(), noon()), n)
}

fn change(account: &Account, readiness: &Readiness, n: u32) -> ReadinessChange {
    let event = || EventId::new(&sample::symbols(500 + n));
    account.readiness_change(readiness, event, Some(&sample::request_id(1)), noon()).expect("it is another")
}

/// Events, newest first.
async fn events_of(stores: &Stores) -> Vec<EventRecord> {
    let page = Page { after: None, limit: 20 };
    stores.events.search(&tenant(), &EventFilter::default(), &page).await.expect("the store answers")
}

/// Claims the accounts due so many minutes after noon, with a lease of five minutes.
async fn due(stores: &Stores, minutes: i64) -> Vec<MerchantAccountId> {
    let now = noon() + TimeDelta::minutes(minutes);
    let claimed = stores.setup.claim_looks(now, now + TimeDelta::minutes(5), 9).await;
    claimed.expect("the store answers").into_iter().map(|(_, account)| account).collect()
}
