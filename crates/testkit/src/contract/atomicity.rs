//! Whatever ends a commit half-way, all of it is there or nothing.

use std::{pin::pin, time::Duration};

use ports::{Commit, Committed, KeyChange};

use super::Stores;
use crate::sample::{self, attempt_id, digest, tenant};

/// A commit whose last write is refused leaves none of the others.
pub async fn a_commit_that_fails_at_its_end_leaves_nothing(stores: &Stores) {
    stores.register_merchant().await;
    let first = Commit { token: Some(sample::token(1)), ..sample::creation(&sample::sale(1)) };
    stores.commit(first).await;
    // A token that exists already, beside everything that is new.
    let mut second = whole(2);
    second.token = second.token.map(|it| domain::credential::CheckoutToken { digest: digest(1), ..it });

    let refused = stores.sales.commit(second).await;

    assert!(matches!(refused, Ok(Committed::Stale)), "{refused:?}");
    assert_eq!(traces(stores, 2).await, [false; 5]);
}

/// A caller who goes away at any moment leaves a whole decision behind, or none; and whoever comes
/// after is not in its way.
pub async fn a_caller_who_goes_away_leaves_no_half(stores: &Stores) {
    stores.register_merchant().await;
    for n in 1..=40 {
        let patience = Duration::from_micros(u64::from(n) * 50);
        let given_up = tokio::time::timeout(patience, pin!(stores.sales.commit(whole(n)))).await.is_err();

        // The next in line waits for what was begun, so that what is read afterwards is final.
        stores.commit(whole(n + 100)).await;
        let traces = traces(stores, n).await;
        assert!(traces == [true; 5] || (given_up && traces == [false; 5]), "{n}: {traces:?}");
    }
}

/// A commit that touches everything.
fn whole(n: u32) -> Commit {
    Commit {
        attempts: vec![sample::attempt(n)],
        artifacts: vec![sample::artifact(n)],
        token: Some(sample::token(n)),
        key: Some(KeyChange { to: sample::key(n), based_on: None }),
        ..sample::creation(&sample::sale(n))
    }
}

/// What there is of the `n`th commit.
async fn traces(stores: &Stores, n: u32) -> [bool; 5] {
    let scope = sample::key(n).scope;
    let artifact = sample::artifact(n);
    let tenant = tenant();
    let find_artifact = stores.artifacts.find(&tenant, &artifact.document, artifact.revision, artifact.kind);
    [
        stores.reload(&sample::sale(n)).await.is_some(),
        stores.sales.find_attempt(&tenant, &attempt_id(n)).await.expect("the store answers").is_some(),
        find_artifact.await.expect("the store answers").is_some(),
        stores.credentials.find_token(&digest(n)).await.expect("the store answers").is_some(),
        stores.idempotency.find(&scope, &digest(n)).await.expect("the store answers").is_some(),
    ]
}
