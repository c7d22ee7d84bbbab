//! PostgreSQL, for production. Any number of processes use one database.

mod batch;
mod claim;
mod migrate;
mod numbers;
mod pools;
mod register;
mod run;
mod session;
mod webhooks;

#[path = "../queries/mod.rs"]
mod queries;

use std::pin::Pin;

use diesel::{
    QueryResult,
    deserialize::FromSqlRow,
    dsl::sql,
    pg::Pg,
    query_builder::{Query, QueryFragment, QueryId},
    query_dsl::CompatibleType,
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, RunQueryDsl, pooled_connection::deadpool::Object};
use futures_util::{TryStreamExt, future::try_join_all};
use ports::Unavailable;

use self::{batch::SingleStatementBatch, pools::Pools, session::set_tenant};
use crate::{
    PoolUse, Rows4,
    failure::{Failure, UNUSABLE, read_only},
    number_batcher::NumberBatcher,
    query::{AnyQuery, AnyStatement, build},
    scope::Scope,
    sql::{SqlFile, sql_file},
    write::Write,
};

type Backend = Pg;
type PgRow = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;
type Store = Postgres;

/// Function that returns the position of a text in another one, from 1.
const FIND: &str = "strpos";

/// All stores, on PostgreSQL.
#[derive(Clone)]
pub struct Postgres {
    pools: Pools,
    numbers: NumberBatcher,
}

/// Future of a query. Boxed to forget the type of the query.
type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Unavailable>> + Send + 'a>>;

impl Postgres {
    /// Connects to the database at `url`, as in `postgres://user:password@host/database`.
    ///
    /// # Errors
    ///
    /// If the database does not answer, or may lose a confirmed commit: `synchronous_commit` must be on.
    pub async fn connect(url: &str) -> Result<Self, Unavailable> {
        let store = Self { pools: Pools::new(url), numbers: NumberBatcher::default() };
        store.check_durability().await?;
        Ok(store)
    }

    /// Returns the current use of the connections.
    pub fn pool_use(&self) -> PoolUse {
        self.pools.in_use()
    }

    async fn check_durability(&self) -> Result<(), Unavailable> {
        let setting = sql::<Text>("SELECT current_setting('synchronous_commit')");
        let setting: Vec<String> = self.load(Scope::none(), setting).await?;
        match setting.as_slice() {
            [setting] if setting == "on" || setting == "remote_apply" => Ok(()),
            _ => Err(Unavailable {
                what: UNUSABLE,
                source: "synchronous_commit is not on: a confirmed payment could be lost".into(),
            }),
        }
    }

    /// # Errors
    ///
    /// If the server is a standby or read-only.
    async fn takes_writes(&self) -> Result<(), Unavailable> {
        let checked = self.write(|connection| async move {
            let mut it: &AsyncPgConnection = &connection;
            let is_read_only: bool =
                sql::<Bool>("SELECT current_setting('transaction_read_only')::bool").get_result(&mut it).await?;
            if is_read_only { Err(read_only()) } else { Ok(()) }
        });
        Ok(checked.await?)
    }

    async fn connection(&self) -> Result<Object<AsyncPgConnection>, Unavailable> {
        self.pools.connection().await
    }

    /// Returns the rows of a query.
    fn load<Q, U, ST>(&self, scope: Scope, query: Q) -> Pending<'_, Vec<U>>
    where
        Q: Query + QueryFragment<Pg> + Send + 'static,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        U: FromSqlRow<ST, Pg>,
    {
        let rows = self.read_rows(scope, vec![AnyQuery::query(query)]);
        Box::pin(async move { next(&mut rows.await?.into_iter()) })
    }

    /// Returns the rows of two queries, in one round trip.
    fn load_two<Q1, U1, ST1, Q2, U2, ST2>(&self, scope: Scope, one: Q1, two: Q2) -> Pending<'_, (Vec<U1>, Vec<U2>)>
    where
        Q1: Query + QueryFragment<Pg> + Send + 'static,
        Q1::SqlType: CompatibleType<U1, Pg, SqlType = ST1>,
        U1: FromSqlRow<ST1, Pg>,
        Q2: Query + QueryFragment<Pg> + Send + 'static,
        Q2::SqlType: CompatibleType<U2, Pg, SqlType = ST2>,
        U2: FromSqlRow<ST2, Pg>,
    {
        let rows = self.read_rows(scope, vec![AnyQuery::query(one), AnyQuery::query(two)]);
        Box::pin(async move {
            let mut rows = rows.await?.into_iter();
            Ok((next(&mut rows)?, next(&mut rows)?))
        })
    }

