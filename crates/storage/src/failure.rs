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

/// State of the transaction of a failed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The statement was refused, and a retry would be refused, too.
    Refused,
    /// The transaction was rolled back, and a retry may succeed.
    RolledBack,
    /// The session is read-only: no change was written.
    ReadOnly,
    /// The connection broke, or the timeout ended: the transaction may be committed.
    Unknown,
}

impl Failure {
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::Database(DieselError::DatabaseError(kind, _)) => match kind {
                // Diesel has no kind for a deadlock. After a shutdown of the server, which has none either, the retry
                // fails with `ClosedConnection`.
                DatabaseErrorKind::SerializationFailure | DatabaseErrorKind::Unknown => Outcome::RolledBack,
                DatabaseErrorKind::ReadOnlyTransaction => Outcome::ReadOnly,
                DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => Outcome::Unknown,
                _ => Outcome::Refused,
            },
            Self::Refused(_) | Self::Database(_) => Outcome::Refused,
            Self::Unavailable(_) => Outcome::Unknown,
        }
    }
}

/// Returns the error of a read-only session, as PostgreSQL reports it (25006).
pub(crate) fn read_only() -> DieselError {
    DieselError::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, Box::new(TAKES_NO_WRITES.to_owned()))
}

/// [`Unavailable::what`] of an error that does not pass: the address, the credentials or the settings are wrong.
pub const UNUSABLE: &str = "a usable database";

/// Message for a standby, or a database with `default_transaction_read_only`.
pub(crate) const TAKES_NO_WRITES: &str = "it takes no writes: it is a standby, or it was made read-only";

impl From<Failure> for Unavailable {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refused) => unavailable(format!("a write was refused: {}", refused.as_str())),
            Failure::Database(error) if is(&error, &DatabaseErrorKind::ReadOnlyTransaction) => {
                Self { what: "a writable database", source: error.into() }
            }
            Failure::Database(error) => unavailable(error),
            Failure::Unavailable(error) => error,
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
        Err(Failure::Database(error)) if is_known_transaction(&error) => Ok(Committed::KnownTransaction),
        Err(Failure::Database(error)) if is(&error, &DatabaseErrorKind::UniqueViolation) => {
            // Two decisions on one sale conflicted on a number or a name; the second must reload.
            tracing::warn!(%error, "a commit conflicts with stored data");
            Ok(Committed::Stale)
        }
        Err(failure) => Err(failure.into()),
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
            failure => Unavailable::from(failure).into(),
        }
    }
}

/// Whether the index `attempts_provider_transactions` refused a row. SQLite names the columns, and no index.
fn is_known_transaction(error: &DieselError) -> bool {
    let DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, it) = error else { return false };
    it.constraint_name() == Some("attempts_provider_transactions")
        || it.message().contains("attempts.provider_reference")
}

fn is(error: &DieselError, kind: &DatabaseErrorKind) -> bool {
    matches!(error, DieselError::DatabaseError(it, _) if std::mem::discriminant(it) == std::mem::discriminant(kind))
}

/// The cause, for the log.
pub(crate) fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Unavailable {
    Unavailable { what: "the database", source: source.into() }
}
