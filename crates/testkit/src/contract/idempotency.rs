//! Idempotency keys.

use chrono::TimeDelta;
use ports::{Commit, Committed, KeyChange, KeyLease, KeyRecord, KeyScope, KeyState};

use super::Stores;
use crate::sample::{self, noon, tenant};

/// A key in any state is stored as committed.
pub async fn every_state_of_a_key_comes_back(stores: &Stores) {
    let lease_until = noon() + KeyRecord::LEASE;
    let plain = ports::StoredResponse { etag: None, sealed_body: Vec::new(), ..sample::stored_response() };
    let states = [
        KeyState::InProgress { lease_until, attempt: None },
        KeyState::InProgress { lease_until, attempt: Some(sample::attempt_id(1)) },
        KeyState::Reopened,
        KeyState::Completed(sample::stored_response()),
        KeyState::Completed(plain),
        KeyState::Expired,
    ];
    for (n, state) in (1..).zip(states) {
        let first = sample::key(n);
        let second = KeyRecord { state, epoch: 2, ..first.clone() };
        stores.commit(using(KeyChange { to: first.clone(), based_on: None })).await;
        stores.commit(using(KeyChange { to: second.clone(), based_on: Some(1) })).await;

        let found = stores.idempotency.find(&first.scope, &first.digest).await.expect("the store answers");
        assert_eq!(found, Some(second));
    }
}

/// Of fifty concurrent first uses of a key one has an effect; the others are refused.
pub async fn of_fifty_first_uses_one_has_an_effect(stores: &Stores) {
    let create = |stores: Stores, n| async move {
        let key = KeyChange { to: sample::key(1), based_on: None };
        stores.sales.commit(Commit { key: Some(key), ..sample::creation(&sample::sale(n)) }).await
    };

    let mut winners = Vec::new();
    for (n, created) in (1..).zip(stores.concurrently(50, create).await) {
        match created {
            Ok(Committed::Done) => winners.push(n),
            Ok(Committed::KeyTaken) => {}
            other => panic!("{other:?}"),
        }
    }

    assert_eq!(winners.len(), 1);
    for n in 1..=50 {
        let sale = sample::sale(n);
        assert_eq!(stores.reload(&sale).await, winners.contains(&n).then_some(sale));
    }
}

/// A commit with an old epoch is refused as a whole.
pub async fn an_outdated_epoch_writes_no_rows(stores: &Stores) {
    let first = sample::key(1);
    let taken_over = KeyRecord { epoch: 2, ..first.clone() };
    let late = KeyRecord { epoch: 2, state: KeyState::Completed(sample::stored_response()), ..first.clone() };
    stores.commit(using(KeyChange { to: first.clone(), based_on: None })).await;
    stores.commit(using(KeyChange { to: taken_over.clone(), based_on: Some(1) })).await;

    let key = Some(KeyChange { to: late, based_on: Some(1) });
    let refused = stores.sales.commit(Commit { key, ..sample::creation(&sample::sale(1)) }).await;

    assert!(matches!(refused, Ok(Committed::KeyTaken)), "{refused:?}");
    assert_eq!(stores.reload(&sample::sale(1)).await, None);
    let found = stores.idempotency.find(&first.scope, &first.digest).await.expect("the store answers");
    assert_eq!(found, Some(taken_over));
}

/// Keys of a tenant and of a payment's page are different keys.
pub async fn a_key_is_unique_in_its_scope(stores: &Stores) {
    let of_tenant = sample::key(1);
    let payment = Some(sample::payment_id(1));
    let of_page = KeyRecord { scope: KeyScope { tenant: tenant(), payment }, ..sample::key(1) };

    for key in [&of_tenant, &of_page] {
        stores.commit(using(KeyChange { to: key.clone(), based_on: None })).await;
    }

    for key in [of_tenant, of_page] {
        let found = stores.idempotency.find(&key.scope, &key.digest).await.expect("the store answers");
        assert_eq!(found, Some(key));
    }
}

/// Only the last writer renews the lease of a key in progress, and may still complete the key.
pub async fn only_the_last_writer_renews_a_key(stores: &Stores) {
    let first = sample::key(1);
    let lease = KeyLease { scope: first.scope.clone(), digest: first.digest, epoch: first.epoch };
    let later = noon() + TimeDelta::minutes(2);
    let renew = async |lease: &KeyLease| stores.idempotency.renew(lease, later).await.expect("the store answers");
    let found = async || stores.idempotency.find(&first.scope, &first.digest).await.expect("the store answers");

    assert!(!renew(&lease).await, "the key is unused");
    stores.commit(using(KeyChange { to: first.clone(), based_on: None })).await;
    assert!(!renew(&KeyLease { epoch: 2, ..lease.clone() }).await, "another epoch");
    let of_page = KeyScope { payment: Some(sample::payment_id(1)), ..lease.scope.clone() };
    assert!(!renew(&KeyLease { scope: of_page, ..lease.clone() }).await, "another key");
    assert!(renew(&lease).await);
    let KeyState::InProgress { attempt, .. } = first.state.clone() else { panic!("the sample is in progress") };
    let state = KeyState::InProgress { lease_until: later, attempt };
    assert_eq!(found().await, Some(KeyRecord { state, ..first.clone() }));

    let completed = KeyRecord { epoch: 2, state: KeyState::Completed(sample::stored_response()), ..first.clone() };
    stores.commit(using(KeyChange { to: completed.clone(), based_on: Some(1) })).await;
    for epoch in [1, 2] {
        assert!(!renew(&KeyLease { epoch, ..lease.clone() }).await, "it is done");
    }
    assert_eq!(found().await, Some(completed));
}

/// Old responses are deleted before their keys.
pub async fn old_keys_are_deleted(stores: &Stores) {
    let answered = |n, first_used_at| KeyRecord {
        state: KeyState::Completed(sample::stored_response()),
        first_used_at,
        ..sample::key(n)
    };
    let days = TimeDelta::days;
    let ancient = answered(1, noon() - days(500));
    let (old, older) = (answered(2, noon() - days(5)), answered(3, noon() - days(6)));
    let fresh = answered(4, noon());
    let at_it = KeyRecord { first_used_at: noon() - days(5), ..sample::key(5) };
    for key in [&ancient, &old, &older, &fresh, &at_it] {
        stores.commit(using(KeyChange { to: key.clone(), based_on: None })).await;
    }

    let sweep = || stores.idempotency.sweep(noon() - days(3), noon() - days(400), 2);
    let mut touched = 0;
    loop {
        match sweep().await.expect("the store answers") {
            0 => break,
            some => touched += some,
        }
    }

    let state = async |key: &KeyRecord| {
        stores.idempotency.find(&key.scope, &key.digest).await.expect("the store answers").map(|it| it.state)
    };
    assert_eq!(state(&ancient).await, None);
    assert_eq!(state(&old).await, Some(KeyState::Expired));
    assert_eq!(state(&older).await, Some(KeyState::Expired));
    assert_eq!(state(&fresh).await, Some(fresh.state));
    assert_eq!(state(&at_it).await, Some(at_it.state));
    assert!((3..=4).contains(&touched), "{touched}");
}

/// A commit of only a key.
fn using(key: KeyChange) -> Commit {
    Commit { key: Some(key), ..sample::empty_commit(&sample::sale(1)) }
}
