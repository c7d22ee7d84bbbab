//! An interrupted commit is complete or absent.

use std::{pin::pin, time::Duration};

use ports::{Commit, KeyChange};

use super::Stores;
use crate::sample::{self, attempt_id, digest, tenant};

/// A commit with a failing last write stores none of the others.
pub async fn a_failed_commit_stores_no_rows(stores: &Stores) {
    let first = Commit { token: Some(sample::token(1)), ..sample::creation(&sample::sale(1)) };
    stores.commit(first).await;
    // An existing token, next to otherwise new rows.
    let mut second = whole(2);
    second.token = second.token.map(|it| domain::credential::CheckoutToken { digest: digest(1), ..it });

    stores.refuse(second).await;

    assert_eq!(traces(stores, 2).await, [false; 5]);
}

/// A canceled caller leaves a complete commit or none, and does not block later callers.
pub async fn a_canceled_caller_leaves_no_partial_commit(stores: &Stores) {
    for n in 1..=40 {
        let patience = Duration::from_micros(u64::from(n) * 50);
        let given_up = tokio::time::timeout(patience, pin!(stores.sales.commit(whole(n)))).await.is_err();

        // The next commit waits for the pending one, so that later reads are final.
        stores.commit(whole(n + 100)).await;
        let traces = traces(stores, n).await;
        assert!(traces == [true; 5] || (given_up && traces == [false; 5]), "{n}: {traces:?}");
    }
}

/// A commit of every kind of row.
fn whole(n: u32) -> Commit {
    Commit {
        attempts: vec![sample::attempt(n)],
        artifacts: vec![sample::artifact(n)],
        token: Some(sample::token(n)),
        key: Some(KeyChange { to: sample::key(n), based_on: None }),
        ..sample::creation(&sample::sale(n))
    }
}

/// Returns which rows of the `n`th commit exist.
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
