use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{AttemptId, PaymentId, RequestId};

use crate::{Tenant, Unavailable};

/// Remembers what was asked under which idempotency key. It is written by
/// [`SaleStore::commit`](crate::SaleStore::commit), together with the effect.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// What is remembered of the key.
    async fn find(&self, scope: &KeyScope, digest: &[u8; 32]) -> Result<Option<KeyRecord>, Unavailable>;

    /// Lets the lease of a key in progress end at `lease_until`, if the hold on it still stands.
    /// Says whether it does. The epoch stays: whoever holds the key writes under it next.
    async fn renew(&self, hold: &KeyLease, lease_until: DateTime<Utc>) -> Result<bool, Unavailable>;

    /// Forgets the answers of keys first used before `answers_before`, and the keys themselves
    /// first used before `keys_before`; at most `limit` of each. Says how many were touched.
    async fn sweep(
        &self,
        answers_before: DateTime<Utc>,
        keys_before: DateTime<Utc>,
        limit: u16,
    ) -> Result<u64, Unavailable>;
}

/// Where a key is unique: per tenant, or per payment for the holder of a checkout token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyScope {
    /// The tenant.
    pub tenant: Tenant,
    /// The payment of the checkout token.
    pub payment: Option<PaymentId>,
}

/// What is remembered of a key: never its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Where it is unique.
    pub scope: KeyScope,
    /// Keyed digest of the key.
    pub digest: [u8; 32],
    /// Keyed digest of the request.
    pub fingerprint: [u8; 32],
    /// When it was first used.
    pub first_used_at: DateTime<Utc>,
    /// How many times it was written; who writes must know it.
    pub epoch: u32,
    /// How far its command has come.
    pub state: KeyState,
}

/// A key that somebody is at. The epoch says who: whoever takes the key over moves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLease {
    /// Where the key is unique.
    pub scope: KeyScope,
    /// Keyed digest of the key.
    pub digest: [u8; 32],
    /// The epoch at which it was last written.
    pub epoch: u32,
}

/// How far the command under a key has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// Someone is at it until the lease ends; then the next caller takes over, and looks the
    /// attempt up instead of making another.
    InProgress {
        /// When the lease ends.
        lease_until: DateTime<Utc>,
        /// The submission that was made durable before the provider was called.
        attempt: Option<AttemptId>,
    },
    /// It failed in a way that is safe to repeat: the next caller starts anew.
    Reopened,
    /// It succeeded; the same request gets the same answer.
    Completed(StoredResponse),
    /// It succeeded so long ago that the answer is forgotten.
    Expired,
}

/// An answer that is given again, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// HTTP status.
    pub status: u16,
    /// The strong entity tag, if it had one.
    pub etag: Option<String>,
    /// The exchange that it first answered.
    pub request: RequestId,
    /// The body, sealed: it may hold secrets that are shown once.
    pub sealed_body: Vec<u8>,
}

impl KeyRecord {
    /// How long an answer is given again, from the key's first use.
    pub const REPLAY_WINDOW: TimeDelta = TimeDelta::hours(72);
    /// How long a key is remembered at all.
    pub const TOMBSTONE_LIFE: TimeDelta = TimeDelta::days(400);
    /// How long a caller may be silent before another takes over.
    pub const LEASE: TimeDelta = TimeDelta::seconds(60);
}
