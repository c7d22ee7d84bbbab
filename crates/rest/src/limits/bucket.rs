use std::{hash::Hash, num::NonZeroU32};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::StateInformationMiddleware,
    state::keyed::HashMapStateStore,
};

use crate::problem::Problem;

/// So many for each key, and again as time goes by.
pub(super) struct Bucket<K: Clone + Hash + Eq> {
    per_second: u32,
    limiter: RateLimiter<K, HashMapStateStore<K>, MonotonicClock, StateInformationMiddleware>,
}

impl<K: Clone + Hash + Eq> Bucket<K> {
    /// So many a second, and twice as many at once.
    pub(super) fn bursting(per_second: NonZeroU32) -> Self {
        Self::of(Quota::per_second(per_second).allow_burst(per_second.saturating_add(per_second.get())), per_second)
    }

    /// So many a second.
    pub(super) fn per_second_of(n: NonZeroU32) -> Self {
        Self::of(Quota::per_second(n), n)
    }

    /// So many a minute.
    pub(super) fn per_minute_of(n: NonZeroU32) -> Self {
        Self::of(Quota::per_minute(n), n)
    }

    fn of(quota: Quota, per_second: NonZeroU32) -> Self {
        let limiter = RateLimiter::hashmap_with_clock(quota, MonotonicClock);
        Self { per_second: per_second.get(), limiter: limiter.with_middleware() }
    }

    /// Takes one, and tells how many are left.
    pub(super) fn take(&self, key: &K) -> Result<u32, Problem> {
        match self.limiter.check_key(key) {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(late) => Err(too_many(late.wait_time_from(self.limiter.clock().now()))),
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
}

/// Whole seconds, and at least one: who comes back at once would come too early.
pub(super) fn too_many(wait: std::time::Duration) -> Problem {
    Problem::TooMany(wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1))
}
