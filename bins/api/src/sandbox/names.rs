//! Name resolution for the webhooks of the sandbox.

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use notifications::NameResolver;
use tokio::time::{Instant, timeout};

/// Timeout of a look-up.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Time until a failed look-up is repeated.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// A resolver that fails fast. An advance of the clock runs every retry of a delivery, and without a network each retry
/// would wait for the timeout of the system's resolver.
pub(super) struct FailFastResolver<R> {
    resolver: R,
    failures: Mutex<BTreeMap<String, Instant>>,
}

impl<R> FailFastResolver<R> {
    pub(super) const fn new(resolver: R) -> Self {
        Self { resolver, failures: Mutex::new(BTreeMap::new()) }
    }
}

#[async_trait]
impl<R: NameResolver> NameResolver for FailFastResolver<R> {
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        let failed_at = self.failures.lock().unwrap_or_else(PoisonError::into_inner).get(host).copied();
        if failed_at.is_some_and(|it| it.elapsed() < RETRY_DELAY) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name was not resolved a moment ago"));
        }
        let result = timeout(TIMEOUT, self.resolver.look_up(host)).await;
        let result = result.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|_, it| it.elapsed() < RETRY_DELAY);
        if result.is_err() {
            failures.insert(host.to_owned(), Instant::now());
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::future;

    use super::*;

    struct NeverResolves;

    #[async_trait]
    impl NameResolver for NeverResolves {
        async fn look_up(&self, _host: &str) -> io::Result<Vec<SocketAddr>> {
            future::pending().await
        }
    }

    #[tokio::test]
    async fn an_unresolvable_name_delays_only_the_first_retry() {
        let resolver = FailFastResolver::new(NeverResolves);
        let start = Instant::now();

        for _ in 0..100 {
            resolver.look_up("merchant.example").await.expect_err("the name has no address");
        }

        assert!(start.elapsed() < TIMEOUT * 2);
    }
}
