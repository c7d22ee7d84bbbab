/// What a provider asks of a merchant's account there, apart from money.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait AccountProvider: Send + Sync {
    /// Whether those are credentials in the provider's own form: one JSON object, as bytes. Nobody is
    /// asked for it.
    fn check(&self, credentials: &[u8]) -> Result<(), CredentialFault>;
}

/// What is wrong with credentials. Nothing of them is told but the name of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialFault {
    /// A field is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field is not what it has to be.
    #[error("{0} is not what it has to be")]
    Invalid(&'static str),
    /// A field has no place there.
    #[error("there is a field that has no meaning")]
    Unknown,
}
