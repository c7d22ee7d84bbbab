//! What is told of accounts.

use std::slice;

use chrono::TimeDelta;
use domain::{
    EventId, MerchantAccountId,
    account::{Account, Probe, ProbeVerdict, Readiness, ReadinessChange},
    event::EventRecord,
    fiscal::IssuerState,
};
use ports::{Change, ClaimLimits, Committed, EventFilter, Page, RegistryError, SetupChange, SetupCommit, WebhookClaim};

use super::{Stores, done};
use crate::sample::{self, account_id, noon, tenant};

/// A change is told once, however many find it at once, and sets out for whoever wants to hear of it.
pub async fn a_change_of_readiness_is_told_once(stores: &Stores) {
    let account = looked_at(stores).await;
    let at_once: Vec<_> = (1..=8)
        .map(|n| {
            let (stores, change) = (stores.clone(), lacking_all(&account, n));
            tokio::spawn(async move { stores.setup.tell(&tenant(), &change).await })
        })
        .collect();
    let mut told = 0;
    for it in at_once {
        match it.await.expect("no commit panics") {
            Ok(Committed::Done) => told += 1,
            Ok(Committed::Stale) => {}
            other => panic!("{other:?}"),
        }
    }

    assert_eq!(told, 1);
    let events = told_to(stores).await;
    let [event] = &events[..] else { panic!("{events:?}") };
    let change = lacking_all(&account, 1);
    let expected = EventRecord { id: event.id.clone(), ..change.event.expect("something was told before") };
    assert_eq!(*event, expected);
    let found = stores.events.find(&tenant(), &event.id).await.expect("the store answers");
    assert_eq!(found, Some(expected));
    assert_eq!(under_way(stores).await, slice::from_ref(&event.id));
    assert_eq!(present(stores).await.notified, change.account.notified);
}

/// What a commit makes of readiness is told with it, or not at all where it is refused.
pub async fn readiness_is_told_in_the_commit_that_changes_it(stores: &Stores) {
    let account = looked_at(stores).await;
    let profile = |n: u32, based_on| {
        let to = sample::profile();
        let change = SetupChange::Profile(Box::new(Change { to, based_on, lease_until: None }));
        SetupCommit { readiness: vec![lacking_all(&account, n)], ..sample::setup(n, change) }
    };
    let late = stores.setup.commit(profile(1, Some(9))).await;
    assert!(matches!(late, Ok(Committed::Stale)), "{late:?}");
    assert_eq!(told_to(stores).await, []);
    done(stores.setup.commit(profile(2, Some(1))).await, "it is the version that was read");
    assert_eq!(told_to(stores).await.len(), 1);

    let lacking = present(stores).await;
    let credentials = |n: u32| {
        let change = sample::new_credentials(1, &[1]);
        SetupCommit { readiness: vec![lacking_nothing(&lacking, n)], ..sample::setup(n, change) }
    };
    done(stores.setup.commit(credentials(3)).await, "it is the count that was read");
    let again = stores.setup.commit(credentials(4)).await;
    assert!(matches!(again, Ok(Committed::Stale)), "{again:?}");
    assert_eq!(told_to(stores).await.len(), 2);

    let account = present(stores).await;
    assert_eq!(account.credential_version, 2);
    let (next, change) = (account.clone().with_new_credentials(), lacking_all(&account, 5));
    stores.registry.set_credentials(&next, vec![1], Some(&change), noon()).await.expect("it is the next count");
    let again = stores.registry.set_credentials(&next, vec![1], Some(&change), noon()).await;
    assert!(matches!(again, Err(RegistryError::Moved)), "{again:?}");
    assert_eq!(told_to(stores).await.len(), 3);
}

/// What a provider said is kept together with what it makes of the account, or not at all.
pub async fn what_a_provider_says_is_kept_with_what_is_told_of_it(stores: &Stores) {
    let account = looked_at(stores).await;
    let probe = Probe {
        credential_version: 1,
        verdict: ProbeVerdict::Rejected,
        certificate_until: None,
        skew: None,
        at: noon(),
    };
    let found = (&probe, noon() + TimeDelta::minutes(15));
    let change = lacking_all(&account, 1);

    done(stores.setup.store_probe(&tenant(), &account, found, Some(&change)).await, "no event was written since");
    let other = Probe { verdict: ProbeVerdict::Accepted, ..probe };
    let again = stores.setup.store_probe(&tenant(), &account, (&other, noon()), Some(&change)).await;

    assert!(matches!(again, Ok(Committed::Stale)), "{again:?}");
    let account = present(stores).await;
    assert_eq!((account.probe, account.notified), (Some(probe), change.account.notified));
    assert_eq!(told_to(stores).await.len(), 1);
}

