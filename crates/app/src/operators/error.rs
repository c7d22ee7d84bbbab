use chrono::{DateTime, Utc};
use domain::{
    AnnulmentId,
    fiscal::{CertificateChoiceError, NotAnnullable, local_time},
};
use ports::{CredentialFault, RegistryError, Unavailable};

use crate::{Unexpected, transact::Contention};

/// Why a set-up was refused, for the operator.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The registry refused the command.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The store did not respond.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The command is not valid.
    #[error("{0}")]
    Invalid(&'static str),
    /// Some of the numbers are in another range.
    #[error(
        "some of its numbers are in a range of this kind that the issuer has already: `cobro sequence list` shows them"
    )]
    Overlaps,
    /// Too many assigned numbers for one annulment.
    #[error("at most {0} numbers of documents can be annulled at once")]
    TooManyNumbers(u64),
    /// A newer copy is in force.
    #[error("the copy is older than the one in force, of {}", local_time(*.0).format("%Y-%m-%d %H:%M"))]
    Outdated(DateTime<Utc>),
    /// No certificate of the file can be used.
    #[error(transparent)]
    Certificate(#[from] CertificateChoiceError),
    /// The credentials are malformed, or of another place than the account's.
    #[error("the credentials cannot be the account's")]
    Credentials(#[from] CredentialFault),
    /// Numbers are cut off, and the authority's response is not stored.
    #[error(
        "the numbers are cut off, so that no document gets them; what the authority made of it was not written down: \
         `cobro sequence annul --resume {0}` sends the same again"
    )]
    Unsettled(AnnulmentId, #[source] Unexpected),
    /// Numbers may be cut off. The authority did not receive the annulment.
    #[error(
        "it is not known whether the numbers were cut off: if they were, `cobro sequence annul --resume {0}` goes on, and if \
         not, it finds no such annulment"
    )]
    Uncut(AnnulmentId, #[source] Unexpected),
    /// We failed.
    #[error("an internal error occurred")]
    Internal(#[source] Unexpected),
}

impl From<Contention> for SetupError {
    fn from(_: Contention) -> Self {
        Self::Registry(RegistryError::Moved)
    }
}

impl From<NotAnnullable> for SetupError {
    fn from(why: NotAnnullable) -> Self {
        Self::Invalid(match why {
            NotAnnullable::NothingLeft => "no number of the range is left",
            NotAnnullable::Outside => "they are not numbers that the range has",
            NotAnnullable::Used => {
                "some numbers were assigned to documents and are spent, in use or needed by a correction; or annulled before"
            }
        })
    }
}
