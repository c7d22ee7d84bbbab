use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{MerchantAccountId, account::Probe};

/// What a provider asks of a merchant's account there, apart from money.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AccountProvider: Send + Sync {
    /// What credentials in the provider's own form say of the account: one JSON object, as bytes. Nobody is
    /// asked for it.
    ///
    /// # Errors
    ///
    /// They are not in that form.
    fn check(&self, credentials: &[u8]) -> Result<Credentials, CredentialFault>;

    /// Whether `after` are credentials of the same place as `before`, which an account has: what was sold in one place is
    /// known in no other. What cannot be read tells of no place. Nobody is asked for it.
    ///
    /// # Errors
    ///
    /// They are of another place.
    fn stays(&self, before: &[u8], after: &[u8]) -> Result<(), CredentialFault>;

    /// Asks whether it takes the credentials that are stored for the account. Nothing moves by it, and it
    /// may be repeated freely. `None` if there are no credentials to show.
    async fn probe(&self, account: &MerchantAccountId) -> Option<Probed>;

    /// How often it answered with a code that nobody here knows, since the process began. Somebody has
    /// to find out what it means: until then it declines, or nobody knows what it did.
    fn unknown_codes(&self) -> u64;

    /// How far its clock was before ours when it last told its time, if it ever did.
    fn clock_skew(&self) -> Option<TimeDelta>;
}

/// An account whose provider was asked about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probed {
    /// What the provider said.
    pub said: Probe,
    /// What the credentials that were shown say of the account: as read now, whenever they were set.
    pub credentials: Credentials,
}

/// What credentials say of an account, apart from what is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// Whether the provider has certified it for 3-D Secure.
    pub has_3ds: bool,
}

/// What is wrong with credentials. Nothing of them is told but the name of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialFault {
    /// A field is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field is not what it has to be: which, and the rule in a sentence.
    #[error("{0}: {1}")]
    Invalid(&'static str, &'static str),
    /// A field has no place there.
    #[error("there is a field that has no meaning")]
    Unknown,
}
