use chrono::{DateTime, Utc};
use domain::{
    AnnulmentId,
    fiscal::{CertificateChoiceError, local_time},
};
use ports::{CredentialFault, RegistryError, Unavailable};

use crate::{Unexpected, transact::Contention};

/// Why a set-up was refused, in words for the operator.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The registry refused it.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The store did not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// It makes no sense.
    #[error("{0}")]
    Invalid(&'static str),
    /// Some of the numbers were given before.
    #[error(
        "some of its numbers are in a range of this kind that the issuer has already: `cobro sequence list` shows them"
    )]
    Overlaps,
    /// What is there is newer.
    #[error("it is older than the copy in force, which is of {}", local_time(*.0).format("%Y-%m-%d %H:%M"))]
    Outdated(DateTime<Utc>),
    /// No certificate of the file can be used.
    #[error(transparent)]
    Certificate(#[from] CertificateChoiceError),
    /// The credentials are not in the form of their provider, or are of another place than the account's.
    #[error("the credentials cannot be the account's")]
    Credentials(#[from] CredentialFault),
    /// Numbers were cut off, and what the authority made of it was not written down.
    #[error(
        "the numbers are cut off, so that no document gets them; what the authority made of it was not written down: \
         `cobro sequence annul --resume {0}` sends the same again"
    )]
    Unsettled(AnnulmentId, #[source] Unexpected),
    /// Numbers may have been cut off. The authority did not hear of it.
    #[error(
        "it is not known whether the numbers were cut off: if they were, `cobro sequence annul --resume {0}` goes on, and if \
         not, it finds no such annulment"
    )]
    Uncut(AnnulmentId, #[source] Unexpected),
    /// We failed.
    #[error("something unexpected happened")]
    Internal(#[source] Unexpected),
}

impl From<Contention> for SetupError {
    fn from(_: Contention) -> Self {
        Self::Invalid("every attempt lost to a concurrent change: try again later")
    }
}
