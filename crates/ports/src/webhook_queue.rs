use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    EventId, WebhookEndpointId,
    event::EventRecord,
    webhook::{EndpointDisabledEmail, WebhookAttempt, WebhookDelivery, WebhookEndpoint},
};

use crate::{Committed, Tenant, Unavailable};

/// Hands out events that are due at an endpoint, to one dispatcher at a time.
///
/// They get in by the commit that tells the event: see [`SaleStore::commit`](crate::SaleStore::commit).
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookQueue: Send + Sync {
    /// Leases what is due and that nobody holds, of endpoints that are not switched off: of each as
    /// many as it may have in flight, so that none keeps the others waiting.
    async fn claim(&self, claim: &WebhookClaim) -> Result<Vec<DueDelivery>, Unavailable>;

    /// Where the tenant's events go: every endpoint that is not switched off.
    async fn recipients(&self, tenant: &Tenant) -> Result<Vec<Recipient>, Unavailable>;

    /// Remembers what came of attempts. Where another has taken over the delivery meanwhile, or it
    /// was begun anew, nothing is.
    async fn finish(&self, tenant: &Tenant, attempted: Vec<AttemptedDelivery>) -> Result<(), Unavailable>;

    /// Remembers since when the endpoints have taken nothing, or that they take what they get. What began
    /// earlier stays.
    async fn note_health(
        &self,
        tenant: &Tenant,
        endpoints: &[WebhookEndpointId],
        failing_since: Option<DateTime<Utc>>,
    ) -> Result<(), Unavailable>;

    /// Disables the endpoint of `mail`, enqueues `notice` for the tenant's other endpoints, and enqueues the e-mail.
    /// Returns [`Committed::Stale`] if the endpoint has changed since version `based_on`.
    async fn disable(
        &self,
        mail: &EndpointDisabledEmail,
        based_on: u32,
        notice: &EventRecord,
    ) -> Result<Committed, Unavailable>;

    /// Forgets secrets, whoever's, that took their leave and sign nothing more at `now`. Says how many there were.
    async fn delete_expired_secrets(&self, now: DateTime<Utc>) -> Result<u64, Unavailable>;

    /// When the next attempt falls due, or a lease ends; it may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;
}

/// What a dispatcher has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookClaim {
    /// What is due by then.
    pub now: DateTime<Utc>,
    /// How long it is leased.
    pub lease_until: DateTime<Utc>,
    /// For endpoints that take what they get.
    pub healthy: Room,
    /// For endpoints that have taken nothing lately.
    pub failing: Room,
}

/// How many may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Together.
    pub all: u16,
    /// Of one endpoint, with those of it that are in flight already, whoever holds them. Whoever claims in the same
    /// moment as another may not see what that one claims.
    pub each: u16,
}

/// An event that is due at an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueDelivery {
    /// Whose.
    pub tenant: Tenant,
    /// Where to.
    pub endpoint: WebhookEndpointId,
    /// Which event.
    pub event: EventId,
    /// When it was told.
    pub occurred_at: DateTime<Utc>,
    /// How many attempts were made.
    pub attempts: u32,
    /// Until when it is ours.
    pub lease_until: DateTime<Utc>,
}

/// An event that was sent, and where its delivery stands now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptedDelivery {
    /// As it was claimed.
    pub due: DueDelivery,
    /// Where it stands.
    pub to: WebhookDelivery,
    /// The attempt.
    pub attempt: WebhookAttempt,
}

/// An endpoint, with what events to it are signed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// The endpoint.
    pub endpoint: WebhookEndpoint,
    /// Its signing secret, sealed.
    pub sealed_secret: Vec<u8>,
    /// The one before, sealed, and until when it signs, too.
    pub previous: Option<(Vec<u8>, DateTime<Utc>)>,
    /// Since when it has taken nothing, if that is so.
    pub failing_since: Option<DateTime<Utc>>,
}
