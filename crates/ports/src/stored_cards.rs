use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AttemptId, MerchantAccountId, PaymentId, account::Provider};

use crate::{StoredSecret, Tenant, Unavailable};

/// Remembers which cards providers keep, by what name, and what for.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait StoredCards: Send + Sync {
    /// Remembers a card, which somebody is to look at from `due_at` on.
    async fn keep(&self, card: StoredCard, due_at: DateTime<Utc>) -> Result<(), Unavailable>;

    /// The card that is kept since `attempt`.
    async fn find(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<Option<StoredCard>, Unavailable>;

    /// Cards of any tenant that somebody is to look at, the longest due first. Nobody else gets them before `until`.
    async fn claim(&self, now: DateTime<Utc>, until: DateTime<Utc>, limit: u16)
    -> Result<Vec<StoredCard>, Unavailable>;

    /// Nobody is to look at the card that is kept since `attempt` before `until`.
    async fn put_off(&self, tenant: &Tenant, attempt: &AttemptId, until: DateTime<Utc>) -> Result<(), Unavailable>;

    /// Forgets the card that was kept since `attempt`.
    async fn remove(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<(), Unavailable>;
}

/// A card that a provider keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCard {
    /// The provider's name for it, sealed.
    pub secret: StoredSecret,
    /// What it was for.
    pub payment: PaymentId,
    /// The account that it is kept for.
    pub account: MerchantAccountId,
    /// Who keeps it.
    pub provider: Provider,
}
