//! Row security isolates tenants, even if a statement lacks a condition.

use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use domain::{fiscal::DocumentKind, payment::PaymentStatus};
use ports::{Commit, KeyUse, SetupChange};
use storage::Postgres;
use testkit::{
    contract::{Stores, done, number_ledger::withdrawal},
    sample,
};

use super::{Database, fresh};
use crate::{
    exercise::exercise,
    raw::{Raw, TextRow},
};

/// Tables without a tenant.
const COMMON: &[&str] = &["__diesel_schema_migrations", "key_checks", "register_copies", "taxpayers"];

/// Other tenants than the one of the samples: another merchant, and the same merchant in another mode.
const OTHERS: [(&str, &str); 2] = [("merchant_OTHER", "test"), ("merchant_OTHER", "live")];

/// Access scopes beyond a tenant, each with the visible tables and their numbers of rows.
const ACCESS_SCOPES: &[(&str, &[(&str, i64)])] = &[
    ("", &[]),
    ("new_merchant", &[]),
    (
        "sweep",
        &[
            ("account_events", 3),
            ("checkout_tokens", 3),
            ("endpoint_disabled_emails", 3),
            ("events", 20),
            ("idempotency_keys", 6),
            ("webhook_deliveries", 23),
            ("webhook_endpoints", 4),
        ],
    ),
    (
        "work",
        &[
            ("accounts", 3),
            ("document_emails", 3),
            ("endpoint_disabled_emails", 3),
            ("fiscal_documents", 2),
            ("payments", 3),
            ("refunds", 1),
            ("stored_cards", 3),
            ("webhook_deliveries", 23),
            ("webhook_endpoints", 3),
        ],
    ),
    (
        "monitoring",
        &[
            ("fiscal_documents", 2),
            ("payments", 6),
            ("refunds", 2),
            ("webhook_deliveries", 23),
            ("webhook_endpoints", 3),
        ],
    ),
    ("key_rotation", &[("account_credentials", 3), ("certificates", 3), ("stored_cards", 3), ("webhook_endpoints", 4)]),
    ("all_tenants", &[("accounts", 3), ("number_ranges", 5), ("profiles", 3)]),
    ("account:unknown", &[]),
    ("issuer:unknown", &[]),
    ("key:unknown", &[]),
    ("token:unknown", &[]),
    ("link:unknown", &[]),
    ("receipt:unknown", &[]),
    ("recipient:unknown", &[]),
    ("challenge:unknown", &[]),
];

#[tokio::test]
async fn every_table_is_held_to_its_tenant() {
    let (_stores, database) = fresh().await;

    let bare = database
        .texts(
            "SELECT relname::text AS text FROM pg_class WHERE relkind IN ('r', 'p') \
             AND relnamespace = 'public'::regnamespace AND NOT (relrowsecurity AND relforcerowsecurity \
             AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid AND polname = 'tenant_isolation'))",
        )
        .await;

    assert_eq!(bare, COMMON, "a table without `isolate_tenants`");
}

#[tokio::test]
async fn a_tenant_neither_reads_nor_writes_the_rows_of_another() {
    let database = two_tenants().await;
    let mut mine = session(&database, &sample::tenant().merchant.to_string(), "test", "").await;
    for table in tables(&database).await {
        let owner = if table == "merchants" { "id" } else { "merchant" };
        let elses = format!("{owner} = 'merchant_OTHER'");
        let before = database.texts(&contents(&table, &elses)).await;

        assert_eq!(count(&mut mine, &table, &elses).await, 0, "{table} is read");
        for write in [
            format!("UPDATE {table} SET {owner} = {owner} WHERE {elses}"),
            format!("DELETE FROM {table} WHERE {elses}"),
        ] {
            assert_eq!(changed(&mut mine, &write).await, Ok(0), "{write}");
        }
        for write in [
            format!("INSERT INTO {table} SELECT * FROM copy_of_{table}"),
            format!("UPDATE {table} SET {owner} = 'merchant_OTHER'"),
        ] {
            let refused = changed(&mut mine, &write).await.expect_err(&write);
            let is_refused = refused.contains("row-level security") || refused.contains("never change");
            assert!(is_refused, "{write}: {refused}");
        }
        assert!(!before.is_empty(), "{table} has nothing of the other tenant to hide");
        assert_eq!(database.texts(&contents(&table, &elses)).await, before, "{table}");
    }
}

#[tokio::test]
async fn a_mode_does_not_see_the_other() {
    let database = two_tenants().await;
    let mut live = session(&database, &sample::tenant().merchant.to_string(), "live", "").await;
    for table in tables(&database).await {
        let expected = i64::from(table == "merchants");
        assert_eq!(count(&mut live, &table, "true").await, expected, "{table}");
    }
}

