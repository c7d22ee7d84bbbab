use std::error::Error;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use ports::{Committed, RegistryError, Unavailable};

/// Refusal of a write that found no row to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The stored state is not the one of the decision.
    Stale,
    /// The idempotency key is in use.
    KeyTaken,
    /// The identifier is in use.
    Exists,
    /// The key ends earlier.
    Ended,
}

/// Error of a statement.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A write found no row.
    Refused(Refused),
    /// The database refused the statement, or the connection broke.
    Database(DieselError),
    /// No connection was free in time, or the timeout ended.
    Unavailable(Unavailable),
}

impl Refused {
    const ALL: [Self; 4] = [Self::Stale, Self::KeyTaken, Self::Exists, Self::Ended];

    /// Message of the exception that `raise_unless` raises.
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
        let message = match &error {
            DieselError::DatabaseError(_, information) => information.message(),
            _ => "",
        };
        match Refused::ALL.into_iter().find(|refused| refused.as_str() == message) {
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
    /// The transaction may be committed, or the connection may be unusable.
    Unknown,
}

impl Failure {
    /// Classifies the error by the kind that Diesel gives.
    pub(crate) fn outcome(&self) -> Outcome {
        let (kind, information) = match self {
            Self::Database(DieselError::DatabaseError(kind, information)) => (kind, information),
            Self::Refused(_) | Self::Database(_) => return Outcome::Refused,
            Self::Unavailable(_) => return Outcome::Unknown,
        };
        match kind {
            DatabaseErrorKind::SerializationFailure => Outcome::RolledBack,
            // Diesel has no kind for a deadlock, and does not give the SQLSTATE of an error.
            DatabaseErrorKind::Unknown if information.message() == DEADLOCK => Outcome::RolledBack,
            DatabaseErrorKind::ReadOnlyTransaction => Outcome::ReadOnly,
            // Other errors without a kind: a timeout, a shutdown of the server, a full disk, a wrong statement.
            DatabaseErrorKind::Unknown
            | DatabaseErrorKind::ClosedConnection
            | DatabaseErrorKind::UnableToSendCommand => Outcome::Unknown,
            DatabaseErrorKind::UniqueViolation
            | DatabaseErrorKind::ForeignKeyViolation
            | DatabaseErrorKind::NotNullViolation
            | DatabaseErrorKind::CheckViolation
            | DatabaseErrorKind::RestrictViolation
            | DatabaseErrorKind::ExclusionViolation => Outcome::Refused,
            _ => Outcome::Unknown,
        }
    }
}

/// Message of a deadlock (40P01), where the server has English messages. Elsewhere the caller has to retry.
const DEADLOCK: &str = "deadlock detected";

/// Returns the error of a read-only session (25006).
pub(crate) fn read_only() -> DieselError {
    DieselError::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, Box::new(TAKES_NO_WRITES.to_owned()))
}

/// Source of a permanent error: the address, the credentials or the settings of a database are wrong.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UnusableDatabase(String);

pub(crate) fn unusable(why: impl Into<String>) -> Unavailable {
    Unavailable { what: "a usable database", source: UnusableDatabase(why.into()).into() }
}

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
            // Two decisions on one sale conflict on a number or an identifier; the second must reload.
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

/// Returns whether the index `attempts_provider_transactions` refused a row. SQLite names the columns of an index.
fn is_known_transaction(error: &DieselError) -> bool {
    let DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, information) = error else { return false };
    information.constraint_name() == Some("attempts_provider_transactions")
        || information.message().contains("attempts.provider_reference")
}

fn is(error: &DieselError, kind: &DatabaseErrorKind) -> bool {
    matches!(error, DieselError::DatabaseError(found, _) if std::mem::discriminant(found) == std::mem::discriminant(kind))
}

pub(crate) fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Unavailable {
    Unavailable { what: "the database", source: source.into() }
}
