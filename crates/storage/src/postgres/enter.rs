use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::Text,
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use crate::scope::Scope;

/// What a connection is told first: the database gives up before whoever waits for it does, so that
/// nothing goes on which nobody waits for. Locks are held for one statement, by us; longer, only by
/// somebody who looks around by hand. No statement reads enough rows to be worth compiling.
const PATIENCE_OF_THE_DATABASE: &str = "SET statement_timeout = '3500ms'; SET lock_timeout = '3s'; \
     SET idle_in_transaction_session_timeout = '5s'; SET jit = off";

/// Tells the session whose rows the next statement may see.
///
/// It goes ahead of every statement, in the same round trip, and so never trusts what the
/// connection's last user left. Should the order ever be lost, the statement finds nothing: it
/// names its tenant, too.
#[derive(QueryId)]
pub(super) struct Enter(Scope);

impl QueryFragment<Pg> for Enter {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let Self(scope) = self;
        out.push_sql("SELECT set_config('cobro.merchant', ");
        out.push_bind_param::<Text, _>(&scope.merchant)?;
        out.push_sql(", false), set_config('cobro.mode', ");
        out.push_bind_param::<Text, _>(scope.mode)?;
        out.push_sql(", false), set_config('cobro.errand', ");
        out.push_bind_param::<Text, _>(&scope.errand)?;
        out.push_sql(", false)");
        Ok(())
    }
}

/// A connection that waits for nothing long, sees nothing yet, and has the statement by which it will.
pub(super) async fn establish(url: &str) -> diesel::ConnectionResult<AsyncPgConnection> {
    let mut connection = AsyncPgConnection::establish(url).await?;
    let refused = diesel::ConnectionError::CouldntSetupConfiguration;
    connection.batch_execute(PATIENCE_OF_THE_DATABASE).await.map_err(refused)?;
    Enter(Scope::nobody()).execute(&mut connection).await.map_err(refused)?;
    Ok(connection)
}

/// Enters `scope`. Since the connection has the statement already, the first poll sends it, and
/// what is polled after that comes after it.
pub(super) async fn enter(scope: Scope, mut connection: &AsyncPgConnection) -> QueryResult<()> {
    // A runtime that thinks this task has had its share would else make a poll do nothing.
    tokio::task::unconstrained(Enter(scope).execute(&mut connection)).await.map(drop)
}
