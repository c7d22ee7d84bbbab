//! PostgreSQL, for production: any number of processes on one database.

mod claim;
mod enter;
mod migrate;
mod numbers;
mod pools;
mod register;
mod run;
mod sweep;
mod together;
mod webhooks;

#[path = "../queries/mod.rs"]
mod queries;

use std::pin::Pin;

use diesel::{
    dsl::sql,
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, methods::LoadQuery, pooled_connection::deadpool::Object};
use ports::Unavailable;

use self::{
    enter::enter,
    pools::Pools,
    sweep::{OLD_ACCOUNT_EVENTS, OLD_ENDPOINT_DISABLED_EMAILS, OLD_EVENTS, OLD_WEBHOOK_DELIVERIES},
    together::Together,
};
use crate::{
    Four, PoolUse,
    failure::{Failure, UNUSABLE, read_only},
    line::Lines,
    scope::Scope,
    write::Write,
};

type Backend = Pg;
type Store = Postgres;

/// The function that says where in one text another stands, from 1.
const FIND: &str = "strpos";

/// All stores, on PostgreSQL.
#[derive(Clone)]
pub struct Postgres {
    pools: Pools,
    /// Who waits for numbers.
    lines: Lines,
}

/// What the database will say. Boxed, because the compiler loses the thread in the queries' types.
type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Unavailable>> + Send + 'a>>;

impl Postgres {
    /// Connects to the database at `url`, as in `postgres://user:password@host/database`.
    ///
    /// # Errors
    ///
    /// If the database does not answer, or if it may confirm a commit and lose it:
    /// `synchronous_commit` must be on.
    pub async fn connect(url: &str) -> Result<Self, Unavailable> {
        let store = Self { pools: Pools::new(url), lines: Lines::default() };
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
            [it] if it == "on" || it == "remote_apply" => Ok(()),
            _ => Err(Unavailable {
                what: UNUSABLE,
                source: "synchronous_commit is not on: a confirmed payment could be lost".into(),
            }),
        }
    }

    /// Whether the server is the primary and not read-only.
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

    /// The rows of one query.
    fn load<Q, U>(&self, scope: Scope, query: Q) -> Answer<'_, Vec<U>>
    where
        for<'c> Q: LoadQuery<'static, &'c AsyncPgConnection, U> + Send + 'static,
        U: Send + 'static,
    {
        Box::pin(async move {
            let rows = self.read(|connection| async move {
                let mut it: &AsyncPgConnection = &connection;
                tokio::try_join!(biased; enter(scope, it), query.load(&mut it))
            });
            rows.await.map(|((), rows)| rows).map_err(Unavailable::from)
        })
    }

    /// The rows of two queries, in one round trip.
    fn load_two<Q1, U1, Q2, U2>(&self, scope: Scope, first: Q1, second: Q2) -> Answer<'_, (Vec<U1>, Vec<U2>)>
    where
        for<'c> Q1: LoadQuery<'static, &'c AsyncPgConnection, U1> + Send + 'static,
        for<'c> Q2: LoadQuery<'static, &'c AsyncPgConnection, U2> + Send + 'static,
        U1: Send + 'static,
        U2: Send + 'static,
    {
        Box::pin(async move {
            let rows = self.read(|connection| async move {
                let connection: &AsyncPgConnection = &connection;
                let (mut one, mut two) = (connection, connection);
                tokio::try_join!(biased; enter(scope, connection), first.load(&mut one), second.load(&mut two))
            });
            rows.await.map(|((), one, two)| (one, two)).map_err(Unavailable::from)
        })
    }

    /// The rows of four queries, in one round trip.
    fn load_four<Q1, U1, Q2, U2, Q3, U3, Q4, U4>(
        &self,
        scope: Scope,
        (first, second, third, fourth): (Q1, Q2, Q3, Q4),
    ) -> Answer<'_, Four<U1, U2, U3, U4>>
    where
        for<'c> Q1: LoadQuery<'static, &'c AsyncPgConnection, U1> + Send + 'static,
        for<'c> Q2: LoadQuery<'static, &'c AsyncPgConnection, U2> + Send + 'static,
        for<'c> Q3: LoadQuery<'static, &'c AsyncPgConnection, U3> + Send + 'static,
        for<'c> Q4: LoadQuery<'static, &'c AsyncPgConnection, U4> + Send + 'static,
        U1: Send + 'static,
        U2: Send + 'static,
        U3: Send + 'static,
        U4: Send + 'static,
    {
        Box::pin(async move {
            let rows = self.read(|connection| async move {
                let connection: &AsyncPgConnection = &connection;
                let (mut one, mut two, mut three, mut four) = (connection, connection, connection, connection);
                tokio::try_join!(
                    biased;
                    enter(scope, connection),
                    first.load(&mut one),
                    second.load(&mut two),
                    third.load(&mut three),
                    fourth.load(&mut four),
                )
            });
            rows.await.map(|((), one, two, three, four)| (one, two, three, four)).map_err(Unavailable::from)
        })
    }

    /// Returns the rows of one statement that writes.
    fn load_written<Q, U>(&self, scope: Scope, statement: Q) -> Answer<'_, Vec<U>>
    where
        for<'q, 'c> &'q Q: LoadQuery<'q, &'c AsyncPgConnection, U>,
        Q: Send + Sync + 'static,
        U: Send + 'static,
    {
        Box::pin(async move {
            let (scope, statement) = (&scope, &statement);
            let rows = self.write(|connection| async move {
                let mut it: &AsyncPgConnection = &connection;
                tokio::try_join!(biased; enter(scope.clone(), it), statement.load(&mut it))
            });
            rows.await.map(|((), rows)| rows).map_err(Unavailable::from)
        })
    }

    /// All of the writes, or none of them: one statement, and one round trip.
    async fn apply(&self, scope: Scope, writes: Vec<Write<Pg>>) -> Result<(), Failure> {
        let (scope, writes) = (&scope, &Together(writes));
        let written = self.write(|connection| async move {
            let mut it: &AsyncPgConnection = &connection;
            tokio::try_join!(biased; enter(scope.clone(), it), writes.execute(&mut it))
        });
        written.await.map(drop)
    }

    /// Runs one statement by itself and says how many rows it changed.
    fn execute<Q>(&self, scope: Scope, statement: Q) -> Answer<'_, u64>
    where
        Q: QueryFragment<Pg> + QueryId + Send + Sync + 'static,
    {
        Box::pin(async move {
            let (scope, statement) = (&scope, &statement);
            let changed = self.write(|connection| async move {
                let mut it: &AsyncPgConnection = &connection;
                tokio::try_join!(biased; enter(scope.clone(), it), RunQueryDsl::execute(statement, &mut it))
            });
            let ((), changed) = changed.await.map_err(Unavailable::from)?;
            Ok(u64::try_from(changed).unwrap_or(u64::MAX))
        })
    }
}
