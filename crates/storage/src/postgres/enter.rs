use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::Text,
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::scope::Scope;

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

/// A connection that sees nothing yet, and has the statement by which it will.
pub(super) async fn establish(url: &str) -> diesel::ConnectionResult<AsyncPgConnection> {
    let mut connection = AsyncPgConnection::establish(url).await?;
    Enter(Scope::nobody())
        .execute(&mut connection)
        .await
        .map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
    Ok(connection)
}

/// Enters `scope`. Since the connection has the statement already, the first poll sends it, and
/// what is polled after that comes after it.
pub(super) async fn enter(scope: Scope, mut connection: &AsyncPgConnection) -> QueryResult<()> {
    // A runtime that thinks this task has had its share would else make a poll do nothing.
    tokio::task::unconstrained(Enter(scope).execute(&mut connection)).await.map(drop)
}
