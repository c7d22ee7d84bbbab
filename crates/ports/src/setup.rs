use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    EventId, EventKind, MerchantAccountId, WebhookEndpointId,
    account::{Account, Probe, ReadinessChange},
    event::EventRecord,
    merchant::Profile,
    webhook::WebhookEndpoint,
};

use crate::{Change, Committed, KeyChange, Tenant, Unavailable};

/// Stores the set-up that a merchant changes through the API.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SetupStore: Send + Sync {
    /// Stores a decision together with the caller's idempotency key, in one transaction.
    ///
    /// Returns [`Committed::Stale`] if a new object exists already, or the object has changed since it was read.
    async fn commit(&self, commit: SetupCommit) -> Result<Committed, Unavailable>;

    /// The tenant's webhook endpoints, oldest first.
    async fn endpoints(&self, tenant: &Tenant) -> Result<Vec<WebhookEndpoint>, Unavailable>;

    /// Returns the endpoint, even if removed.
    async fn endpoint(&self, tenant: &Tenant, id: &WebhookEndpointId) -> Result<Option<StoredEndpoint>, Unavailable>;

    /// Leases accounts of any tenant that are due for a probe until `until`, the longest due first.
    async fn claim_probes(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable>;

    /// Stores the findings about an account, `to`, with the time of the next probe and the readiness that follows. The
    /// findings include the capabilities that the credentials have shown.
    ///
    /// Returns [`Committed::Stale`], and stores no change, if the account's credentials were replaced or its notified
    /// readiness has changed since they were read.
    async fn store_probe<'a>(
        &self,
        tenant: &Tenant,
        to: &'a Account,
        found: (&'a Probe, DateTime<Utc>),
        change: Option<&'a ReadinessChange>,
    ) -> Result<Committed, Unavailable>;

    /// Leases accounts of any tenant that are due for a check of their readiness until `until`, the longest due first.
    async fn claim_looks(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable>;

    /// Stores the notified readiness of an account together with its event, which is enqueued. Returns
    /// [`Committed::Stale`] if the notified readiness has changed since it was read.
    async fn record_readiness_change(
        &self,
        tenant: &Tenant,
        change: &ReadinessChange,
    ) -> Result<Committed, Unavailable>;
}

/// A webhook endpoint that is there, or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEndpoint {
    /// The endpoint.
    pub endpoint: WebhookEndpoint,
    /// Whether the endpoint was removed.
    pub is_removed: bool,
}

/// One decision about a merchant's set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupCommit {
    /// The tenant.
    pub tenant: Tenant,
    /// Time of the decision.
    pub at: DateTime<Utc>,
    /// The change.
    pub change: SetupChange,
    /// Changes of readiness: of all accounts after a new profile, of one account after new credentials.
    pub readiness: Vec<ReadinessChange>,
    /// New state of the caller's idempotency key.
    pub key: KeyChange,
}

/// Change of a merchant's set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupChange {
    /// Another profile; a version of `None` is the first.
    Profile(Box<Change<Profile>>),
    /// A new account.
    Account(Box<Account>),
    /// New credentials of an account.
    Credentials {
        /// The account with the next credential version.
        to: Box<Account>,
        /// The credentials, sealed.
        sealed: Vec<u8>,
    },
    /// A new webhook endpoint, unless the tenant has `limit` of them: that is
    /// [`Committed::Stale`].
    Endpoint {
        /// The endpoint.
        endpoint: Box<WebhookEndpoint>,
        /// The sealed signing secret.
        sealed_secret: Vec<u8>,
        /// How many a tenant may have.
        limit: usize,
    },
    /// New state of an endpoint. Earlier failures no longer count.
    EndpointChanged {
        /// The state as decided.
        to: Box<WebhookEndpoint>,
        /// The version that the decision was based on.
        based_on: u32,
        /// The new signing secret, if replaced.
        secret: Option<NewSecret>,
    },
    /// Removal of an endpoint. Its identifier and references stay.
    EndpointRemoved {
        /// The last state.
        to: Box<WebhookEndpoint>,
        /// The version that the decision was based on.
        based_on: u32,
    },
    /// A test event for one endpoint, regardless of its selection.
    EndpointTest {
        /// The endpoint.
        endpoint: Box<WebhookEndpoint>,
        /// The event.
        event: Box<EventRecord>,
    },
    /// Events that set out for an endpoint again.
    Replay {
        /// The endpoint.
        endpoint: Box<WebhookEndpoint>,
        /// Which events.
        replay: Replay,
    },
}

/// A signing secret that takes the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSecret {
    /// The secret, sealed.
    pub sealed: Vec<u8>,
    /// End of the overlap with the previous secret, if any.
    pub previous_until: Option<DateTime<Utc>>,
}

/// Which events set out again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// One.
    Event {
        /// The event.
        id: EventId,
        /// Its kind.
        kind: EventKind,
        /// Time when the event occurred.
        occurred_at: DateTime<Utc>,
    },
    /// The events of a period.
    Range(ReplayedRange),
}

/// Events of a period, without tests of other endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedRange {
    /// From this moment on.
    pub since: DateTime<Utc>,
    /// Before this moment.
    pub until: DateTime<Utc>,
    /// Of these kinds.
    pub kinds: Vec<EventKind>,
    /// Only events with a failed delivery.
    pub is_only_failed: bool,
}

/// The context under which an endpoint's signing secret is sealed.
pub fn secret_context(id: &WebhookEndpointId) -> String {
    format!("webhook-secret/{id}")
}
