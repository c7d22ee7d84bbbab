use std::{hash::Hash, num::NonZeroU32};

use governor::{
    Quota, RateLimiter, clock::Clock, middleware::StateInformationMiddleware, state::keyed::HashMapStateStore,
};

use super::{late::Late, stopwatch::MonotonicClock};

/// So many for each key, and again as time goes by.
pub(super) struct Bucket<K: Clone + Hash + Eq> {
    name: &'static str,
    per_second: u32,
    limiter: RateLimiter<K, HashMapStateStore<K>, MonotonicClock, StateInformationMiddleware>,
}

impl<K: Clone + Hash + Eq> Bucket<K> {
    /// So many a second, and twice as many at once.
    pub(super) fn bursting(name: &'static str, per_second: NonZeroU32, clock: &MonotonicClock) -> Self {
        let quota = Quota::per_second(per_second).allow_burst(per_second.saturating_add(per_second.get()));
        Self::of(name, quota, per_second, clock)
    }

    /// So many a second.
    pub(super) fn per_second_of(name: &'static str, n: NonZeroU32, clock: &MonotonicClock) -> Self {
        Self::of(name, Quota::per_second(n), n, clock)
    }

    /// So many a minute.
    pub(super) fn per_minute_of(name: &'static str, n: NonZeroU32, clock: &MonotonicClock) -> Self {
        Self::of(name, Quota::per_minute(n), n, clock)
    }

    fn of(name: &'static str, quota: Quota, per_second: NonZeroU32, clock: &MonotonicClock) -> Self {
        let limiter = RateLimiter::hashmap_with_clock(quota, clock.clone());
        Self { name, per_second: per_second.get(), limiter: limiter.with_middleware() }
    }

    /// Takes one, and tells how many are left.
    pub(super) fn take(&self, key: &K) -> Result<u32, Late> {
        match self.limiter.check_key(key) {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(late) => Err(Late::for_at_least(self.name, late.wait_time_from(self.limiter.clock().now()))),
        }
    }

    /// What is promised a second.
    pub(super) const fn per_second(&self) -> u32 {
        self.per_second
    }

    /// Forgets the keys that have everything again.
    pub(super) fn trim(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }

    /// How many keys are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.limiter.len()
    }
}
