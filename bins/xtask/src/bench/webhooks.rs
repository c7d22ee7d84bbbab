//! Events that wait for one endpoint, and how fast they get there: a receiver in this very process takes them.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{
    machine::Processes,
    measured::{Measured, Size},
    sandbox::Sandbox,
    sink::Sink,
    tables::Tables,
};
use crate::chore::Done;

/// Timeout for all events.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(300);

/// Queues `size.waiting` events for a disabled endpoint, enables the endpoint, and measures the delivery.
pub(super) fn measure(size: Size, tables: &Tables, sandbox: &Sandbox, processes: &Processes) -> Done<Measured> {
    eprintln!("== {} events that wait for one endpoint", size.waiting);
    let sink = Sink::open(Arc::new(|_| {}))?;
    let endpoint = sandbox.register(&sink.url, &["*"])?;
    sandbox.switch(&endpoint, "disabled")?;
    tables.let_wait(&endpoint, size.payments, size.waiting)?;

    processes.forget_memory()?;
    let before = processes.used()?;
    let begun = Instant::now();
    sandbox.switch(&endpoint, "enabled")?;
    let waiting = u64::from(size.waiting);
    while sink.taken() < waiting && begun.elapsed() < DELIVERY_TIMEOUT {
        thread::sleep(Duration::from_millis(5));
    }
    let took = begun.elapsed();
    let operations = sink.taken().min(waiting);
    let used = processes.used()? - before;
    let memory = processes.most_memory()?;
    Ok(Measured { operations, took, failed: waiting - operations, used, memory, ..Measured::default() })
}
