//! Merchant keys and checkout tokens.

use chrono::TimeDelta;
use domain::{
    Mode,
    credential::{CheckoutToken, MerchantKey, Role, Scope, Session},
};
use ports::{Commit, KeyUse, RegistryError, StoredKey, Tenant};

use super::Stores;
use crate::sample::{self, account_id, digest, merchant_id, noon};

/// A merchant key is found by digest, with the tenant's right to live mode.
pub async fn a_merchant_key_is_found_by_its_digest(stores: &Stores) {
    stores.registry.add_merchant(&merchant_id(2), Vec::new(), true, noon()).await.expect("a new merchant");
    let restricted = MerchantKey {
        merchant: merchant_id(2),
        mode: Mode::Live,
        role: Role::Admin,
        accounts: vec![account_id(1), account_id(2)],
        ends_at: Some(noon() + TimeDelta::days(1)),
        ..sample::merchant_key(2)
    };
    let keys = [(sample::merchant_key(1), false), (restricted, true)];
    for (key, _) in &keys {
        stores.registry.add_key(key.clone()).await.expect("a new key");
    }

    for (key, is_live_enabled) in keys {
        let found = stores.credentials.find_key(&key.digest).await.expect("the store answers");
        assert_eq!(found, Some(StoredKey { key, is_live_enabled }));
    }
    assert_eq!(stores.credentials.find_key(&digest(3)).await.expect("the store answers"), None);
}

/// An expiry can only move earlier; a key and the end of its predecessor are stored together.
pub async fn a_key_ends_as_another_takes_its_place(stores: &Stores) {
    let (old, new, third) = (sample::merchant_key(1), sample::merchant_key(2), sample::merchant_key(3));
    let hour = TimeDelta::hours(1);
    stores.registry.add_key(old.clone()).await.expect("a new key");

    stores.registry.end_key(&old, noon() + hour, Some(new.clone())).await.expect("it has no end yet");
    let later = stores.registry.end_key(&old, noon() + hour * 2, Some(third.clone())).await;
    let taken = stores.registry.end_key(&old, noon(), Some(new.clone())).await;
    let strange = MerchantKey { merchant: merchant_id(2), ..old.clone() };
    let strange = stores.registry.end_key(&strange, noon(), None).await;

    assert!(matches!(later, Err(RegistryError::Ended)), "{later:?}");
    assert!(matches!(taken, Err(RegistryError::Exists)), "{taken:?}");
    assert!(matches!(strange, Err(RegistryError::Ended)), "{strange:?}");
    let ends_soon = MerchantKey { ends_at: Some(noon() + hour), ..old.clone() };
    let mut expected = [ends_soon.clone(), new];
    expected.sort_by_key(|it| (it.created_at, it.digest));
    assert_eq!(stores.registry.keys(&sample::tenant()).await.expect("the store answers"), expected);
    let found = stores.credentials.find_key(&old.digest).await.expect("the store answers");
    assert_eq!(found.map(|it| it.key), Some(ends_soon));
    assert_eq!(stores.credentials.find_key(&third.digest).await.expect("the store answers"), None);
    for stranger in Stores::strangers() {
        assert_eq!(stores.registry.keys(&stranger).await.expect("the store answers"), []);
    }
}

/// The last use of a key is visible to its tenant, and never moves back.
pub async fn the_last_use_of_a_key_is_remembered(stores: &Stores) {
    let key = sample::merchant_key(1);
    for n in [1, 2] {
        stores.registry.add_key(sample::merchant_key(n)).await.expect("a new key");
    }
    let used = |at| KeyUse { tenant: sample::tenant(), digest: key.digest, at };
    let known = async |tenant: Tenant| stores.registry.key_uses(&tenant).await.expect("the store answers");
    assert_eq!(known(sample::tenant()).await, []);

    for minutes in [5, 7, 6] {
        let noted = [used(noon() + TimeDelta::minutes(minutes))];
        stores.credentials.note_uses(&noted).await.expect("the store answers");
    }

    assert_eq!(known(sample::tenant()).await, [used(noon() + TimeDelta::minutes(7))]);
    for stranger in Stores::strangers() {
        assert_eq!(known(stranger).await, []);
    }
}

/// A token of any scope is found by digest.
pub async fn a_token_is_found_by_its_digest(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;
    for (n, scope) in (1..).zip(Scope::ALL) {
        let token = CheckoutToken { digest: digest(n), scope, ..sample::token(1) };
        stores.commit(Commit { token: Some(token.clone()), ..sample::empty_commit(&sample::sale(1)) }).await;

        let found = stores.credentials.find_token(&digest(n)).await.expect("the store answers");
        assert_eq!(found, Some(token));
    }
    assert_eq!(stores.credentials.find_token(&digest(9)).await.expect("the store answers"), None);
}

