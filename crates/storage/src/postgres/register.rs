//! The register of taxpayers. Only deployments import the register, so SQLite has no tables for it.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    pg::Pg,
    sql_types::{BigInt, Nullable, Text},
};
use domain::fiscal::TaxId;
use ports::{Listing, RegisterCopy, RegisterEntry, TaxpayerRegister, Unavailable};

use super::Postgres;
use crate::{
    failure::unavailable,
    scope::Scope,
    sql::{SqlFile, sql_file},
    time::{bound, instant, millis},
};

/// Age at which an incomplete import is abandoned.
const IMPORT: TimeDelta = TimeDelta::hours(1);
/// Maximum number of rows that one statement deletes within the timeout.
const STRIDE: i64 = 20_000;

#[async_trait]
impl TaxpayerRegister for Postgres {
    async fn look_up(&self, tax_id: &TaxId) -> Result<Option<Listing>, Unavailable> {
        let query = sql_file!("postgres/register_look_up", tax_id: tax_id.as_str());
        let query = query.returning::<(BigInt, Nullable<Text>, Nullable<Text>)>();
        let row: Option<(i64, Option<String>, Option<String>)> = self.load(Scope::NONE, query).await?.pop();
        let listing = |(as_of, legal_name, status): (i64, Option<String>, Option<String>)| {
            let entry = |(legal_name, status)| RegisterEntry { tax_id: tax_id.as_str().to_owned(), legal_name, status };
            Ok(Listing { as_of: read_as_of(as_of)?, entry: legal_name.zip(status).map(entry) })
        };
        row.map(listing).transpose()
    }

    async fn in_force(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        let query = sql_file!("postgres/register_in_force").returning::<BigInt>();
        let as_of: Option<i64> = self.load(Scope::NONE, query).await?.pop();
        as_of.map(read_as_of).transpose()
    }

    async fn begin(&self, as_of: DateTime<Utc>, now: DateTime<Utc>) -> Result<RegisterCopy, Unavailable> {
        let insert = sql_file!("postgres/register_begin", as_of: millis(as_of), now: millis(now));
        let id: Option<i64> = self.load_written(Scope::NONE, insert.returning::<BigInt>()).await?.pop();
        id.map(RegisterCopy).ok_or_else(|| unavailable("the insert returned no row"))
    }

    async fn add(&self, copy: RegisterCopy, entries: Vec<RegisterEntry>) -> Result<(), Unavailable> {
        let (mut tax_ids, mut names, mut statuses) = (Vec::new(), Vec::new(), Vec::new());
        for RegisterEntry { tax_id, legal_name, status } in entries {
            tax_ids.push(tax_id);
            names.push(legal_name);
            statuses.push(status);
        }
        let insert =
            sql_file!("postgres/register_add", copy: copy.0, tax_ids: tax_ids, names: names, statuses: statuses);
        self.execute(Scope::NONE, insert).await.map(drop)
    }

    async fn count(&self, copy: RegisterCopy) -> Result<u64, Unavailable> {
        let query = sql_file!("postgres/register_count", copy: copy.0).returning::<BigInt>();
        let count: Option<i64> = self.load(Scope::NONE, query).await?.pop();
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default())
    }

    async fn publish(&self, copy: RegisterCopy) -> Result<(), Unavailable> {
        match self.execute(Scope::NONE, sql_file!("postgres/register_publish", copy: copy.0)).await? {
            1 => Ok(()),
            _ => Err(unavailable("the copy was deleted before its import ended")),
        }
    }

    async fn discard(&self, copy: RegisterCopy) -> Result<(), Unavailable> {
        // The copy first: a late publication finds no row.
        self.execute(Scope::NONE, sql_file!("postgres/register_discard", copy: copy.0)).await?;
        self.delete_all(|| sql_file!("postgres/register_discard_entries", copy: copy.0, limit: STRIDE)).await
    }

    async fn tidy(&self, now: DateTime<Utc>) -> Result<(), Unavailable> {
        let abandoned_before = bound(now.checked_sub_signed(IMPORT).unwrap_or(now));
        // The copies first: a late import cannot publish a copy with deleted entries.
        let copies = sql_file!("postgres/register_sweep", abandoned_before: abandoned_before);
        self.execute(Scope::NONE, copies).await?;
        self.delete_all(
            || sql_file!("postgres/register_sweep_entries", abandoned_before: abandoned_before, limit: STRIDE),
        )
        .await
    }
}

impl Postgres {
    /// Repeats a statement until no row is deleted.
    async fn delete_all(&self, statement: impl Fn() -> SqlFile<Pg> + Send + Sync) -> Result<(), Unavailable> {
        while self.execute(Scope::NONE, statement()).await? > 0 {}
        Ok(())
    }
}

fn read_as_of(as_of: i64) -> Result<DateTime<Utc>, Unavailable> {
    instant(as_of).ok_or_else(|| unavailable("register_copies.as_of is inconsistent"))
}