/// An account is looked at by one of those who look, again after a while, and at once when an operator has
/// added what it may have lacked.
pub async fn an_account_is_looked_at_by_one(stores: &Stores) {
    stores.register_merchant().await;
    let at_once: Vec<_> = (0..8)
        .map(|_| {
            let stores = stores.clone();
            tokio::spawn(async move { due(&stores, 0).await })
        })
        .collect();
    let mut claimed = Vec::new();
    for it in at_once {
        claimed.extend(it.await.expect("no claim panics"));
    }

    assert_eq!(claimed, [account_id(1)]);
    assert_eq!(due(stores, 4).await, []);
    assert_eq!(due(stores, 5).await, [account_id(1)]);
    stores.registry.add_certificate(sample::stored_certificate(2)).await.expect("a new certificate");
    assert_eq!(due(stores, 6).await, [account_id(1)]);
}

/// What is told of an account is listed with what is told of its payments.
pub async fn what_is_told_of_an_account_is_listed_by_it(stores: &Stores) {
    let account = looked_at(stores).await;
    done(stores.setup.tell(&tenant(), &lacking_all(&account, 1)).await, "no event was written since");

    for (accounts, many) in [(vec![account_id(1)], 1), (vec![account_id(9)], 0)] {
        let filter = EventFilter { accounts, ..EventFilter::default() };
        let events = stores.events.search(&tenant(), &filter, &Page { after: None, limit: 9 }).await;
        assert_eq!(events.expect("the store answers").len(), many);
    }
}

/// The account of a merchant who listens to everything, after somebody has looked at it for the first time: nothing
/// is told of that.
async fn looked_at(stores: &Stores) -> Account {
    stores.register_merchant().await;
    let endpoint = Box::new(sample::endpoint(1));
    let change = SetupChange::Endpoint { endpoint, sealed_secret: vec![1], limit: 9 };
    done(stores.setup.commit(sample::setup(99, change)).await, "there is room");
    let change = lacking_nothing(&present(stores).await, 1);
    assert_eq!(change.event, None);
    done(stores.setup.tell(&tenant(), &change).await, "no event was written before");
    assert_eq!(told_to(stores).await, []);
    present(stores).await
}

async fn present(stores: &Stores) -> Account {
    stores.merchants.setup(&tenant()).await.expect("the store answers").accounts.remove(0)
}

fn lacking_nothing(account: &Account, n: u32) -> ReadinessChange {
    let setting = sample::sale_context();
    let readiness = Readiness::assess(account, Some(&setting.profile), &setting.issuer, noon());
    change(account, &readiness, n)
}

fn lacking_all(account: &Account, n: u32) -> ReadinessChange {
    change(account, &Readiness::assess(account, None, &IssuerState::default(), noon()), n)
}

fn change(account: &Account, readiness: &Readiness, n: u32) -> ReadinessChange {
    let event = || EventId::new(&sample::symbols(500 + n));
    account.readiness_change(readiness, event, Some(&sample::request_id(1)), noon()).expect("it is another")
}

/// What was told, the newest first.
async fn told_to(stores: &Stores) -> Vec<EventRecord> {
    let page = Page { after: None, limit: 20 };
    stores.events.search(&tenant(), &EventFilter::default(), &page).await.expect("the store answers")
}

async fn under_way(stores: &Stores) -> Vec<EventId> {
    let room = ClaimLimits { all: 9, each: 9 };
    let claim = WebhookClaim { now: noon(), lease_until: noon() + TimeDelta::minutes(1), healthy: room, failing: room };
    let claimed = stores.webhooks.claim(&claim).await.expect("the store answers");
    claimed.into_iter().map(|it| it.event).collect()
}

/// Who is to be looked at so many minutes after noon, and then not for five.
async fn due(stores: &Stores, minutes: i64) -> Vec<MerchantAccountId> {
    let now = noon() + TimeDelta::minutes(minutes);
    let claimed = stores.setup.claim_looks(now, now + TimeDelta::minutes(5), 9).await;
    claimed.expect("the store answers").into_iter().map(|(_, account)| account).collect()
}
