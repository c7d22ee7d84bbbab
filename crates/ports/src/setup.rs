use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    MerchantAccountId, WebhookEndpointId,
    account::{Account, Lifecycle},
    merchant::Profile,
    webhook::WebhookEndpoint,
};

use crate::{Change, CommitError, KeyChange, Tenant, Unavailable};

/// Changes what a merchant has set up, by the merchant's own commands.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SetupStore: Send + Sync {
    /// Makes one decision durable, together with what the caller's key keeps, or nothing of it.
    ///
    /// A thing that exists already, or that has moved since, is [`CommitError::Stale`].
    async fn commit(&self, commit: SetupCommit) -> Result<(), CommitError>;

    /// The tenant's webhook endpoints, oldest first.
    async fn endpoints(&self, tenant: &Tenant) -> Result<Vec<WebhookEndpoint>, Unavailable>;
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
        /// The account.
        account: MerchantAccountId,
        /// The count that the decision was based on; it grows by one.
        based_on: u32,
        /// Where the account stands with them.
        lifecycle: Lifecycle,
        /// The credentials, sealed.
        sealed: Vec<u8>,
    },
    /// A new webhook endpoint, unless the tenant has `limit` of them: that is
    /// [`CommitError::Stale`].
    Endpoint {
        /// The endpoint.
        endpoint: Box<WebhookEndpoint>,
        /// Its signing secret, sealed.
        sealed_secret: Vec<u8>,
        /// How many a tenant may have.
        limit: usize,
    },
}

/// The context under which an endpoint's signing secret is sealed.
pub fn secret_context(id: &WebhookEndpointId) -> String {
    format!("webhook-secret/{id}")
}
