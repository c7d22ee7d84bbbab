//! The register of taxpayers. Only deployments import it, so only their database keeps it.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text},
};
use domain::fiscal::TaxId;
use ports::{Listing, RegisterCopy, RegisterEntry, TaxpayerRegister, Unavailable};

use super::Postgres;
use crate::{
    failure::unavailable,
    scope::Scope,
    time::{bound, instant, millis},
};

/// Whoever imports is done with it by then, or gone.
const IMPORT: TimeDelta = TimeDelta::hours(1);
/// Rows that one statement removes: it must end in the time that a statement has.
const STRIDE: i64 = 20_000;

/// The copy that is read.
const READ: &str = "(SELECT id FROM register_copies WHERE is_complete ORDER BY as_of DESC, id DESC LIMIT 1)";

#[derive(QueryableByName)]
struct ListingRow {
    #[diesel(sql_type = BigInt)]
    as_of: i64,
    #[diesel(sql_type = Nullable<Text>)]
    legal_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    status: Option<String>,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

#[async_trait]
impl TaxpayerRegister for Postgres {
    async fn look_up(&self, tax_id: &TaxId) -> Result<Option<Listing>, Unavailable> {
        let query = format!(
            "SELECT it.as_of, listed.legal_name, listed.status FROM register_copies it \
             LEFT JOIN taxpayers listed ON listed.copy = it.id AND listed.tax_id = $1 WHERE it.id = {READ}"
        );
        let query = sql_query(query).bind::<Text, _>(tax_id.as_str().to_owned());
        let row: Option<ListingRow> = self.load(Scope::none(), query).await?.pop();
        row.map(|it| listing(tax_id, it)).transpose()
    }

    async fn in_force(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        let query = sql_query(format!("SELECT as_of AS number FROM register_copies WHERE id = {READ}"));
        let row: Option<Number> = self.load(Scope::none(), query).await?.pop();
        let unknown = || unavailable("a copy of the register is of no time");
        row.map(|it| instant(it.number).ok_or_else(unknown)).transpose()
    }

    async fn begin(&self, as_of: DateTime<Utc>, now: DateTime<Utc>) -> Result<RegisterCopy, Unavailable> {
        let query = sql_query("INSERT INTO register_copies (as_of, started_at) VALUES ($1, $2) RETURNING id AS number");
        let query = query.bind::<BigInt, _>(millis(as_of)).bind::<BigInt, _>(millis(now));
        self.number(query).await.map(RegisterCopy)
    }

    async fn add(&self, copy: RegisterCopy, entries: Vec<RegisterEntry>) -> Result<(), Unavailable> {
        let (mut tax_ids, mut names, mut statuses) = (Vec::new(), Vec::new(), Vec::new());
        for RegisterEntry { tax_id, legal_name, status } in entries {
            tax_ids.push(tax_id);
            names.push(legal_name);
            statuses.push(status);
        }
        // Of one number in a batch the last counts, and one statement may write it once only.
        let statement = sql_query(
            "INSERT INTO taxpayers SELECT DISTINCT ON (it.tax_id) $1, it.tax_id, it.legal_name, it.status \
             FROM unnest($2, $3, $4) WITH ORDINALITY it (tax_id, legal_name, status, place) \
             ORDER BY it.tax_id, it.place DESC \
             ON CONFLICT (copy, tax_id) DO UPDATE SET legal_name = excluded.legal_name, status = excluded.status",
        );
        let statement = statement
            .bind::<BigInt, _>(copy.0)
            .bind::<Array<Text>, _>(tax_ids)
            .bind::<Array<Text>, _>(names)
            .bind::<Array<Text>, _>(statuses);
        self.execute(Scope::none(), statement).await.map(drop)
    }

    async fn count(&self, copy: RegisterCopy) -> Result<u64, Unavailable> {
        let query = sql_query("SELECT count(*) AS number FROM taxpayers WHERE copy = $1").bind::<BigInt, _>(copy.0);
        self.number(query).await.map(|it| it.try_into().unwrap_or_default())
    }

    async fn publish(&self, copy: RegisterCopy) -> Result<(), Unavailable> {
        let statement =
            sql_query("UPDATE register_copies SET is_complete = true WHERE id = $1").bind::<BigInt, _>(copy.0);
        match self.execute(Scope::none(), statement).await? {
            1 => Ok(()),
            _ => Err(unavailable("the copy was removed before it was whole")),
        }
    }

    async fn discard(&self, copy: RegisterCopy) -> Result<(), Unavailable> {
        const ROWS: &str = "DELETE FROM taxpayers \
             WHERE ctid = ANY (ARRAY(SELECT ctid FROM taxpayers WHERE copy = $1 LIMIT $2))";
        // The copy first: a publication that is late finds none.
        let gone = sql_query("DELETE FROM register_copies WHERE id = $1").bind::<BigInt, _>(copy.0);
        self.execute(Scope::none(), gone).await?;
        let stride = || sql_query(ROWS).bind::<BigInt, _>(copy.0).bind::<BigInt, _>(STRIDE);
        while self.execute(Scope::none(), stride()).await? > 0 {}
        Ok(())
    }

    async fn tidy(&self, now: DateTime<Utc>) -> Result<(), Unavailable> {
        let abandoned = bound(now.checked_sub_signed(IMPORT).unwrap_or(now));
        let kept = format!("SELECT id FROM register_copies WHERE id = {READ} OR NOT is_complete AND started_at >= $1");
        let copies = format!("DELETE FROM register_copies WHERE id NOT IN ({kept})");
        let rows = format!(
            "DELETE FROM taxpayers \
             WHERE ctid = ANY (ARRAY(SELECT ctid FROM taxpayers WHERE copy NOT IN ({kept}) LIMIT $2))"
        );
        // The copy first: whoever is late with it cannot publish what is half removed.
        self.execute(Scope::none(), sql_query(copies).bind::<BigInt, _>(abandoned)).await?;
        let stride = || sql_query(rows.clone()).bind::<BigInt, _>(abandoned).bind::<BigInt, _>(STRIDE);
        while self.execute(Scope::none(), stride()).await? > 0 {}
        Ok(())
    }
}

impl Postgres {
    /// The one number that a query gives.
    async fn number<Q>(&self, query: Q) -> Result<i64, Unavailable>
    where
        for<'q, 'c> &'q Q: diesel_async::methods::LoadQuery<'q, &'c diesel_async::AsyncPgConnection, Number>,
        Q: Send + Sync + 'static,
    {
        let row: Option<Number> = self.load_written(Scope::none(), query).await?.pop();
        row.map(|it| it.number).ok_or_else(|| unavailable("a number was not told"))
    }
}

fn listing(tax_id: &TaxId, row: ListingRow) -> Result<Listing, Unavailable> {
    let ListingRow { as_of, legal_name, status } = row;
    let as_of = instant(as_of).ok_or_else(|| unavailable("a copy of the register is of no time"))?;
    let named = legal_name.zip(status);
    let entry = |(legal_name, status)| RegisterEntry { tax_id: tax_id.as_str().to_owned(), legal_name, status };
    Ok(Listing { as_of, entry: named.map(entry) })
}