#[tokio::test]
async fn a_session_without_a_tenant_sees_no_rows() {
    let database = two_tenants().await;
    let mut anonymous = AsyncPgConnection::establish(database.url()).await.expect("the database answers");
    for table in tables(&database).await {
        assert_eq!(count(&mut anonymous, &table, "true").await, 0, "{table}");
        let refused = changed(&mut anonymous, &format!("INSERT INTO {table} SELECT * FROM copy_of_{table}")).await;
        assert!(refused.expect_err(&table).contains("row-level security"), "{table}");
    }
}

#[tokio::test]
async fn an_access_scope_shows_its_rows_and_no_others() {
    let database = two_tenants().await;
    let digest =
        database.texts("SELECT encode(digest, 'hex') AS text FROM merchant_keys WHERE merchant LIKE '%OTHER'").await;
    let token = database.texts("SELECT encode(digest, 'hex') AS text FROM checkout_tokens LIMIT 1").await;
    let link = database.texts("SELECT checkout_link AS text FROM payments LIMIT 1").await;
    let (key, token, link) = (format!("key:{}", digest[0]), format!("token:{}", token[0]), format!("link:{}", link[0]));
    let back =
        database.texts("SELECT challenge_link AS text FROM attempts WHERE challenge_link IS NOT NULL LIMIT 1").await;
    let back = format!("challenge:{}", back[0]);
    let issuer = format!("issuer:{}", sample::tax_id().as_str());
    let account = format!("account:{}", sample::account_id(1));
    let presented: [(&str, &[(&str, i64)]); 6] = [
        (&account, &[("account_credentials", 3)]),
        (&issuer, &[("annulments", 1), ("number_ranges", 3)]),
        (&key, &[("merchant_keys", 1), ("merchants", 1)]),
        (&token, &[("checkout_tokens", 1)]),
        (&link, &[("fiscal_documents", 1), ("payments", 1)]),
        (&back, &[("attempts", 1)]),
    ];
    for (access_scope, expected) in ACCESS_SCOPES.iter().chain(&presented) {
        let mut session = session(&database, "", "", access_scope).await;
        let mut seen = Vec::new();
        for table in tables(&database).await {
            match count(&mut session, &table, "true").await {
                0 => {}
                rows => seen.push((table, rows)),
            }
        }
        let expected: Vec<_> = expected.iter().map(|(table, rows)| ((*table).to_owned(), *rows)).collect();
        assert_eq!(seen, expected, "{access_scope}");
    }
}

#[tokio::test]
async fn the_scope_of_a_connection_ends_with_its_statement() {
    let database = two_tenants().await;
    let store = Stores::of(Postgres::connect(database.url()).await.expect("the database answers"));
    let stranger = ports::Tenant { merchant: sample::merchant_id(7), ..sample::tenant() };
    let (mine, id) = (sample::tenant(), sample::payment_id(1));
    for _ in 0..50 {
        let (found, theirs, due) =
            tokio::join!(store.sales.find(&mine, &id), store.sales.find(&stranger, &id), store.work.next_due(),);
        assert_eq!(found.expect("the store answers").map(|it| it.payment.status()), Some(PaymentStatus::Succeeded));
        assert_eq!(theirs.expect("the store answers"), None);
        assert!(due.expect("the store answers").is_some());
    }
}

/// Creates a database in which two merchants have rows in each table, with copies of the rows of the second one.
async fn two_tenants() -> Database {
    let (stores, database) = fresh().await;
    stores.register_merchant().await;
    let key = sample::merchant_key(1);
    let used = KeyUse { tenant: sample::tenant(), digest: key.digest, at: sample::noon() };
    stores.registry.add_key(key).await.expect("a new key");
    stores.credentials.note_uses(&[used]).await.expect("the store answers");
    stores.registry.add_certificate(sample::stored_certificate(1)).await.expect("a new certificate");
    let credentials = sample::new_credentials(1, b"sealed");
    let endpoint = Box::new(sample::endpoint(1));
    let endpoint = SetupChange::Endpoint { endpoint, sealed_secret: b"sealed".to_vec(), limit: 9 };
    for (n, change) in (100..).zip([credentials, endpoint]) {
        done(stores.setup.commit(sample::setup(n, change)).await, "there is no conflict");
    }
    exercise(&stores, 1, |_| {}).await;
    let range = sample::range(DocumentKind::Government);
    done(stores.ledger.withdraw(withdrawal(1, &range, range.last, range.last)).await, "no number of it was given");
    for n in [2, 3] {
        done(stores.sales.commit(sample::creation(&sample::sale(n))).await, "a sale that waits for its payer");
    }
    let paid = sample::update(&sample::sale(3), &sample::paid(3));
    done(stores.sales.commit(paid).await, "a document that waits for its number");
    let refunded = sample::not_refunded(sample::issued(4));
    done(stores.sales.commit(sample::creation(&refunded.sale)).await, "an issued sale");
    let mut after = refunded.clone();
    let facts = sample::refund_facts(&after.sale, 4);
    let events = sample::begin_refund(&mut after, 4, facts, &sample::refund_of(500_00));
    let refund = sample::refund_change(&refunded, &after, &sample::refund_id(4), events);
    done(stores.sales.commit(refund).await, "a refund that waits for its call");
    let wish =
        Commit { delivery: sample::new_delivery(sample::delivery(2, 1)), ..sample::empty_commit(&sample::sale(2)) };
    done(stores.sales.commit(wish).await, "a document that is wanted by e-mail");
    stores.stored_cards.store(sample::stored_card(1), sample::noon()).await.expect("a new card");
    database.run(&document_rows()).await.expect("rows that each table takes");
    for table in tables(&database).await {
        for (merchant, mode) in OTHERS {
            database.run(&another(&table, merchant, mode)).await.unwrap_or_else(|error| panic!("{table}: {error}"));
        }
    }
    database
}

