use std::{error::Error, io, iter::successors, time::Duration};

use diesel::{
    ConnectionError, ConnectionResult, QueryResult,
    connection::{InstrumentationEvent, get_default_instrumentation},
    pg::Pg,
    result::{DatabaseErrorKind::UnableToSendCommand, Error as Failed},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use tokio_postgres::{Config, NoTls, config::TargetSessionAttrs, error::SqlState};

use crate::{
    failure::read_only,
    scope::Scope,
    sql::{SqlFile, sql_file},
};

/// Connection timeout of each host, unless the URL sets `connect_timeout`.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Settings of a session. The timeouts of the database end before those of the callers, so that no statement runs
/// without a caller. A lock lasts for one statement. No statement reads enough rows to pay for a compilation.
///
/// Each statement has one plan: with a parameter for the number of rows, PostgreSQL would make a plan for each page.
const SETTINGS: &str = "SET statement_timeout = '3500ms'; SET lock_timeout = '3s'; \
     SET idle_in_transaction_session_timeout = '5s'; SET jit = off; \
     SET plan_cache_mode = force_generic_plan";

/// Returns the statement that sets the scope of the next statement.
///
/// This statement precedes every other one, in the same round trip, so the settings of the last user of the connection
/// have no effect. If the order were ever lost, the next statement would find no rows, because every statement also has
/// a condition on the tenant.
fn set_scope(scope: Scope) -> SqlFile<Pg> {
    sql_file!(
        "postgres/set_tenant",
        merchant: scope.merchant,
        mode: scope.mode,
        access_scope: scope.access_scope.as_ref(),
    )
}

/// Opens a connection that has all settings, sees no rows, and has the statement of [`set_tenant`] prepared.
pub(super) async fn establish(url: &str) -> ConnectionResult<AsyncPgConnection> {
    let invalid = |error: tokio_postgres::Error| ConnectionError::InvalidConnectionUrl(error.to_string());
    let mut config: Config = url.parse().map_err(invalid)?;
    // Only a host that accepts writes is used: a former primary may be a standby now.
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
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
    connection.batch_execute(SETTINGS).await.map_err(refused)?;
    set_scope(Scope::NONE).execute(&mut connection).await.map_err(refused)?;
    Ok(connection)
}

fn not_connected(error: tokio_postgres::Error) -> ConnectionError {
    let takes_no_writes = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    if successors(error.source(), |&it| it.source()).any(takes_no_writes) {
        return ConnectionError::CouldntSetupConfiguration(read_only());
    }
    let causes = successors(Some(&error as &dyn Error), |&it| it.source()).map(ToString::to_string);
    let causes = causes.collect::<Vec<_>>().join(": ");
    // A refusal by the server is permanent, except at a start or stop (57P0x), without resources (53xxx), and for a lost connection (08xxx).
    let is_passing = |state: &SqlState| ["08", "53", "57"].iter().any(|class| state.code().starts_with(class));
    match error.code() {
        Some(code) if !is_passing(code) => ConnectionError::InvalidConnectionUrl(causes),
        _ => ConnectionError::BadConnection(causes),
    }
}

/// Sets the scope of the next statement. The connection has prepared this statement, so the first poll sends it, before
/// all statements that are polled later.
pub(super) async fn set_tenant(scope: Scope, mut connection: &AsyncPgConnection) -> QueryResult<()> {
    // Otherwise a poll may send nothing, if the task has used up the budget of the runtime.
    let set = tokio::task::unconstrained(set_scope(scope).execute(&mut connection)).await;
    // The next statement in the pipeline may have been executed nevertheless.
    let broken = |error: Failed| Failed::DatabaseError(UnableToSendCommand, Box::new(error.to_string()));
    set.map(drop).map_err(broken)
}
