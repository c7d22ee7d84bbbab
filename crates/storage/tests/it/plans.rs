//! How the databases find what is asked for: by index, always.

use std::collections::BTreeSet;

use testkit::contract::Stores;

use crate::{exercise::exercise, statements::take};

/// The lists of the interface that are asked for soon, beside what the stores ask today.
const LISTS: [&str; 5] = [
    "SELECT id FROM payments WHERE merchant = $1 AND mode = $2 ORDER BY created_at DESC, id DESC LIMIT 20",
    "SELECT id FROM payments WHERE merchant = $1 AND mode = $2 AND status = $3 ORDER BY created_at DESC, id DESC LIMIT 20",
    "SELECT id FROM payments WHERE merchant = $1 AND mode = $2 AND sale_reference = $3 \
     ORDER BY created_at DESC, id DESC LIMIT 20",
    "SELECT id FROM fiscal_documents WHERE merchant = $1 AND mode = $2 AND invoice_number = $3 \
     ORDER BY created_at DESC LIMIT 20",
    "SELECT id FROM fiscal_documents WHERE merchant = $1 AND mode = $2 AND order_number = $3 \
     ORDER BY created_at DESC LIMIT 20",
];

/// Every statement that the stores send, and the lists.
pub(crate) async fn every_statement(stores: &Stores, url: &str) -> BTreeSet<String> {
    stores.register_merchant().await;
    take(url);
    exercise(stores, 1, |_| {}).await;
    let sent = take(url).statements.into_iter().filter(|it| !is_bare(it));
    sent.chain(LISTS.map(str::to_owned)).collect()
}

/// What has no plan: transactions and settings.
fn is_bare(statement: &str) -> bool {
    ["BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "SET"].iter().any(|it| statement.starts_with(it))
}
