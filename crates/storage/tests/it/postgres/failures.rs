//! Retries of statements by the kind of their error.

use ports::Committed;
use testkit::sample;

use super::{Database, fresh};
use crate::{raw::Raw, statements};

/// Makes the first insert of a payment fail, or all of them, with an error of that SQLSTATE.
async fn fail_inserts(database: &Database, condition: &str, message: &str, sqlstate: &str) {
    let statement = format!(
        "CREATE SEQUENCE inserts; \
         CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN \
             IF nextval('inserts') {condition} THEN RAISE EXCEPTION '{message}' USING ERRCODE = '{sqlstate}'; END IF; \
             RETURN NEW; END $$; \
         CREATE TRIGGER fail BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION fail()"
    );
    database.run(&statement).await.expect("a trigger");
}

#[tokio::test]
async fn deadlocks_and_conflicts_are_retried() {
    for (message, sqlstate) in [("deadlock detected", "40P01"), ("could not serialize access", "40001")] {
        statements::listen();
        let (stores, database) = fresh().await;
        stores.register_merchant().await;
        fail_inserts(&database, "= 1", message, sqlstate).await;
        statements::take(database.url());

        let committed = stores.sales.commit(sample::creation(&sample::sale(1))).await;

        assert!(matches!(committed, Ok(Committed::Done)), "{sqlstate}: {committed:?}");
        assert_eq!(statements::take(database.url()).statements.len(), 2, "{sqlstate}");
    }
}

#[tokio::test]
async fn other_errors_are_not_retried() {
    for sqlstate in ["53100", "55P03", "57014", "XX000"] {
        statements::listen();
        let (stores, database) = fresh().await;
        stores.register_merchant().await;
        fail_inserts(&database, "> 0", "no", sqlstate).await;
        statements::take(database.url());

        let committed = stores.sales.commit(sample::creation(&sample::sale(1))).await;

        assert!(committed.is_err(), "{sqlstate}: {committed:?}");
        assert_eq!(statements::take(database.url()).statements.len(), 1, "{sqlstate}");
    }
}