    /// Returns the rows of four queries, in one round trip.
    fn load_pipelined<Q1, U1, ST1, Q2, U2, ST2, Q3, U3, ST3, Q4, U4, ST4>(
        &self,
        scope: Scope,
        (one, two, three, four): (Q1, Q2, Q3, Q4),
    ) -> Pending<'_, Rows4<U1, U2, U3, U4>>
    where
        Q1: Query + QueryFragment<Pg> + Send + 'static,
        Q1::SqlType: CompatibleType<U1, Pg, SqlType = ST1>,
        U1: FromSqlRow<ST1, Pg>,
        Q2: Query + QueryFragment<Pg> + Send + 'static,
        Q2::SqlType: CompatibleType<U2, Pg, SqlType = ST2>,
        U2: FromSqlRow<ST2, Pg>,
        Q3: Query + QueryFragment<Pg> + Send + 'static,
        Q3::SqlType: CompatibleType<U3, Pg, SqlType = ST3>,
        U3: FromSqlRow<ST3, Pg>,
        Q4: Query + QueryFragment<Pg> + Send + 'static,
        Q4::SqlType: CompatibleType<U4, Pg, SqlType = ST4>,
        U4: FromSqlRow<ST4, Pg>,
    {
        let queries = vec![AnyQuery::query(one), AnyQuery::query(two), AnyQuery::query(three), AnyQuery::query(four)];
        let rows = self.read_rows(scope, queries);
        Box::pin(async move {
            let mut rows = rows.await?.into_iter();
            Ok((next(&mut rows)?, next(&mut rows)?, next(&mut rows)?, next(&mut rows)?))
        })
    }

    /// Returns the rows of a statement that writes.
    fn load_written<Q, U, ST>(&self, scope: Scope, statement: Q) -> Pending<'_, Vec<U>>
    where
        Q: Query + QueryFragment<Pg> + Send + Sync + 'static,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        U: FromSqlRow<ST, Pg>,
    {
        let rows = self.write_rows(scope, AnyStatement::statement(statement));
        Box::pin(async move { Ok(build_all(&rows.await?)?) })
    }

    /// Applies all writes or none, with one statement.
    async fn apply(&self, scope: Scope, writes: Vec<Write<Pg>>) -> Result<(), Failure> {
        self.run_statement(scope, AnyStatement::statement(SingleStatementBatch(writes))).await.map(drop)
    }

    /// Runs one statement. Returns the number of changed rows.
    fn execute(&self, scope: Scope, statement: impl QueryFragment<Pg> + Send + Sync + 'static) -> Pending<'_, u64> {
        let changed = self.run_statement(scope, AnyStatement::statement(statement));
        Box::pin(async move { Ok(u64::try_from(changed.await?).unwrap_or(u64::MAX)) })
    }

    /// Returns the rows of each query, in one round trip.
    async fn read_rows(&self, scope: Scope, queries: Vec<AnyQuery<Pg>>) -> Result<Vec<Vec<PgRow>>, Unavailable> {
        let rows = self.read(|connection| async move {
            let shared: &AsyncPgConnection = &connection;
            let rows = try_join_all(queries.into_iter().map(|query| rows(shared, query)));
            tokio::try_join!(biased; set_tenant(scope, shared), rows)
        });
        Ok(rows.await.map(|((), rows)| rows)?)
    }

    async fn write_rows(&self, scope: Scope, statement: AnyStatement<Pg>) -> Result<Vec<PgRow>, Failure> {
        let (scope, statement) = (&scope, &statement);
        let rows = self.write(|connection| async move {
            let shared: &AsyncPgConnection = &connection;
            tokio::try_join!(biased; set_tenant(scope.clone(), shared), rows(shared, statement))
        });
        rows.await.map(|((), rows)| rows)
    }

    async fn run_statement(&self, scope: Scope, statement: AnyStatement<Pg>) -> Result<usize, Failure> {
        let (scope, statement) = (&scope, &statement);
        let changed = self.write(|connection| async move {
            let mut shared: &AsyncPgConnection = &connection;
            tokio::try_join!(biased; set_tenant(scope.clone(), shared), shared.execute_returning_count(statement))
        });
        changed.await.map(|((), changed)| changed)
    }
}

async fn rows<Q>(mut connection: &AsyncPgConnection, query: Q) -> QueryResult<Vec<PgRow>>
where
    Q: Query + QueryFragment<Pg> + QueryId,
{
    AsyncConnectionCore::load(&mut connection, query).await?.try_collect().await
}

fn build_all<U: FromSqlRow<ST, Pg>, ST>(rows: &[PgRow]) -> Result<Vec<U>, Failure> {
    Ok(rows.iter().map(build).collect::<QueryResult<_>>()?)
}

/// Builds the rows of the next query.
fn next<U: FromSqlRow<ST, Pg>, ST>(queries: &mut impl Iterator<Item = Vec<PgRow>>) -> Result<Vec<U>, Unavailable> {
    Ok(build_all(&queries.next().unwrap_or_default())?)
}

/// Returns the statements that delete deliveries, events and e-mails from before `before`, `limit` rows each.
fn sweep(before: i64, limit: i64) -> [SqlFile<Backend>; 4] {
    [
        sql_file!("postgres/sweep_webhook_deliveries", before: before, limit: limit),
        sql_file!("postgres/sweep_events", before: before, limit: limit),
        sql_file!("postgres/sweep_account_events", before: before, limit: limit),
        sql_file!("postgres/sweep_endpoint_disabled_emails", before: before, limit: limit),
    ]
}
