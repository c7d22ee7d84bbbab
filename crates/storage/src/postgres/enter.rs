use std::{error::Error, io, iter::successors, time::Duration};

use diesel::{
    ConnectionError, ConnectionResult, QueryResult,
    connection::{InstrumentationEvent, get_default_instrumentation},
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    result::{DatabaseErrorKind::UnableToSendCommand, Error as Failed},
    sql_types::Text,
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use tokio_postgres::{Config, NoTls, config::TargetSessionAttrs, error::SqlState};

use crate::{failure::read_only, scope::Scope};

/// Connection timeout of each host, unless the URL sets `connect_timeout`.
const PATIENCE_WITH_A_HOST: Duration = Duration::from_secs(1);

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
        out.push_sql(", false), set_config('cobro.access_scope', ");
        out.push_bind_param::<Text, _>(&scope.access_scope)?;
        out.push_sql(", false)");
        Ok(())
    }
}

/// A connection that waits for nothing long, sees nothing yet, and has the statement by which it will.
pub(super) async fn establish(url: &str) -> ConnectionResult<AsyncPgConnection> {
    let invalid = |error: tokio_postgres::Error| ConnectionError::InvalidConnectionUrl(error.to_string());
    let mut config: Config = url.parse().map_err(invalid)?;
    // Only a host that accepts writes is used: a former primary may be a standby now.
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE_WITH_A_HOST);
    }
    let mut listener = get_default_instrumentation();
    if let Some(listener) = &mut listener {
        listener.on_connection_event(InstrumentationEvent::start_establish_connection(url));
    }
    let (client, connection) = config.connect(NoTls).await.map_err(not_connected)?;
    let mut connection = AsyncPgConnection::try_from_client_and_connection(client, connection).await?;
    if let Some(listener) = listener {
        connection.set_instrumentation(listener);
    }
    let refused = ConnectionError::CouldntSetupConfiguration;
    connection.batch_execute(PATIENCE_OF_THE_DATABASE).await.map_err(refused)?;
    Enter(Scope::none()).execute(&mut connection).await.map_err(refused)?;
    Ok(connection)
}

fn not_connected(error: tokio_postgres::Error) -> ConnectionError {
    let takes_no_writes = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|it| it.kind() == io::ErrorKind::PermissionDenied)
    };
    if successors(error.source(), |&it| it.source()).any(takes_no_writes) {
        return ConnectionError::CouldntSetupConfiguration(read_only());
    }
    let causes = successors(Some(&error as &dyn Error), |&it| it.source()).map(ToString::to_string);
    let causes = causes.collect::<Vec<_>>().join(": ");
    // A refusal by the server is permanent, unless it starts or stops (57P0x), is full (53xxx), or disconnects (08xxx).
    let is_passing = |it: &SqlState| ["08", "53", "57"].iter().any(|class| it.code().starts_with(class));
    match error.code() {
        Some(code) if !is_passing(code) => ConnectionError::InvalidConnectionUrl(causes),
        _ => ConnectionError::BadConnection(causes),
    }
}

/// Enters `scope`. Since the connection has the statement already, the first poll sends it, and
/// what is polled after that comes after it.
pub(super) async fn enter(scope: Scope, mut connection: &AsyncPgConnection) -> QueryResult<()> {
    // A runtime that thinks this task has had its share would else make a poll do nothing.
    let entered = tokio::task::unconstrained(Enter(scope).execute(&mut connection)).await;
    // The next statement in the pipeline may have been executed nevertheless.
    let broken = |error: Failed| Failed::DatabaseError(UnableToSendCommand, Box::new(error.to_string()));
    entered.map(drop).map_err(broken)
}