/// Expired tokens are deleted oldest first, up to a limit.
pub async fn old_tokens_are_swept(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;
    let ends = |n: u32| noon() + TimeDelta::hours(n.into());
    for n in [2, 1, 3] {
        let token = CheckoutToken { digest: digest(n), expires_at: ends(n), ..sample::token(1) };
        stores.commit(Commit { token: Some(token), ..sample::empty_commit(&sample::sale(1)) }).await;
    }
    let sweep =
        async |n, limit| stores.credentials.sweep_tokens(ends(n), noon(), limit).await.expect("the store answers");
    let left = async || {
        let mut left = Vec::new();
        for n in 1..=3 {
            let found = stores.credentials.find_token(&digest(n)).await.expect("the store answers");
            left.extend(found.map(|_| n));
        }
        left
    };

    assert_eq!((sweep(1, 9).await, left().await), (0, vec![1, 2, 3]));
    assert_eq!((sweep(3, 1).await, left().await), (1, vec![2, 3]));
    assert_eq!((sweep(3, 9).await, left().await), (1, vec![3]));
}

/// Only live sessions of one payment's links count. The session that was idle longest is replaced first, and old ones
/// are deleted.
pub async fn idle_sessions_give_way(stores: &Stores) {
    stores.create((1..=2).map(sample::sale)).await;
    let at = |n: u32| noon() + TimeDelta::minutes(n.into());
    let idle = |n| Some(Session::Idle { seen_at: at(n) });
    let (payment, end) = (sample::payment_id(1), sample::token(1).expires_at);
    let sessions = [
        (1, idle(1)),
        (2, idle(3)),
        (3, idle(2)),
        (4, Some(Session::Active)),
        (5, None), // A merchant's key made this one.
    ];
    for (n, session) in sessions {
        let token = CheckoutToken { digest: digest(n), session, ..sample::token(1) };
        stores.commit(Commit { token: Some(token), ..sample::empty_commit(&sample::sale(1)) }).await;
    }
    let elsewhere = CheckoutToken { digest: digest(6), session: idle(0), ..sample::token(2) };
    stores.commit(Commit { token: Some(elsewhere), ..sample::empty_commit(&sample::sale(2)) }).await;
    let Stores { credentials, .. } = stores;
    let live =
        async |tenant: Tenant, now| credentials.live_sessions(&tenant, &payment, now).await.expect("the store answers");
    let left = async || {
        let mut left = Vec::new();
        for n in 1..=6 {
            let found = credentials.find_token(&digest(n)).await.expect("the store answers");
            left.extend(found.map(|it| (n, it.session)));
        }
        left
    };

    assert_eq!((live(sample::tenant(), noon()).await, live(sample::tenant(), end).await), (4, 0));
    for stranger in Stores::strangers() {
        assert_eq!(live(stranger.clone(), noon()).await, 0);
        assert_eq!(credentials.end_idle_sessions(&stranger, &payment, 9).await.expect("the store answers"), 0);
    }
    let seen = CheckoutToken { digest: digest(1), session: idle(9), ..sample::token(1) };
    let acted = CheckoutToken { digest: digest(2), session: Some(Session::Active), ..sample::token(1) };
    let revived = CheckoutToken { digest: digest(4), session: idle(9), ..sample::token(1) };
    for noted in [seen, acted, revived] {
        credentials.note_session(&noted).await.expect("the store answers");
    }
    let noted = [(1, idle(9)), (2, Some(Session::Active)), (3, idle(2)), (4, Some(Session::Active)), (5, None)];
    assert_eq!(left().await, [&noted[..], &[(6, idle(0))]].concat(), "no session becomes idle again");
    let tenant = sample::tenant();
    assert_eq!(credentials.end_idle_sessions(&tenant, &payment, 1).await.expect("the store answers"), 1);
    assert_eq!(credentials.sweep_tokens(noon(), at(9), 9).await.expect("the store answers"), 1, "another payment's");
    assert_eq!(left().await, [(1, idle(9)), (2, Some(Session::Active)), (4, Some(Session::Active)), (5, None)]);
    assert_eq!(credentials.end_idle_sessions(&tenant, &payment, 9).await.expect("the store answers"), 1);
}

/// A token can gain the right to control the split of its payment, and opens no other payment.
pub async fn a_token_is_raised_and_never_turned(stores: &Stores) {
    let (pay, receipt) =
        (sample::token(1), CheckoutToken { digest: digest(2), scope: Scope::Receipt, ..sample::token(1) });
    let later = pay.expires_at + TimeDelta::hours(1);
    let raised = CheckoutToken { scope: Scope::Organizer, expires_at: later, ..pay.clone() };
    stores.create((1..=2).map(sample::sale)).await;
    for token in [&pay, &receipt] {
        stores.commit(Commit { token: Some(token.clone()), ..sample::empty_commit(&sample::sale(1)) }).await;
    }

    for refused in [
        pay.clone(),
        CheckoutToken { payment: sample::payment_id(2), ..raised.clone() },
        CheckoutToken { scope: Scope::Organizer, ..receipt.clone() },
    ] {
        stores.refuse(Commit { token: Some(refused), ..sample::empty_commit(&sample::sale(1)) }).await;
    }
    stores.commit(Commit { token: Some(raised.clone()), ..sample::empty_commit(&sample::sale(1)) }).await;

    for (n, token) in [(1, raised), (2, receipt)] {
        assert_eq!(stores.credentials.find_token(&digest(n)).await.expect("the store answers"), Some(token));
    }
}
