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

/// Changes what a merchant has set up, by the merchant's own commands.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SetupStore: Send + Sync {
    /// Makes one decision durable, together with what the caller's key keeps, or nothing of it.
    ///
    /// Returns [`Committed::Stale`] if a new object exists already, or the object has changed since it was read.
    async fn commit(&self, commit: SetupCommit) -> Result<Committed, Unavailable>;

    /// The tenant's webhook endpoints, oldest first.
    async fn endpoints(&self, tenant: &Tenant) -> Result<Vec<WebhookEndpoint>, Unavailable>;

    /// The endpoint of that name, even if it was removed.
    async fn endpoint(&self, tenant: &Tenant, id: &WebhookEndpointId) -> Result<Option<StoredEndpoint>, Unavailable>;

    /// Accounts of any tenant whose provider is to be asked about their credentials, the longest due
    /// first. Nobody else gets them before `until`.
    async fn claim_probes(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable>;

    /// Stores the findings about an account, `to`, with the time of the next probe and the readiness that follows. The
    /// findings include the capabilities that the credentials have shown.
    ///
    /// Returns [`Committed::Stale`], and stores nothing, if the account's credentials were replaced or its notified
    /// readiness has changed since they were read.
    async fn store_probe<'a>(
        &self,
        tenant: &Tenant,
        to: &'a Account,
        found: (&'a Probe, DateTime<Utc>),
        change: Option<&'a ReadinessChange>,
    ) -> Result<Committed, Unavailable>;

    /// Accounts of any tenant that somebody is to look at whether they are still what was told of them, the
    /// longest due first. Nobody else gets them before `until`, and then whoever comes first.
    async fn claim_looks(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable>;

    /// Stores the notified readiness of an account together with its event, which is enqueued. Returns
    /// [`Committed::Stale`] if the notified readiness has changed since it was read.
    async fn tell(&self, tenant: &Tenant, change: &ReadinessChange) -> Result<Committed, Unavailable>;
}

/// A webhook endpoint that is there, or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEndpoint {
    /// The endpoint.
    pub endpoint: WebhookEndpoint,
    /// Whether it was removed.
    pub is_removed: bool,
}

/// One decision about a merchant's set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupCommit {
    /// The tenant.
    pub tenant: Tenant,
    /// When it was decided.
    pub at: DateTime<Utc>,
    /// What is decided.
    pub change: SetupChange,
    /// What a profile makes of the readiness of accounts, or credentials of that of theirs.
    pub readiness: Vec<ReadinessChange>,
    /// What the caller's idempotency key remembers from now on.
    pub key: KeyChange,
}

/// What a merchant may decide about its set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupChange {
    /// Another profile; a version of `None` is the first.
    Profile(Box<Change<Profile>>),
    /// A new account.
    Account(Box<Account>),
    /// New credentials of an account.
    Credentials {
        /// The account with them. Its count is the next after the one that the decision was based on.
        to: Box<Account>,
        /// The credentials, sealed.
        sealed: Vec<u8>,
    },
    /// A new webhook endpoint, unless the tenant has `limit` of them: that is
    /// [`Committed::Stale`].
    Endpoint {
        /// The endpoint.
        endpoint: Box<WebhookEndpoint>,
        /// Its signing secret, sealed.
        sealed_secret: Vec<u8>,
        /// How many a tenant may have.
        limit: usize,
    },
    /// Another state of an endpoint. What it refused before counts no more.
    EndpointChanged {
        /// The state as decided.
        to: Box<WebhookEndpoint>,
        /// The version that the decision was based on.
        based_on: u32,
        /// Its signing secret, if it has another from now on.
        secret: Option<NewSecret>,
    },
    /// An endpoint that is no more. What refers to it stays, and so does its name.
    EndpointRemoved {
        /// Its last state.
        to: Box<WebhookEndpoint>,
        /// The version that the decision was based on.
        based_on: u32,
    },
    /// An event that goes to one endpoint, whatever it selects.
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
    /// Until when the one before signs beside it, if it does.
    pub previous_until: Option<DateTime<Utc>>,
}

/// Which events set out again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// One.
    Event {
        /// Its name.
        id: EventId,
        /// What happened.
        kind: EventKind,
        /// When it was told.
        occurred_at: DateTime<Utc>,
    },
    /// Those that were told in a period.
    Range(ReplayedRange),
}

/// Events that were told in a period, but for tests of other endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedRange {
    /// From this moment on.
    pub since: DateTime<Utc>,
    /// Before this moment.
    pub until: DateTime<Utc>,
    /// Of these kinds.
    pub kinds: Vec<EventKind>,
    /// Only those that the endpoint never took, and that nobody tries any more.
    pub is_only_failed: bool,
}

/// The context under which an endpoint's signing secret is sealed.
pub fn secret_context(id: &WebhookEndpointId) -> String {
    format!("webhook-secret/{id}")
}