/// Inserts rows of documents and interchanges.
fn document_rows() -> String {
    let (merchant, document) = (sample::tenant().merchant, sample::document_id(1));
    format!(
        "INSERT INTO fiscal_revisions VALUES ('{merchant}', 'test', '{document}', 1, 0, '{{}}'); \
         INSERT INTO exchange_rates VALUES ('{merchant}', 'test', 'USD', '2026-03-01', 0, 581234, 'bank', '2026-03-07'); \
         INSERT INTO received_documents VALUES ('{merchant}', 'test', 'testecf', '131880600', 'E310000000001', 31, \
         '101850043', '2026-03-01', 0, 0, '', ''); \
         INSERT INTO commercial_approvals VALUES ('{merchant}', 'test', '{document}', '101850043', 'E310000000001', \
         '2026-03-01', 0, '101000007', true, NULL, '2026-03-01', 0, '')"
    )
}

/// Inserts a copy of a sample's row for another tenant.
fn another(table: &str, merchant: &str, mode: &str) -> String {
    let owner = if table == "merchants" { "id" } else { "merchant" };
    format!(
        "SET session_replication_role = replica; INSERT INTO {table} SELECT it.* FROM {table} old, \
         jsonb_populate_record(old, jsonb_build_object('{owner}', '{merchant}', 'mode', '{mode}', \
         'digest', '\\x' || encode(sha256('{mode}'), 'hex'), 'checkout_link', '{mode}', 'checkout_reference', '{mode}', 'challenge_link', '{mode}', 'issuer', '{mode}')) it \
         LIMIT 1 ON CONFLICT DO NOTHING; \
         DROP TABLE IF EXISTS copy_of_{table}; \
         CREATE TABLE copy_of_{table} AS SELECT * FROM {table} WHERE {owner} = '{merchant}'; \
         GRANT SELECT ON copy_of_{table} TO cobro_held"
    )
}

async fn tables(database: &Database) -> Vec<String> {
    let tables = "SELECT relname::text AS text FROM pg_class WHERE relkind IN ('r', 'p') AND relrowsecurity ORDER BY 1";
    database.texts(tables).await
}

fn contents(table: &str, condition: &str) -> String {
    format!("SELECT row_to_json({table})::text AS text FROM {table} WHERE {condition} ORDER BY 1")
}

/// Opens a session with a scope, as the stores do.
pub(super) async fn session(database: &Database, merchant: &str, mode: &str, access_scope: &str) -> AsyncPgConnection {
    let mut session = AsyncPgConnection::establish(database.url()).await.expect("the database answers");
    let settings = format!(
        "SET cobro.merchant = '{merchant}'; SET cobro.mode = '{mode}'; SET cobro.access_scope = '{access_scope}'"
    );
    session.batch_execute(&settings).await.expect("settings of ours");
    session
}

async fn count(session: &mut AsyncPgConnection, table: &str, condition: &str) -> i64 {
    let query = format!("SELECT count(*)::text AS text FROM {table} WHERE {condition}");
    let lines: Vec<TextRow> = diesel::sql_query(query).load(session).await.expect("a valid query");
    lines.as_slice().first().and_then(|it| it.text.parse().ok()).expect("a count")
}

async fn changed(session: &mut AsyncPgConnection, statement: &str) -> Result<usize, String> {
    diesel::sql_query(statement).execute(session).await.map_err(|error| error.to_string())
}

/// The store reports whether row security applies to the role.
#[tokio::test]
async fn row_security_does_not_apply_to_a_superuser() {
    let (_stores, database) = fresh().await;
    let role = Postgres::connect(database.url()).await.expect("the database answers");
    let superuser = Postgres::connect(database.superusers_url()).await.expect("the database answers");

    assert!(role.has_row_security().await.expect("the database answers"));
    assert!(!superuser.has_row_security().await.expect("the database answers"));
}
