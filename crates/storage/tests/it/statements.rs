//! Log of statements, and their number for each operation.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use testkit::{contract::Stores, sample::payment_id};

use crate::exercise::exercise;

/// Statements of one database, in order.
#[derive(Clone, Default)]
pub(crate) struct Log {
    pub(crate) statements: Vec<String>,
    /// Statements that were prepared and cached.
    pub(crate) cached: Vec<String>,
    /// Round trips: statements that were sent while no response was pending.
    pub(crate) round_trips: usize,
    pending: usize,
}

/// Prefix of the statement that precedes every statement on PostgreSQL.
const SET_TENANT: &str = "SELECT set_config('cobro.merchant'";

/// Number of a payment. Searching this payment panics while statements are logged.
pub(crate) const PANICS: u32 = 999_999;

static LOGS: Mutex<BTreeMap<String, Log>> = Mutex::new(BTreeMap::new());

/// Logs the statements of every new connection from now on.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_default_instrumentation(|| Some(Box::new(Listener(String::new())))).expect("one listener");
    });
}

/// Returns and clears the log of the database at `url`.
pub(crate) fn take(url: &str) -> Log {
    logs().remove(url).unwrap_or_default()
}

fn logs() -> MutexGuard<'static, BTreeMap<String, Log>> {
    LOGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Logs the statements of the connection to that URL.
struct Listener(String);

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartEstablishConnection { url, .. } => url.clone_into(&mut self.0),
            InstrumentationEvent::StartQuery { query, .. } => {
                let text = query.to_string();
                assert!(!text.contains(payment_id(PANICS).as_str()), "a panic for the test");
                let (statement, _) = text.split_once(" -- binds").unwrap_or((&text, ""));
                let mut logs = logs();
                let log = logs.entry(self.0.clone()).or_default();
                log.round_trips += usize::from(log.pending == 0);
                log.pending += 1;
                if !statement.starts_with(SET_TENANT) {
                    log.statements.push(statement.to_owned());
                }
            }
            InstrumentationEvent::FinishQuery { .. } => {
                let mut logs = logs();
                let log = logs.entry(self.0.clone()).or_default();
                log.pending = log.pending.saturating_sub(1);
            }
            InstrumentationEvent::CacheQuery { sql, .. } => {
                logs().entry(self.0.clone()).or_default().cached.push(sql.to_owned());
            }
            _ => {}
        }
    }
}

/// Cost of a repeated operation.
pub(crate) struct Cost {
    pub(crate) statements: usize,
    pub(crate) round_trips: usize,
    /// Statements that were prepared again.
    pub(crate) prepared_again: Vec<String>,
}

/// Returns the cost of each operation.
pub(crate) async fn count(stores: &Stores, url: &str) -> BTreeMap<&'static str, Cost> {
    stores.register_merchant().await;
    let mut known = Vec::new();
    for n in 1..=2 {
        exercise(stores, n, |_| known.append(&mut take(url).cached)).await;
    }
    let mut counted = BTreeMap::new();
    exercise(stores, 3, |name| {
        let Log { statements, cached, round_trips, .. } = take(url);
        let prepared_again = statements.iter().filter(|it| !known.contains(it) || cached.contains(it));
        counted.insert(
            name,
            Cost { statements: statements.len(), round_trips, prepared_again: prepared_again.cloned().collect() },
        );
    })
    .await;
    counted
}

pub(crate) const HOT: [&str; 23] = [
    "setup",
    "find key",
    "create",
    "submit",
    "settle",
    "allot",
    "issue",
    "want by mail",
    "find",
    "find by document",
    "find by reference",
    "find by link",
    "find artifact",
    "find deliveries",
    "list sales",
    "list events",
    "find event",
    "find merchant key",
    "find token",
    "claim",
    "tell endpoints",
    "claim deliveries",
    "recipients",
];
