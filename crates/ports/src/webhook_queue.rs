use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    EventId, WebhookEndpointId,
    event::EventRecord,
    webhook::{EndpointDisabledEmail, WebhookAttempt, WebhookDelivery, WebhookEndpoint},
};

use crate::{Committed, Tenant, Unavailable};

/// Queue of events that are due at endpoints. A claim leases each to one dispatcher.
///
/// The commit of an event enqueues the deliveries: see [`SaleStore::commit`](crate::SaleStore::commit).
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookQueue: Send + Sync {
    /// Leases due deliveries without a lease, to endpoints that are not disabled: of each endpoint at most its limit
    /// in flight, so that no endpoint delays the others.
    async fn claim(&self, claim: &WebhookClaim) -> Result<Vec<DueDelivery>, Unavailable>;

    /// Where the tenant's events go: every endpoint that is not switched off.
    async fn recipients(&self, tenant: &Tenant) -> Result<Vec<Recipient>, Unavailable>;

    /// Stores the results of attempts, and the health of their endpoints. A delivery that another dispatcher has taken
    /// over, or that was restarted, stays as it is.
    async fn finish(
        &self,
        tenant: &Tenant,
        attempted: Vec<AttemptedDelivery>,
        health: Vec<EndpointHealth>,
    ) -> Result<(), Unavailable>;

    /// Stores since when the endpoints fail, or that they accept events again. An earlier time stays.
    async fn record_health(
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

    /// Deletes replaced secrets of any tenant after the end of their overlap. Returns their number.
    async fn delete_expired_secrets(&self, now: DateTime<Utc>) -> Result<u64, Unavailable>;

    /// Returns the time when the next attempt is due or a lease ends. The time may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;
}

/// Limits of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookClaim {
    /// Latest due time.
    pub now: DateTime<Utc>,
    /// End of the lease.
    pub lease_until: DateTime<Utc>,
    /// Limits for endpoints that accept events.
    pub healthy: ClaimLimits,
    /// Limits for endpoints that have failed lately.
    pub failing: ClaimLimits,
    /// Limits for those of [`Self::fast_endpoints`] that have not failed lately.
    pub fast: ClaimLimits,
    /// Endpoints that the dispatcher knows to respond at once.
    pub fast_endpoints: Vec<WebhookEndpointId>,
}

impl WebhookClaim {
    /// Returns a claim with the same limits for all endpoints.
    pub const fn of_any(now: DateTime<Utc>, lease_until: DateTime<Utc>, limits: ClaimLimits) -> Self {
        Self { now, lease_until, healthy: limits, failing: limits, fast: limits, fast_endpoints: Vec::new() }
    }
}

/// How many may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimLimits {
    /// Together.
    pub all: u16,
    /// For one endpoint, including its deliveries in flight of any dispatcher. Concurrent claims may not see each
    /// other.
    pub each: u16,
}

/// An event that is due at an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueDelivery {
    /// The tenant.
    pub tenant: Tenant,
    /// Where to.
    pub endpoint: WebhookEndpointId,
    /// Which event.
    pub event: EventId,
    /// Time when the event occurred.
    pub occurred_at: DateTime<Utc>,
    /// How many attempts were made.
    pub attempts: u32,
    /// End of the lease.
    pub lease_until: DateTime<Utc>,
}

/// Health of an endpoint after attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointHealth {
    /// The endpoint.
    pub endpoint: WebhookEndpointId,
    /// Time of the first failure since the last success; `None` if the last attempt was accepted.
    pub failing_since: Option<DateTime<Utc>>,
    /// Whether an attempt was accepted. Otherwise a stored time of an earlier failure stays.
    pub has_accepted: bool,
}

/// A delivery after an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptedDelivery {
    /// The claimed delivery.
    pub due: DueDelivery,
    /// The new state.
    pub to: WebhookDelivery,
    /// The attempt.
    pub attempt: WebhookAttempt,
}

/// An endpoint with the signing secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// The endpoint.
    pub endpoint: WebhookEndpoint,
    /// The sealed signing secret.
    pub sealed_secret: Vec<u8>,
    /// The sealed previous secret, and the end of the overlap.
    pub previous: Option<(Vec<u8>, DateTime<Utc>)>,
    /// Time since when the endpoint accepts no event; `None` for a healthy endpoint.
    pub failing_since: Option<DateTime<Utc>>,
}
