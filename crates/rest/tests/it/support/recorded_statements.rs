use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};

/// Recorded statements of the database whose address [`record_statements_of`] sets.
static RECORDER: Mutex<Recorder> = Mutex::new(Recorder { address: String::new(), round_trips: Vec::new(), pending: 0 });

/// Statement at the start of every round trip: sets the tenant for row security.
const SET_TENANT: &str = "SELECT set_config('cobro.merchant'";

/// Queries of the credential in a request.
const CREDENTIAL_QUERIES: [&str; 2] =
    [r#"WHERE ("merchant_keys"."digest" = $1)"#, r#"WHERE ("checkout_tokens"."digest" = $1)"#];

struct Recorder {
    address: String,
    /// Statements of each round trip.
    round_trips: Vec<Vec<String>>,
    /// Number of statements without a response.
    pending: usize,
}

/// Held while a test records statements: there is one recorder.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Installs the instrumentation of new connections.
pub(crate) fn install_recorder() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_default_instrumentation(|| Some(Box::new(Listener(String::new())))).unwrap());
}

/// Records the statements of connections to the database at `address` from now on, until the guard is dropped.
pub(crate) async fn record_statements_of(address: &str) -> tokio::sync::MutexGuard<'static, ()> {
    let turn = TURN.lock().await;
    let mut recorder = recorder();
    address.clone_into(&mut recorder.address);
    recorder.round_trips.clear();
    turn
}

/// Returns the statements of each round trip since the last call.
pub(crate) fn round_trips() -> Vec<Vec<String>> {
    std::mem::take(&mut recorder().round_trips)
}

/// Returns the round trips since the last call, without those of authentication.
pub(crate) fn round_trips_after_authentication() -> Vec<Vec<String>> {
    let mut round_trips = round_trips();
    round_trips
        .retain(|round_trip| !round_trip.iter().any(|it| CREDENTIAL_QUERIES.iter().any(|query| it.contains(query))));
    round_trips
}

fn recorder() -> MutexGuard<'static, Recorder> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Instrumentation of one connection, with the address of its database.
struct Listener(String);

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartEstablishConnection { url, .. } = event {
            url.clone_into(&mut self.0);
            return;
        }
        let mut recorder = recorder();
        if recorder.address != self.0 {
            return;
        }
        match event {
            InstrumentationEvent::StartQuery { query, .. } => {
                // A statement without a pending response starts a round trip.
                if recorder.pending == 0 {
                    recorder.round_trips.push(Vec::new());
                }
                recorder.pending += 1;
                let statement = query.to_string();
                if let Some(round_trip) = recorder.round_trips.last_mut()
                    && !statement.starts_with(SET_TENANT)
                {
                    round_trip.push(statement);
                }
            }
            InstrumentationEvent::FinishQuery { .. } => recorder.pending = recorder.pending.saturating_sub(1),
            _ => {}
        }
    }
}
