use std::collections::BTreeSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::sql,
    migration::{MigrationSource, Result as MigrationResult},
    pg::Pg,
    sql_types::{BigInt, Bool, Text},
};
use diesel_async::{
    AsyncPgConnection, SimpleAsyncConnection, async_connection_wrapper::AsyncConnectionWrapper,
    pooled_connection::deadpool::Object,
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use domain::clock::TimeReference;
use ports::{ReferenceClock, Unavailable};

use super::Postgres;
use crate::{
    failure::unavailable,
    migration::{SchemaError, is_unreleased},
    scope::Scope,
    time::instant,
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// Takes the lock of migrations, so that one process migrates at a time. The number is arbitrary; the lock ends with the
/// connection. A migration has no timeout.
const LOCK: &str = "SET statement_timeout = 0; SET lock_timeout = 0; \
     SET idle_in_transaction_session_timeout = 0; SELECT pg_advisory_lock(7301844519426063)";

impl Postgres {
    /// Brings the schema up to date.
    ///
    /// # Errors
    ///
    /// If an unreleased version created the database, or the database does not respond, or refuses a change; each
    /// change is a transaction.
    pub async fn migrate(&self) -> Result<(), SchemaError> {
        let mut connection = Object::take(self.connection().await?);
        connection.batch_execute(LOCK).await.map_err(unavailable)?;
        self.refuse_unreleased().await?;
        // The migrations of Diesel block their thread.
        let migrated = tokio::task::spawn_blocking(move || {
            AsyncConnectionWrapper::<AsyncPgConnection>::from(connection).run_pending_migrations(MIGRATIONS).map(drop)
        });
        Ok(migrated.await.map_err(unavailable)?.map_err(unavailable)?)
    }

    /// Returns whether the schema is at least as new as this program.
    ///
    /// # Errors
    ///
    /// If an unreleased version created the database, or the database does not respond.
    pub async fn is_current(&self) -> Result<bool, SchemaError> {
        self.refuse_unreleased().await?;
        Ok(needed().map_err(unavailable)?.is_subset(&self.applied().await?))
    }

    /// Returns the migrations of the database.
    async fn applied(&self) -> Result<BTreeSet<String>, Unavailable> {
        let exists = sql::<Bool>("SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL");
        let exists: Vec<bool> = self.load(Scope::NONE, exists).await?;
        if exists != [true] {
            return Ok(BTreeSet::new());
        }
        let applied = sql::<Text>("SELECT version FROM __diesel_schema_migrations");
        let applied: Vec<String> = self.load(Scope::NONE, applied).await?;
        Ok(applied.into_iter().collect())
    }

    async fn refuse_unreleased(&self) -> Result<(), SchemaError> {
        let tables = sql::<Text>("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema");
        let tables: Vec<String> = self.load(Scope::NONE, tables).await?;
        if is_unreleased(tables.iter().map(String::as_str)) { Err(SchemaError::UnreleasedDatabase) } else { Ok(()) }
    }

    /// Returns the newest migration of the database, if there is one, and the newest of this program.
    ///
    /// # Errors
    ///
    /// If the database does not respond.
    pub async fn schema(&self) -> Result<(Option<String>, String), Unavailable> {
        let newest = needed().map_err(unavailable)?.pop_last().unwrap_or_default();
        Ok((self.applied().await?.pop_last(), newest))
    }

    /// Returns the time of the database.
    ///
    /// # Errors
    ///
    /// If the database does not respond.
    pub async fn now(&self) -> Result<DateTime<Utc>, Unavailable> {
        let now = sql::<BigInt>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
        let now: Vec<i64> = self.load(Scope::NONE, now).await?;
        now.first().and_then(|it| instant(*it)).ok_or_else(|| unavailable("the database has no time"))
    }

    /// Returns whether row security applies to the role of this session. Superusers bypass row security.
    ///
    /// # Errors
    ///
    /// If the database does not respond.
    pub async fn has_row_security(&self) -> Result<bool, Unavailable> {
        let applies = sql::<Bool>("SELECT NOT (rolsuper OR rolbypassrls) FROM pg_roles WHERE rolname = current_user");
        let applies: Vec<bool> = self.load(Scope::NONE, applies).await?;
        Ok(applies == [true])
    }
}

#[async_trait]
impl ReferenceClock for Postgres {
    async fn reference(&self) -> Result<TimeReference, Unavailable> {
        self.now().await.map(TimeReference::Clock)
    }
}

fn needed() -> MigrationResult<BTreeSet<String>> {
    let migrations = MigrationSource::<Pg>::migrations(&MIGRATIONS)?;
    Ok(migrations.iter().map(|it| it.name().version().to_string()).collect())
}
