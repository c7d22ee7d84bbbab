use std::{hash::Hash, num::NonZeroU32};

use governor::{
    Quota, RateLimiter, clock::Clock, middleware::StateInformationMiddleware, state::keyed::HashMapStateStore,
};

use super::{clock::MonotonicClock, rate_limited::RateLimited};

/// Token bucket for each key.
pub(super) struct Bucket<K: Clone + Hash + Eq> {
    name: &'static str,
    quota: u32,
    limiter: RateLimiter<K, HashMapStateStore<K>, MonotonicClock, StateInformationMiddleware>,
}

impl<K: Clone + Hash + Eq> Bucket<K> {
    /// A bucket of `per_second` tokens a second, and a burst of twice as many.
    pub(super) fn bursting(name: &'static str, per_second: NonZeroU32, clock: &MonotonicClock) -> Self {
        let quota = Quota::per_second(per_second).allow_burst(per_second.saturating_add(per_second.get()));
        Self::of(name, quota, per_second, clock)
    }

    pub(super) fn per_second(name: &'static str, n: NonZeroU32, clock: &MonotonicClock) -> Self {
        Self::of(name, Quota::per_second(n), n, clock)
    }

    pub(super) fn per_minute(name: &'static str, n: NonZeroU32, clock: &MonotonicClock) -> Self {
        Self::of(name, Quota::per_minute(n), n, clock)
    }

    fn of(name: &'static str, refill: Quota, quota: NonZeroU32, clock: &MonotonicClock) -> Self {
        let limiter = RateLimiter::hashmap_with_clock(refill, clock.clone());
        Self { name, quota: quota.get(), limiter: limiter.with_middleware() }
    }

    /// Takes a token of the key. Returns the number of tokens that remain.
    pub(super) fn take(&self, key: &K) -> Result<u32, RateLimited> {
        match self.limiter.check_key(key) {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(refused) => Err(RateLimited::after(self.name, refused.wait_time_from(self.limiter.clock().now()))),
        }
    }

    /// Published number of tokens in a period.
    pub(super) const fn quota(&self) -> u32 {
        self.quota
    }

    /// Removes the keys with full buckets.
    pub(super) fn trim(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.limiter.len()
    }
}
