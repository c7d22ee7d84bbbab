use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{AttemptId, PaymentId, RequestId};

use crate::{Tenant, Unavailable};

/// Stores idempotency keys. [`SaleStore::commit`](crate::SaleStore::commit) writes a key together with the effect of
/// its command.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Returns the record of a key.
    async fn find(&self, scope: &KeyScope, digest: &[u8; 32]) -> Result<Option<KeyRecord>, Unavailable>;

    /// Extends the lease of a key in progress until `lease_until`, if the caller still holds the lease. Returns
    /// whether the lease was extended. The epoch stays.
    async fn renew(&self, lease: &KeyLease, lease_until: DateTime<Utc>) -> Result<bool, Unavailable>;

    /// Deletes the responses of keys first used before `responses_before`, and keys first used before `keys_before`; at
    /// most `limit` of each. Returns the number of changes.
    async fn sweep(
        &self,
        responses_before: DateTime<Utc>,
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

/// Record of a key, without the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Scope in which the key is unique.
    pub scope: KeyScope,
    /// Keyed digest of the key.
    pub digest: [u8; 32],
    /// Keyed digest of the request.
    pub fingerprint: [u8; 32],
    /// Time of the first use.
    pub first_used_at: DateTime<Utc>,
    /// Number of writes. A writer must know the current epoch.
    pub epoch: u32,
    /// State of the command.
    pub state: KeyState,
}

/// Lease on an idempotency key. A caller that takes the key over increases the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLease {
    /// Where the key is unique.
    pub scope: KeyScope,
    /// Keyed digest of the key.
    pub digest: [u8; 32],
    /// Epoch of the last write.
    pub epoch: u32,
}

/// How far the command under a key has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// A caller holds the lease. After its end the next caller takes over, and looks up the attempt instead of
    /// creating another.
    InProgress {
        /// When the lease ends.
        lease_until: DateTime<Utc>,
        /// The submission that was made durable before the provider was called.
        attempt: Option<AttemptId>,
    },
    /// The command failed and may be repeated: the next caller starts again.
    Reopened,
    /// The command completed. The same request gets the same response.
    Completed(StoredResponse),
    /// The command completed, and the response was deleted.
    Expired,
}

/// Response that is replayed byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// HTTP status.
    pub status: u16,
    /// The strong entity tag, if present.
    pub etag: Option<String>,
    /// The request that ran the command.
    pub request: RequestId,
    /// The sealed body, which may contain secrets that are shown once.
    pub sealed_body: Vec<u8>,
}

impl KeyRecord {
    /// Time from the first use of a key in which its response is replayed.
    pub const REPLAY_WINDOW: TimeDelta = TimeDelta::hours(72);
    /// How long a key is remembered at all.
    pub const TOMBSTONE_LIFE: TimeDelta = TimeDelta::days(400);
    /// How long a caller may be silent before another takes over.
    pub const LEASE: TimeDelta = TimeDelta::seconds(60);
}
