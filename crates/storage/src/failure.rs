use std::error::Error;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use ports::{Committed, RegistryError, Unavailable};

/// What it means that a write found no row to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The decision was based on something that has changed.
    Stale,
    /// Somebody used the idempotency key first.
    KeyTaken,
    /// The name is taken.
    Exists,
    /// It ends sooner already.
    Ended,
}

/// Why nothing was written.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A write was refused.
    Refused(Refused),
    /// The database refused, or did not answer.
    Database(DieselError),
    /// No connection was to be had.
    Unavailable(Unavailable),
}

impl Refused {
    /// The word by which a database says it back to us.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::KeyTaken => "key_taken",
            Self::Exists => "exists",
            Self::Ended => "ended",
        }
    }
}

impl From<DieselError> for Failure {
    fn from(error: DieselError) -> Self {
        let word = match &error {
            DieselError::DatabaseError(_, information) => information.message(),
            _ => "",
        };
        match [Refused::Stale, Refused::KeyTaken, Refused::Exists, Refused::Ended]
            .into_iter()
            .find(|it| it.as_str() == word)
        {
            Some(refused) => Self::Refused(refused),
            None => Self::Database(error),
        }
    }
}

impl From<Unavailable> for Failure {
    fn from(error: Unavailable) -> Self {
        Self::Unavailable(error)
    }
}

/// Maps the result of a commit.
pub(crate) fn committed(applied: Result<(), Failure>) -> Result<Committed, Unavailable> {
    match applied {
        Ok(()) => Ok(Committed::Done),
        Err(Failure::Refused(Refused::KeyTaken)) => Ok(Committed::KeyTaken),
        Err(Failure::Refused(Refused::Stale | Refused::Exists | Refused::Ended)) => Ok(Committed::Stale),
        Err(Failure::Database(error)) if is(&error, &DatabaseErrorKind::UniqueViolation) => {
            // Two decisions on one sale conflicted on a number or a name; the second must reload.
            tracing::warn!(%error, "a commit conflicts with stored data");
            Ok(Committed::Stale)
        }
        Err(Failure::Database(error)) => Err(unavailable(error)),
        Err(Failure::Unavailable(error)) => Err(error),
    }
}

impl From<Failure> for RegistryError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(Refused::Ended) => Self::Ended,
            Failure::Refused(Refused::Stale) => Self::Moved,
            Failure::Refused(Refused::Exists | Refused::KeyTaken) => Self::Exists,
            Failure::Database(error) if is(&error, &DatabaseErrorKind::UniqueViolation) => Self::Exists,
            Failure::Database(error) if is(&error, &DatabaseErrorKind::ForeignKeyViolation) => Self::NoMerchant,
            Failure::Database(error) => unavailable(error).into(),
            Failure::Unavailable(error) => error.into(),
        }
    }
}

fn is(error: &DieselError, kind: &DatabaseErrorKind) -> bool {
    matches!(error, DieselError::DatabaseError(it, _) if std::mem::discriminant(it) == std::mem::discriminant(kind))
}

/// The cause, for the log.
pub(crate) fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Unavailable {
    Unavailable { what: "the database", source: source.into() }
}
