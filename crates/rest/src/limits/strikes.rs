use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::late::Late;

/// How long strikes are counted together, and how long is waited after too many.
pub(super) const MINUTE: Duration = Duration::from_secs(60);
/// So many addresses are remembered. More at once are an attack from everywhere, which counting
/// addresses does not stop.
const MOST: usize = 100_000;

/// Who tried what nobody has.
pub(super) struct Strikes {
    /// In a word for the metrics.
    name: &'static str,
    /// So many may be wrong within a minute.
    pub(super) patience: u32,
    records: Mutex<HashMap<IpAddr, Record>>,
}

#[derive(Clone, Copy)]
struct Record {
    since: Instant,
    count: u32,
}

impl Strikes {
    pub(super) fn of(name: &'static str, patience: u32) -> Self {
        Self { name, patience, records: Mutex::default() }
    }

    /// Whether the address may try another.
    pub(super) fn check(&self, address: IpAddr, now: Instant) -> Result<(), Late> {
        match self.left(address, now) {
            (0, wait) => Err(Late::for_at_least(self.name, wait)),
            _ => Ok(()),
        }
    }

    /// How many more may be wrong, and when it is as many as ever again.
    pub(super) fn left(&self, address: IpAddr, now: Instant) -> (u32, Duration) {
        let record = self.lock().get(&address).copied();
        match record.map(|it| (it.count, now.saturating_duration_since(it.since))) {
            Some((count, age)) if age < MINUTE => (self.patience.saturating_sub(count), MINUTE.saturating_sub(age)),
            _ => (self.patience, MINUTE),
        }
    }

    /// Counts one that was wrong. The last that is one too many begins the minute anew.
    pub(super) fn count(&self, address: IpAddr, now: Instant) {
        let mut records = self.lock();
        if records.len() >= MOST && !records.contains_key(&address) {
            return;
        }
        let record = records.entry(address).or_insert(Record { since: now, count: 0 });
        if now.saturating_duration_since(record.since) >= MINUTE {
            *record = Record { since: now, count: 0 };
        }
        record.count = record.count.saturating_add(1);
        if record.count == self.patience {
            record.since = now;
        }
    }

    /// Forgets those whose minute is over.
    pub(super) fn trim(&self, now: Instant) {
        self.lock().retain(|_, it| now.saturating_duration_since(it.since) < MINUTE);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many addresses are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }
}
