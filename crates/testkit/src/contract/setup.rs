//! Set-up changes by merchants.

use chrono::TimeDelta;
use domain::{
    MerchantAccountId, Mode,
    account::Account,
    merchant::Profile,
    text::BoundedText,
    webhook::{DisabledReason, EventSelection, WebhookEndpoint},
};
use ports::{Change, Committed, KeyScope, SetupChange, Tenant, Unavailable};

use super::{Stores, count_done, done, stale, webhooks::registration};
use crate::sample::{self, account_id, merchant_id, noon, tenant};

/// A profile is created once, and every replacement requires the version that was read.
pub async fn a_profile_is_replaced_in_its_turn(stores: &Stores) {
    stores.registry.add_merchant(&merchant_id(1), Vec::new(), false, noon()).await.expect("a new merchant");
    let first = sample::profile();
    let second = Profile {
        support_email: None,
        permanent_address: None,
        is_propina_applicable: false,
        display_name: BoundedText::parse("La Otra Esquina"),
        version: 2,
        updated_at: noon() + TimeDelta::hours(1),
        ..sample::profile()
    };

    done(commit(stores, 1, profile(&first, None)).await, "there is none");
    stale(commit(stores, 2, profile(&first, None)).await);
    done(commit(stores, 3, profile(&second, Some(1))).await, "it is the version that was read");
    stale(commit(stores, 4, profile(&first, Some(1))).await);

    assert_eq!(stores.merchants.setup(&tenant()).await.expect("the store answers").profile, Some(second));
}

/// An account is created once.
pub async fn an_account_is_made_once(stores: &Stores) {
    let account = Account { id: account_id(2), created_at: noon() + TimeDelta::days(1), ..sample::account() };

    done(commit(stores, 1, SetupChange::Account(Box::new(account.clone()))).await, "a new account");
    stale(commit(stores, 2, SetupChange::Account(Box::new(account.clone()))).await);

    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");
    assert_eq!(setup.accounts, [sample::account(), account]);
}

/// New credentials follow the version that was read; of concurrent ones one is stored.
pub async fn credentials_count_on(stores: &Stores) {
    let set =
        count_done(stores.concurrently(20, |stores, n| async move { commit(&stores, n, credentials(1)).await }).await);

    done(commit(stores, 30, credentials(2)).await, "it is the count that was read");
    let stranger = Account { id: account_id(9), ..sample::account() };
    let unknown = SetupChange::Credentials { to: Box::new(stranger), sealed: Vec::new() };
    stale(commit(stores, 31, unknown).await);

    assert_eq!(set, 1);
    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");
    assert_eq!(setup.accounts, [Account { credential_version: 3, ..sample::account() }]);
}

/// Endpoints are listed oldest first, to their tenant only.
pub async fn endpoints_come_back(stores: &Stores) {
    let patterns = ["payment.*".to_owned(), "fiscal_document.issued".to_owned()];
    let older = WebhookEndpoint {
        enabled_events: EventSelection::parse(&patterns).expect("known kinds"),
        description: BoundedText::parse("La caja de «arriba»"),
        disabled: Some(DisabledReason::Gone),
        created_at: noon() - TimeDelta::days(1),
        version: 7,
        ..sample::endpoint(2)
    };
    for (n, endpoint) in [(1, sample::endpoint(1)), (2, older.clone()), (3, sample::endpoint(3))] {
        done(commit(stores, n, registration(endpoint, 16)).await, "there is room");
    }
    stale(commit(stores, 4, registration(sample::endpoint(1), 16)).await);

    let found = stores.setup.endpoints(&tenant()).await.expect("the store answers");
    assert_eq!(found, [older, sample::endpoint(1), sample::endpoint(3)]);
    for stranger in Stores::strangers() {
        assert_eq!(stores.setup.endpoints(&stranger).await.expect("the store answers"), []);
    }
}

