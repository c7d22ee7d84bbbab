use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{MerchantAccountId, account::Probe};

/// Administration of a merchant's account at a provider, apart from payments.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AccountProvider: Send + Sync {
    /// Reads credentials in the provider's own format: one JSON object, as bytes. Sends no request.
    ///
    /// # Errors
    ///
    /// The bytes are not in that format.
    fn check(&self, credentials: &[u8]) -> Result<Credentials, CredentialFault>;

    /// Checks that `after` are credentials of the same account at the provider as `before`: another account does not
    /// know the earlier sales. Credentials that cannot be parsed pass. Sends no request.
    ///
    /// # Errors
    ///
    /// The credentials are of another account.
    fn check_same_provider_store(&self, before: &[u8], after: &[u8]) -> Result<(), CredentialFault>;

    /// Checks the stored credentials at the provider. Moves no money and may be repeated. Returns `None` without
    /// credentials.
    async fn probe(&self, account: &MerchantAccountId) -> Option<ProbeReport>;

    /// Number of responses with an unknown code since the process started. An operator has to find out the meaning:
    /// until then such a payment is declined, or in doubt.
    fn unknown_codes(&self) -> u64;

    /// Time by which the provider's clock is ahead of ours, by the last response with a date.
    fn clock_skew(&self) -> Option<TimeDelta>;
}

/// Result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// The provider's verdict.
    pub probe: Probe,
    /// Properties of the account by the credentials in the request.
    pub credentials: Credentials,
}

/// Properties of an account as shown by the credentials, without secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// Whether the provider has certified the account for 3-D Secure.
    pub has_3ds: bool,
}

/// Fault of credentials. Contains the name of a field and no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialFault {
    /// A field is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field is invalid: its name and the rule.
    #[error("{0}: {1}")]
    Invalid(&'static str, &'static str),
    /// A field has no place there.
    #[error("there is a field that has no meaning")]
    Unknown,
}
