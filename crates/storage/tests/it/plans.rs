//! How the databases find what is asked for: by index, always.

use std::collections::BTreeSet;

use testkit::contract::Stores;

use crate::{exercise::exercise, statements::take};

/// Every statement that the stores send.
pub(crate) async fn every_statement(stores: &Stores, url: &str) -> BTreeSet<String> {
    stores.register_merchant().await;
    take(url);
    exercise(stores, 1, |_| {}).await;
    take(url).statements.into_iter().filter(|it| !is_bare(it)).collect()
}

/// What has no plan: transactions and settings.
fn is_bare(statement: &str) -> bool {
    ["BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "SET"].iter().any(|it| statement.starts_with(it))
}
