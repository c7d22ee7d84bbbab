use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::rate_limited::RateLimited;

/// Period in which failures are counted, and for which an address is then blocked.
pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// Maximum number of counted addresses. More at once are a distributed attack, which limits by address do not stop.
const MAX_ADDRESSES: usize = 100_000;

/// Blocks addresses with too many failed attempts.
pub(super) struct FailedAttemptLimiter {
    /// Name of the limit in the metrics.
    name: &'static str,
    /// Failures allowed within a window.
    pub(super) quota: u32,
    failures: Mutex<HashMap<IpAddr, Failures>>,
}

#[derive(Clone, Copy)]
struct Failures {
    since: Instant,
    count: u32,
}

impl FailedAttemptLimiter {
    pub(super) fn of(name: &'static str, quota: u32) -> Self {
        Self { name, quota, failures: Mutex::default() }
    }

    /// Checks that the address is not blocked.
    pub(super) fn check(&self, address: IpAddr, now: Instant) -> Result<(), RateLimited> {
        match self.remaining(address, now) {
            (0, wait) => Err(RateLimited::after(self.name, wait)),
            _ => Ok(()),
        }
    }

    /// Returns the failures that remain, and the time until the whole quota is available.
    pub(super) fn remaining(&self, address: IpAddr, now: Instant) -> (u32, Duration) {
        let failures = self.lock().get(&address).copied();
        match failures.map(|failures| (failures.count, now.saturating_duration_since(failures.since))) {
            Some((count, age)) if age < WINDOW => (self.quota.saturating_sub(count), WINDOW.saturating_sub(age)),
            _ => (self.quota, WINDOW),
        }
    }

    /// Counts a failure. The failure that exhausts the quota starts a new window.
    pub(super) fn record(&self, address: IpAddr, now: Instant) {
        let mut addresses = self.lock();
        if addresses.len() >= MAX_ADDRESSES && !addresses.contains_key(&address) {
            return;
        }
        let failures = addresses.entry(address).or_insert(Failures { since: now, count: 0 });
        if now.saturating_duration_since(failures.since) >= WINDOW {
            *failures = Failures { since: now, count: 0 };
        }
        failures.count = failures.count.saturating_add(1);
        if failures.count == self.quota {
            failures.since = now;
        }
    }

    /// Removes the addresses with an ended window.
    pub(super) fn trim(&self, now: Instant) {
        self.lock().retain(|_, failures| now.saturating_duration_since(failures.since) < WINDOW);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Failures>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }
}
