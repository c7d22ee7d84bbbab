//! Statistics of new tables.

use storage::Postgres;
use testkit::{
    contract::{Stores, done},
    sample,
};

use super::Database;
use crate::raw::Raw;

const WITHOUT: &str = "SELECT relname::text AS text FROM pg_class WHERE relname IN ('payments', 'fiscal_documents') \
    AND reltuples < 0 ORDER BY 1";

#[tokio::test]
async fn tables_with_rows_get_statistics_once() {
    let database = Database::fresh().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");
    let stores = Stores::of(store.clone());
    let before = store.analyze_new_tables().await.expect("the database answers");
    stores.register_merchant().await;
    for n in 1..=20 {
        done(stores.sales.commit(sample::creation(&sample::sale(n))).await, "a new sale");
    }
    assert_eq!(database.texts(WITHOUT).await, ["fiscal_documents", "payments"]);

    let analyzed = store.analyze_new_tables().await.expect("the database answers");
    let again = store.analyze_new_tables().await.expect("the database answers");

    assert_eq!(database.texts(WITHOUT).await, [""; 0]);
    assert!(analyzed > 2, "{before}, {analyzed}");
    assert_eq!(again, 0);
}
