use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    FiscalDocumentId,
    fiscal::{DocumentKind, Environment, Numbered, TaxId},
};

use crate::{Tenant, Unavailable};

/// Gives out fiscal numbers: gapless, each once.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait NumberStore: Send + Sync {
    /// Returns the number of that revision of the document: the assigned one, or the next of the oldest usable range.
    /// One transaction takes the number and binds it to the document, so that a crash leaves neither a gap nor a
    /// second number.
    async fn assign(&self, request: NumberRequest) -> Result<Numbered, NumberError>;
}

/// A document that needs a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberRequest {
    /// The tenant.
    pub tenant: Tenant,
    /// The document.
    pub document: FiscalDocumentId,
    /// The revision.
    pub revision: u32,
    /// The issuer.
    pub issuer: TaxId,
    /// The kind.
    pub environment: Environment,
    /// Its kind.
    pub kind: DocumentKind,
    /// The day of issue in the Dominican Republic.
    pub today: NaiveDate,
    /// Time of the request.
    pub now: DateTime<Utc>,
}

/// Reason why no number was assigned.
#[derive(Debug, thiserror::Error)]
pub enum NumberError {
    /// Every range of the kind is used up, or there is none.
    #[error("no fiscal number is left")]
    Exhausted,
    /// Numbers are left, but their time is over.
    #[error("the range of fiscal numbers has expired")]
    Expired,
    /// The store did not respond.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
