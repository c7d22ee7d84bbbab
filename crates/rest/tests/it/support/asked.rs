use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};

/// Statements that a database receives, by round trip. They are recorded for the address
/// that [`listen_to`] names.
static ASKED: Mutex<Asked> = Mutex::new(Asked { address: String::new(), trips: Vec::new(), waiting: 0 });

/// Statement at the start of every round trip: sets the tenant for row security.
const ENTER: &str = "SELECT set_config('cobro.merchant'";

/// Query of a credential.
const CALLER: [&str; 2] = [r#"WHERE ("merchant_keys"."digest" = $1)"#, r#"WHERE ("checkout_tokens"."digest" = $1)"#];

struct Asked {
    address: String,
    trips: Vec<Vec<String>>,
    waiting: usize,
}

/// Installs the instrumentation of new connections.
pub(crate) fn prepare_to_listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_default_instrumentation(|| Some(Box::new(Listener(String::new())))).unwrap());
}

/// Records the statements of connections to the database at `address` from now on.
pub(crate) fn listen_to(address: &str) {
    address.clone_into(&mut asked().address);
}

/// Returns the round trips since the last call, without those of authentication.
pub(crate) fn trips_after_the_caller() -> Vec<Vec<String>> {
    let mut trips = std::mem::take(&mut asked().trips);
    trips.retain(|trip| !trip.iter().any(|it| CALLER.iter().any(|caller| it.contains(caller))));
    trips
}

fn asked() -> MutexGuard<'static, Asked> {
    ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Address of the connection.
struct Listener(String);

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartEstablishConnection { url, .. } = event {
            url.clone_into(&mut self.0);
            return;
        }
        let mut asked = asked();
        if asked.address != self.0 {
            return;
        }
        match event {
            InstrumentationEvent::StartQuery { query, .. } => {
                // A statement without a pending response starts a round trip.
                if asked.waiting == 0 {
                    asked.trips.push(Vec::new());
                }
                asked.waiting += 1;
                let statement = query.to_string();
                if let Some(trip) = asked.trips.last_mut()
                    && !statement.starts_with(ENTER)
                {
                    trip.push(statement);
                }
            }
            InstrumentationEvent::FinishQuery { .. } => asked.waiting = asked.waiting.saturating_sub(1),
            _ => {}
        }
    }
}
