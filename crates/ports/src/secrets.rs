use async_trait::async_trait;
use domain::{AttemptId, CertificateId, MerchantAccountId, WebhookEndpointId};

use crate::{Tenant, Unavailable};

/// Sealed secrets in the store: read for use, and sealed again after the key of the vault was
/// replaced.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SecretStore: Send + Sync {
    /// Returns the current credentials of the account; `None` without credentials.
    async fn credentials(&self, account: &MerchantAccountId) -> Result<Option<StoredSecret>, Unavailable>;

    /// Returns the first secrets of a kind, of every tenant, in a stable order; with `after`, those that follow.
    async fn secrets(
        &self,
        kind: SecretKind,
        after: Option<SecretLocation>,
        limit: u16,
    ) -> Result<Vec<StoredSecret>, Unavailable>;

    /// Replaces `secret` with `sealed`, unless the secret changed meanwhile. Returns whether `secret` was replaced.
    async fn replace(&self, secret: &StoredSecret, sealed: Vec<u8>) -> Result<bool, Unavailable>;

    /// Returns the sealed check value that shows whether a vault has the key of this deployment; `None` if there is no
    /// value yet.
    async fn key_check(&self) -> Result<Option<Vec<u8>>, Unavailable>;

    /// Replaces the check value `before`. Another stored value stays.
    async fn store_key_check<'a>(&self, before: Option<&'a [u8]>, sealed: Vec<u8>) -> Result<(), Unavailable>;
}

/// Which secrets are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// Credentials of accounts at their providers.
    Credentials,
    /// Private keys that sign documents.
    SigningKey,
    /// Secrets that webhooks are signed with.
    WebhookSecret,
    /// Those that still sign beside the ones that took their place.
    PreviousWebhookSecret,
    /// Providers' tokens for stored cards.
    StoredCard,
}

impl SecretKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Credentials, Self::SigningKey, Self::WebhookSecret, Self::PreviousWebhookSecret, Self::StoredCard];
}

/// A secret, sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSecret {
    /// Location of the secret.
    pub location: SecretLocation,
    /// The sealed secret.
    pub sealed: Vec<u8>,
}

/// Where a secret lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretLocation {
    /// The tenant.
    pub tenant: Tenant,
    /// The owner.
    pub of: SecretOf,
}

/// Owner of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretOf {
    /// An account, and the version of the credentials.
    Account(MerchantAccountId, u32),
    /// A certificate.
    Certificate(CertificateId),
    /// An endpoint for webhooks.
    Endpoint(WebhookEndpointId),
    /// The previous secret of the endpoint.
    EndpointBefore(WebhookEndpointId),
    /// A card that a provider stored at that attempt.
    Card(AttemptId),
}

impl SecretLocation {
    /// Returns the context of the seal: at any other location the secret does not open.
    pub fn context(&self) -> String {
        let Tenant { merchant, mode } = &self.tenant;
        match &self.of {
            SecretOf::Account(id, version) => format!("account/{merchant}/{}/{id}/{version}", mode.as_str()),
            SecretOf::Certificate(id) => format!("certificate/{id}"),
            SecretOf::Card(attempt) => format!("card/{merchant}/{}/{attempt}", mode.as_str()),
            // A replaced secret stays sealed as before and moves to the location of the previous one.
            SecretOf::Endpoint(id) | SecretOf::EndpointBefore(id) => format!("webhook-secret/{id}"),
        }
    }
}
