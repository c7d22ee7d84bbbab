//! Keys of tables contain the tenant: rows of tenants neither refer to each other nor conflict.

use super::fresh;
use crate::{promises::KEYS_WITHOUT_A_TENANT, raw::Raw};

#[tokio::test]
async fn every_reference_stays_within_its_tenant() {
    let (_stores, database) = fresh().await;

    let loose = database
        .texts(
            "SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) AS text FROM pg_constraint \
             WHERE contype = 'f' AND confrelid <> 'merchants'::regclass \
             AND pg_get_constraintdef(oid) NOT LIKE 'FOREIGN KEY (merchant, mode, %) REFERENCES %(merchant, mode, %)'",
        )
        .await;
    let referring = database.texts("SELECT count(*)::text AS text FROM pg_constraint WHERE contype = 'f'").await;

    assert_eq!(loose, Vec::<String>::new());
    assert_ne!(referring, ["0"]);
}

#[tokio::test]
async fn every_unique_key_begins_with_its_tenant() {
    let (_stores, database) = fresh().await;

    let global = database
        .texts(
            "SELECT tablename || regexp_replace(indexdef, '^.* USING btree ', ' ') AS text FROM pg_indexes \
             WHERE schemaname = 'public' \
             AND tablename NOT IN ('merchants', '__diesel_schema_migrations', 'key_checks', 'register_copies', 'taxpayers') \
             AND indexdef LIKE 'CREATE UNIQUE INDEX%' AND indexdef NOT LIKE '%(merchant, mode%' ORDER BY 1",
        )
        .await;

    assert_eq!(global, KEYS_WITHOUT_A_TENANT);
}
