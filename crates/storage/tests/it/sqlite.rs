use storage::Sqlite;
use tempfile::TempDir;
use testkit::contract::Stores;

testkit::contract_tests!(super::fresh);

/// Stores in a file of their own.
async fn fresh() -> (Stores, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Sqlite::open(folder.path().join("cobro.db")).await.expect("a new file");
    store.migrate().await.expect("the migrations apply");
    (Stores::of(store), folder)
}