/// Concurrent registrations never exceed a tenant's endpoint limit per mode.
pub async fn of_fifty_endpoints_at_once_there_is_room_for_some(stores: &Stores) {
    let registered = count_done(
        stores
            .concurrently(
                50,
                |stores, n| async move { commit(&stores, n, registration(sample::endpoint(n), 16)).await },
            )
            .await,
    );
    let live = WebhookEndpoint { mode: Mode::Live, ..sample::endpoint(1) };
    let live_tenant = Tenant { mode: Mode::Live, ..tenant() };
    let mut live_commit = sample::setup(51, registration(live.clone(), 16));
    live_commit.tenant = live_tenant.clone();
    live_commit.key.to.scope.tenant = live_tenant.clone();
    done(stores.setup.commit(live_commit).await, "there is room");

    assert_eq!(registered, 16);
    assert_eq!(stores.setup.endpoints(&tenant()).await.expect("the store answers").len(), 16);
    let of_live = stores.setup.endpoints(&live_tenant).await;
    assert_eq!(of_live.expect("the store answers"), [live]);
}

/// A lost idempotency key prevents the change, and a refused change uses no key.
pub async fn a_setup_and_its_key_go_together(stores: &Stores) {
    done(commit(stores, 1, registration(sample::endpoint(1), 16)).await, "there is room");

    let taken = commit(stores, 1, registration(sample::endpoint(2), 16)).await;
    stale(commit(stores, 2, registration(sample::endpoint(2), 1)).await);

    assert!(matches!(taken, Ok(Committed::KeyTaken)), "{taken:?}");
    assert_eq!(stores.setup.endpoints(&tenant()).await.expect("the store answers"), [sample::endpoint(1)]);
    let scope = KeyScope { tenant: tenant(), payment: None };
    for (n, expected) in [(1, Some(sample::key(1))), (2, None)] {
        let found = stores.idempotency.find(&scope, &sample::digest(n)).await.expect("the store answers");
        assert_eq!(found, expected);
    }
    done(commit(stores, 3, registration(sample::endpoint(2), 2)).await, "a refusal takes no room");
}

/// New credentials are due for a check at once and are claimed once; the result is stored, and the check repeats later.
pub async fn credentials_are_tried_by_one(stores: &Stores) {
    assert_eq!(due(stores, 0).await, []);
    done(commit(stores, 1, credentials(1)).await, "it is the count that was read");

    let claimed = stores.concurrently(8, |stores, _| async move { due(&stores, 0).await }).await;
    assert_eq!(claimed.concat(), [(tenant(), account_id(1))]);
    assert_eq!(due(stores, 5).await, [(tenant(), account_id(1))], "the earlier lease has ended");

    let probe = sample::probe(2);
    let next = noon() + TimeDelta::minutes(30);
    let programs = vec!["program_a".to_owned()];
    let probed = Account { three_ds_programs: programs.clone(), ..sample::account() };
    done(stores.setup.store_probe(&tenant(), &probed, (&probe, next), None).await, "they are the present ones");
    assert_eq!(due(stores, 29).await, []);
    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");
    assert_eq!((setup.accounts[0].probe, &setup.accounts[0].three_ds_programs), (Some(probe), &programs));
    assert_eq!(due(stores, 30).await.len(), 1);
}

/// A check of replaced credentials is not stored, and the new ones stay due.
pub async fn a_check_of_replaced_credentials_is_not_stored(stores: &Stores) {
    done(commit(stores, 1, credentials(1)).await, "it is the count that was read");
    assert_eq!(due(stores, 0).await.len(), 1);
    done(commit(stores, 2, credentials(2)).await, "it is the count that was read");

    let next = noon() + TimeDelta::minutes(30);
    stale(stores.setup.store_probe(&tenant(), &sample::account(), (&sample::probe(2), next), None).await);

    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");
    assert_eq!(setup.accounts[0].probe, None);
    assert_eq!(due(stores, 0).await.len(), 1);
}

/// Claims the accounts due so many minutes after noon, with a lease of five minutes.
async fn due(stores: &Stores, minutes: i64) -> Vec<(Tenant, MerchantAccountId)> {
    let now = noon() + TimeDelta::minutes(minutes);
    let claimed = stores.setup.claim_probes(now, now + TimeDelta::minutes(5), 9).await;
    claimed.expect("the store answers")
}

async fn commit(stores: &Stores, n: u32, change: SetupChange) -> Result<Committed, Unavailable> {
    stores.setup.commit(sample::setup(n, change)).await
}

fn profile(to: &Profile, based_on: Option<u32>) -> SetupChange {
    SetupChange::Profile(Box::new(Change { to: to.clone(), based_on, lease_until: None }))
}

fn credentials(based_on: u32) -> SetupChange {
    sample::new_credentials(based_on, b"sealed")
}
