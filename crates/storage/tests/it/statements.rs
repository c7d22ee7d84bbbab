//! What is asked of the database, statement by statement.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use testkit::{contract::Stores, sample::payment_id};

use crate::exercise::exercise;

/// What one database was asked, in order.
#[derive(Clone, Default)]
pub(crate) struct Log {
    pub(crate) statements: Vec<String>,
    /// Those that were prepared to be used again.
    pub(crate) remembered: Vec<String>,
    /// How often it was asked something while nobody waited for an answer: the round trips.
    pub(crate) round_trips: usize,
    waiting: usize,
}

/// What goes ahead of every statement on PostgreSQL: whose rows it may see.
const ENTER: &str = "SELECT set_config('cobro.merchant'";

/// Where this payment is looked for while somebody listens, the search breaks down.
pub(crate) const BREAKS: u32 = 999_999;

static LOGS: Mutex<BTreeMap<String, Log>> = Mutex::new(BTreeMap::new());

/// From now on every new connection writes down what it is asked.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_default_instrumentation(|| Some(Box::new(Listener(String::new())))).expect("one listener");
    });
}

/// What the database at `url` was asked since the last time; the log is empty after that.
pub(crate) fn take(url: &str) -> Log {
    logs().remove(url).unwrap_or_default()
}

fn logs() -> MutexGuard<'static, BTreeMap<String, Log>> {
    LOGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The address that the connection was made to.
struct Listener(String);

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartEstablishConnection { url, .. } => url.clone_into(&mut self.0),
            InstrumentationEvent::StartQuery { query, .. } => {
                let text = query.to_string();
                assert!(!text.contains(payment_id(BREAKS).as_str()), "this is what breaks down");
                let (statement, _) = text.split_once(" -- binds").unwrap_or((&text, ""));
                let mut logs = logs();
                let log = logs.entry(self.0.clone()).or_default();
                log.round_trips += usize::from(log.waiting == 0);
                log.waiting += 1;
                if !statement.starts_with(ENTER) {
                    log.statements.push(statement.to_owned());
                }
            }
            InstrumentationEvent::FinishQuery { .. } => {
                let mut logs = logs();
                let log = logs.entry(self.0.clone()).or_default();
                log.waiting = log.waiting.saturating_sub(1);
            }
            InstrumentationEvent::CacheQuery { sql, .. } => {
                logs().entry(self.0.clone()).or_default().remembered.push(sql.to_owned());
            }
            _ => {}
        }
    }
}

/// What a thing takes once it was done before.
pub(crate) struct Cost {
    pub(crate) statements: usize,
    pub(crate) round_trips: usize,
    /// The statements that had to be prepared anew.
    pub(crate) anew: Vec<String>,
}

/// What each thing takes.
pub(crate) async fn count(stores: &Stores, url: &str) -> BTreeMap<&'static str, Cost> {
    stores.register_merchant().await;
    let mut known = Vec::new();
    for n in 1..=2 {
        exercise(stores, n, |_| known.append(&mut take(url).remembered)).await;
    }
    let mut counted = BTreeMap::new();
    exercise(stores, 3, |name| {
        let Log { statements, remembered, round_trips, .. } = take(url);
        let anew = statements.iter().filter(|it| !known.contains(it) || remembered.contains(it));
        counted.insert(name, Cost { statements: statements.len(), round_trips, anew: anew.cloned().collect() });
    })
    .await;
    counted
}

/// What a merchant or a payer waits for: none of its statements may be prepared anew.
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
