//! Group commit: commits that queue while the writer is busy share a transaction, each with its own result.

use futures_util::{FutureExt, future::join_all};
use ports::Committed;
use testkit::{
    contract::Stores,
    sample::{self, payment_id},
};

use super::{
    File, fresh,
    pool::{open, shut},
};
use crate::{
    raw::Raw,
    statements::{listen, take},
};

const PAYMENTS: &str = "SELECT CAST(count(*) AS text) AS text FROM payments";

#[tokio::test]
async fn queued_commits_share_a_transaction() {
    listen();
    let (stores, file) = fresh().await;
    stores.register_merchant().await;

    let results = while_writer_is_busy(&stores, &file, (1..=20).collect()).await;

    assert!(results.iter().all(|it| *it == Committed::Done), "{results:?}");
    assert_eq!(file.texts(PAYMENTS).await, ["20"]);
    let statements = take(&file.url()).statements;
    let transactions = statements.iter().filter(|it| it.starts_with("COMMIT")).count();
    assert!(transactions <= 2, "the first, and the others: {transactions}");
}

#[tokio::test]
async fn a_refused_commit_fails_alone() {
    let (stores, file) = fresh().await;
    stores.register_merchant().await;

    // The sale of the third commit is new, and known when the fifth is applied.
    let results = while_writer_is_busy(&stores, &file, vec![1, 2, 3, 4, 3, 6]).await;

    let stale = |index: usize| results.get(index) == Some(&Committed::Stale);
    assert_eq!((0..6).filter(|index| stale(*index)).collect::<Vec<_>>(), [4], "{results:?}");
    assert_eq!(file.texts(PAYMENTS).await, ["5"]);
}

/// The disk is full, or the statement is wrong, for one of the commits.
#[tokio::test]
async fn an_error_of_one_commit_is_not_an_error_of_the_others() {
    let (stores, file) = fresh().await;
    stores.register_merchant().await;
    let trigger = format!(
        "CREATE TRIGGER fail BEFORE INSERT ON payments WHEN NEW.id = '{}' BEGIN SELECT RAISE(ABORT, 'no'); END",
        payment_id(4)
    );
    file.run(&trigger).await.expect("a trigger");
    let gate = shut(&file);

    let mut pending: Vec<_> =
        (1..=6).map(|n| Box::pin(stores.sales.commit(sample::creation(&sample::sale(n))))).collect();
    for commit in &mut pending {
        assert!(commit.now_or_never().is_none(), "the writer is busy");
    }
    open(gate);
    let results = join_all(pending).await;

    let failed: Vec<_> = (1..).zip(&results).filter(|(_, it)| it.is_err()).map(|(n, _)| n).collect();
    assert_eq!(failed, [4], "{results:?}");
    assert_eq!(file.texts(PAYMENTS).await, ["5"]);
}

/// Returns the results of new sales that were committed while another connection wrote.
async fn while_writer_is_busy(stores: &Stores, file: &File, sales: Vec<u32>) -> Vec<Committed> {
    let gate = shut(file);
    take(&file.url());
    let mut pending: Vec<_> =
        sales.into_iter().map(|n| Box::pin(stores.sales.commit(sample::creation(&sample::sale(n))))).collect();
    for commit in &mut pending {
        assert!(commit.now_or_never().is_none(), "the writer is busy");
    }
    open(gate);
    join_all(pending).await.into_iter().map(|it| it.expect("the store answers")).collect()
}
