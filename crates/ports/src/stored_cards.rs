use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AttemptId, MerchantAccountId, PaymentId, account::Provider};

use crate::{StoredSecret, Tenant, Unavailable};

/// Stores the tokens of cards that providers store.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait StoredCards: Send + Sync {
    /// Adds a card, due for a check at `due_at`.
    async fn store(&self, card: StoredCard, due_at: DateTime<Utc>) -> Result<(), Unavailable>;

    /// Returns the stored card of an attempt.
    async fn find(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<Option<StoredCard>, Unavailable>;

    /// Leases cards of any tenant that are due for a check until `until`, the longest due first.
    async fn claim(&self, now: DateTime<Utc>, until: DateTime<Utc>, limit: u16)
    -> Result<Vec<StoredCard>, Unavailable>;

    /// Postpones the check of a card until `until`.
    async fn reschedule(&self, tenant: &Tenant, attempt: &AttemptId, until: DateTime<Utc>) -> Result<(), Unavailable>;

    /// Removes the card of `attempt`.
    async fn remove(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<(), Unavailable>;
}

/// A card that a provider stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCard {
    /// The sealed token.
    pub secret: StoredSecret,
    /// The payment.
    pub payment: PaymentId,
    /// The account.
    pub account: MerchantAccountId,
    /// The provider.
    pub provider: Provider,
}
