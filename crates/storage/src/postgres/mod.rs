//! PostgreSQL, for production. Any number of processes use one database.

mod apply;
mod batch;
mod claim;
mod group_commit;
mod migrate;
mod numbers;
mod pools;
mod register;
mod run;
mod session;
mod statistics;
mod webhooks;

#[path = "../queries/mod.rs"]
mod queries;

use std::pin::Pin;

use diesel::{
    QueryResult,
    dsl::sql,
    pg::Pg,
    query_builder::{Query, QueryFragment, QueryId},
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, RunQueryDsl, pooled_connection::deadpool::Object};
use futures_util::{TryStreamExt, future::try_join_all};
use ports::Unavailable;

use self::{pools::Pools, session::set_tenant};
use crate::{
    PoolUse, Rows4,
    failure::{Failure, read_only, unusable},
    number_batcher::NumberBatcher,
    query::{AnyQuery, AnyStatement, Load},
    scope::Scope,
    sql::{Bind, SqlFile, sql_file},
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
    /// If the database does not respond, or may lose a confirmed commit: `synchronous_commit` must be on.
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
        let setting: Vec<String> = self.load(Scope::NONE, setting).await?;
        match setting.as_slice() {
            [setting] if setting == "on" || setting == "remote_apply" => Ok(()),
            _ => Err(unusable("synchronous_commit is not on: a confirmed payment could be lost")),
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
    fn load<U, Q: Load<Pg, U> + Send + 'static>(&self, scope: Scope, query: Q) -> Pending<'_, Vec<U>> {
        let rows = self.read_rows(scope, vec![AnyQuery::query(query)]);
        Box::pin(async move { next::<U, Q>(&mut rows.await?.into_iter()) })
    }

    /// Returns the rows of two queries, in one round trip.
    fn load_two<U1, U2, Q1, Q2>(&self, scope: Scope, one: Q1, two: Q2) -> Pending<'_, (Vec<U1>, Vec<U2>)>
    where
        Q1: Load<Pg, U1> + Send + 'static,
        Q2: Load<Pg, U2> + Send + 'static,
    {
        let rows = self.read_rows(scope, vec![AnyQuery::query(one), AnyQuery::query(two)]);
        Box::pin(async move {
            let mut rows = rows.await?.into_iter();
            Ok((next::<U1, Q1>(&mut rows)?, next::<U2, Q2>(&mut rows)?))
        })
    }

    /// Returns the rows of four queries, in one round trip.
    fn load_pipelined<U1, U2, U3, U4, Q1, Q2, Q3, Q4>(
        &self,
        scope: Scope,
        (one, two, three, four): (Q1, Q2, Q3, Q4),
    ) -> Pending<'_, Rows4<U1, U2, U3, U4>>
    where
        Q1: Load<Pg, U1> + Send + 'static,
        Q2: Load<Pg, U2> + Send + 'static,
        Q3: Load<Pg, U3> + Send + 'static,
        Q4: Load<Pg, U4> + Send + 'static,
    {
        let queries = vec![AnyQuery::query(one), AnyQuery::query(two), AnyQuery::query(three), AnyQuery::query(four)];
        let rows = self.read_rows(scope, queries);
        Box::pin(async move {
            let mut rows = rows.await?.into_iter();
            let (one, two) = (next::<U1, Q1>(&mut rows)?, next::<U2, Q2>(&mut rows)?);
            Ok((one, two, next::<U3, Q3>(&mut rows)?, next::<U4, Q4>(&mut rows)?))
        })
    }

    /// Returns the rows of a statement that writes.
    fn load_written<U, Q>(&self, scope: Scope, statement: Q) -> Pending<'_, Vec<U>>
    where
        Q: Load<Pg, U> + Send + Sync + 'static,
    {
        Box::pin(async move { Ok(self.try_load_written(scope, statement).await?) })
    }

    async fn try_load_written<U, Q>(&self, scope: Scope, statement: Q) -> Result<Vec<U>, Failure>
    where
        Q: Load<Pg, U> + Send + Sync + 'static,
    {
        build_all::<U, Q>(&self.write_rows(scope, AnyStatement::statement(statement)).await?)
    }

    /// Runs one statement. Returns the number of changed rows.
    fn execute(&self, scope: Scope, statement: impl QueryFragment<Pg> + Send + Sync + 'static) -> Pending<'_, u64> {
        let statement = AnyStatement::statement(statement);
        Box::pin(async move {
            let changed = self.run_statement(&scope, &statement).await?;
            Ok(u64::try_from(changed).unwrap_or(u64::MAX))
        })
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

    async fn run_statement(&self, scope: &Scope, statement: &AnyStatement<Pg>) -> Result<usize, Failure> {
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

fn build_all<U, Q: Load<Pg, U>>(rows: &[PgRow]) -> Result<Vec<U>, Failure> {
    Ok(rows.iter().map(Q::build).collect::<QueryResult<_>>()?)
}

/// Reads the rows of the next query.
fn next<U, Q: Load<Pg, U>>(queries: &mut impl Iterator<Item = Vec<PgRow>>) -> Result<Vec<U>, Unavailable> {
    Ok(build_all::<U, Q>(&queries.next().unwrap_or_default())?)
}

/// Returns the statements that delete deliveries, events and e-mails from before `before`, `limit` rows each.
fn sweep(before: i64, limit: i64) -> [SqlFile<Backend>; 4] {
    [
        sql_file!("postgres/sweep_webhook_deliveries", before: before, limit: limit),
        sql_file!("postgres/sweep_events", table: Bind::Sql("events"), before: before, limit: limit),
        sql_file!("postgres/sweep_events", table: Bind::Sql("account_events"), before: before, limit: limit),
        sql_file!("postgres/sweep_endpoint_disabled_emails", before: before, limit: limit),
    ]
}
