use async_trait::async_trait;
use domain::{AttemptId, CertificateId, MerchantAccountId, WebhookEndpointId};

use crate::{Tenant, Unavailable};

/// Sealed secrets where they lie: read to be used, and sealed anew once the key of the vault was
/// replaced.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SecretStore: Send + Sync {
    /// The credentials that count for that account, whoever owns it; `None` if none were ever set.
    async fn credentials(&self, account: &MerchantAccountId) -> Result<Option<StoredSecret>, Unavailable>;

    /// The first secrets of that kind, of every tenant, in an order that stays; with `after`, those
    /// that follow it.
    async fn secrets(
        &self,
        kind: SecretKind,
        after: Option<SecretLocation>,
        limit: u16,
    ) -> Result<Vec<StoredSecret>, Unavailable>;

    /// Puts `sealed` where `secret` was read, if that is still there. Says whether it was.
    async fn replace(&self, secret: &StoredSecret, sealed: Vec<u8>) -> Result<bool, Unavailable>;

    /// What was sealed to tell by whether a vault has the key of this deployment; `None` if nothing was yet.
    async fn key_check(&self) -> Result<Option<Vec<u8>>, Unavailable>;

    /// Keeps what is told by, in the place of `before`: of what is there already, if that is another, nothing changes.
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
    /// Providers' names for cards that they keep.
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
    /// Where it lies.
    pub place: SecretLocation,
    /// The secret as the vault sealed it.
    pub sealed: Vec<u8>,
}

/// Where a secret lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretLocation {
    /// Whose it is.
    pub tenant: Tenant,
    /// What it is of.
    pub of: SecretOf,
}

/// What a secret is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretOf {
    /// An account, and the count of its credentials.
    Account(MerchantAccountId, u32),
    /// A certificate.
    Certificate(CertificateId),
    /// An endpoint for webhooks.
    Endpoint(WebhookEndpointId),
    /// The same endpoint, before its secret was replaced.
    EndpointBefore(WebhookEndpointId),
    /// A card that a provider keeps since that attempt.
    Card(AttemptId),
}

impl SecretLocation {
    /// The context under which it is sealed: moved anywhere else, it does not open.
    pub fn context(&self) -> String {
        let Tenant { merchant, mode } = &self.tenant;
        match &self.of {
            SecretOf::Account(id, version) => format!("account/{merchant}/{}/{id}/{version}", mode.as_str()),
            SecretOf::Certificate(id) => format!("certificate/{id}"),
            SecretOf::Card(attempt) => format!("card/{merchant}/{}/{attempt}", mode.as_str()),
            // It is sealed once, and only moves to where the one before is kept.
            SecretOf::Endpoint(id) | SecretOf::EndpointBefore(id) => format!("webhook-secret/{id}"),
        }
    }
}
