use storage::Postgres;
use testkit::contract::Stores;

use database::Database;

mod database;

testkit::contract_tests!(super::fresh);

/// Stores on a database of their own.
async fn fresh() -> (Stores, Database) {
    let database = Database::fresh().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");
    (Stores::of(store), database)
}
