//! Cache of API keys.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{PaymentId, credential::CheckoutToken};
use ports::{CredentialStore, KeyUse, StoredKey, Tenant, Unavailable};

/// Time to live of an entry, and so the delay of a revocation. A busy server reads the store once for hundreds of
/// requests; a longer time would save little.
const FRESH: Duration = Duration::from_secs(1);
/// Maximum number of entries.
const MOST: usize = 4096;

/// Credential store that reads the same merchant key at most once a second.
///
/// Unknown keys are not cached: guesses reach the store and count against the limits. A key that expires is refused at
/// once, because each request checks the expiry.
pub(crate) struct KnownKeys {
    store: Arc<dyn CredentialStore>,
    seen: Mutex<HashMap<[u8; 32], (Instant, StoredKey)>>,
    now: Box<dyn Fn() -> Instant + Send + Sync>,
}

impl KnownKeys {
    pub(crate) fn of(store: Arc<dyn CredentialStore>) -> Self {
        Self { store, seen: Mutex::default(), now: Box::new(Instant::now) }
    }

    fn recall(&self, digest: &[u8; 32]) -> Option<StoredKey> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, key) = seen.get(digest)?;
        is_fresh(*at, (self.now)()).then(|| key.clone())
    }

    /// `at` is a time before the read of the store: the entry may be as old.
    fn remember(&self, digest: [u8; 32], key: &StoredKey, at: Instant) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST {
            seen.retain(|_, (then, _)| is_fresh(*then, at));
        }
        if seen.len() < MOST {
            seen.insert(digest, (at, key.clone()));
        }
    }
}

fn is_fresh(then: Instant, now: Instant) -> bool {
    now.saturating_duration_since(then) < FRESH
}

#[async_trait]
impl CredentialStore for KnownKeys {
    async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<StoredKey>, Unavailable> {
        if let Some(known) = self.recall(digest) {
            return Ok(Some(known));
        }
        let requested_at = (self.now)();
        let found = self.store.find_key(digest).await?;
        if let Some(key) = &found {
            self.remember(*digest, key, requested_at);
        }
        Ok(found)
    }

    async fn find_token(&self, digest: &[u8; 32]) -> Result<Option<CheckoutToken>, Unavailable> {
        self.store.find_token(digest).await
    }

    async fn live_sessions(
        &self,
        tenant: &Tenant,
        payment: &PaymentId,
        now: DateTime<Utc>,
    ) -> Result<u64, Unavailable> {
        self.store.live_sessions(tenant, payment, now).await
    }

    async fn end_idle_sessions(&self, tenant: &Tenant, payment: &PaymentId, count: u64) -> Result<u64, Unavailable> {
        self.store.end_idle_sessions(tenant, payment, count).await
    }

    async fn note_session(&self, token: &CheckoutToken) -> Result<(), Unavailable> {
        self.store.note_session(token).await
    }

    async fn sweep_tokens(
        &self,
        expired_before: DateTime<Utc>,
        idle_before: DateTime<Utc>,
        limit: u16,
    ) -> Result<u64, Unavailable> {
        self.store.sweep_tokens(expired_before, idle_before, limit).await
    }

    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), Unavailable> {
        self.store.note_uses(uses).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use testkit::sample;

    use super::*;

    /// Knows every key except zeros, and counts reads.
    #[derive(Default)]
    struct Counting(AtomicU32);

    #[async_trait]
    impl CredentialStore for Counting {
        async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<StoredKey>, Unavailable> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok((*digest != [0; 32]).then(|| StoredKey { key: sample::merchant_key(1), is_live_enabled: false }))
        }

        async fn find_token(&self, _: &[u8; 32]) -> Result<Option<CheckoutToken>, Unavailable> {
            Ok(None)
        }

        async fn live_sessions(&self, _: &Tenant, _: &PaymentId, _: DateTime<Utc>) -> Result<u64, Unavailable> {
            Ok(0)
        }

        async fn end_idle_sessions(&self, _: &Tenant, _: &PaymentId, _: u64) -> Result<u64, Unavailable> {
            Ok(0)
        }

        async fn note_session(&self, _: &CheckoutToken) -> Result<(), Unavailable> {
            Ok(())
        }

        async fn sweep_tokens(&self, _: DateTime<Utc>, _: DateTime<Utc>, _: u16) -> Result<u64, Unavailable> {
            Ok(0)
        }

        async fn note_uses(&self, _: &[KeyUse]) -> Result<(), Unavailable> {
            Ok(())
        }
    }

    /// Returns the cache, its store and the clock in milliseconds.
    fn keys() -> (KnownKeys, Arc<Counting>, Arc<AtomicU32>) {
        let (store, passed) = (Arc::<Counting>::default(), Arc::<AtomicU32>::default());
        let (begin, millis) = (Instant::now(), passed.clone());
        let now = move || begin + Duration::from_millis(millis.load(Ordering::Relaxed).into());
        (KnownKeys { now: Box::new(now), ..KnownKeys::of(store.clone()) }, store, passed)
    }

    #[tokio::test]
    async fn key_is_read_at_most_once_a_second() {
        let (keys, store, passed) = keys();
        for (at, reads) in [(0, 1), (999, 1), (1000, 2), (1999, 2), (2000, 3)] {
            passed.store(at, Ordering::Relaxed);
            assert!(keys.find_key(&[1; 32]).await.unwrap().is_some());
            assert_eq!(store.0.load(Ordering::Relaxed), reads, "after {at} ms");
        }
        keys.find_key(&[2; 32]).await.unwrap();
        assert_eq!(store.0.load(Ordering::Relaxed), 4, "another key");
    }

    #[tokio::test]
    async fn unknown_key_is_read_each_time() {
        let (keys, store, _) = keys();
        for reads in 1..=3 {
            assert_eq!(keys.find_key(&[0; 32]).await.unwrap(), None);
            assert_eq!(store.0.load(Ordering::Relaxed), reads);
        }
    }

    #[tokio::test]
    async fn number_of_cached_keys_is_limited() {
        let (keys, _, passed) = keys();
        let digest = |n: usize| {
            let mut digest = [7; 32];
            digest[..8].copy_from_slice(&n.to_be_bytes());
            digest
        };
        for n in 0..MOST + 10 {
            keys.find_key(&digest(n)).await.unwrap();
        }
        assert_eq!(keys.seen.lock().unwrap().len(), MOST);

        passed.store(1000, Ordering::Relaxed);
        keys.find_key(&digest(MOST + 11)).await.unwrap();
        assert_eq!(keys.seen.lock().unwrap().len(), 1, "who is not fresh makes room");
    }
}
