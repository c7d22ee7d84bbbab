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
    /// The number of that revision of the document: the one that it was given before, or the next
    /// of the oldest usable range. Taking it and binding it to the document is one transaction,
    /// so that a crash leaves neither a gap nor a second number.
    async fn assign(&self, request: NumberRequest) -> Result<Numbered, NumberError>;
}

/// A document that needs a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberRequest {
    /// The tenant.
    pub tenant: Tenant,
    /// The document.
    pub document: FiscalDocumentId,
    /// Which revision of it.
    pub revision: u32,
    /// Who issues it.
    pub issuer: TaxId,
    /// Where.
    pub environment: Environment,
    /// Its kind.
    pub kind: DocumentKind,
    /// The day of issue in the Dominican Republic.
    pub today: NaiveDate,
    /// When it is asked.
    pub now: DateTime<Utc>,
}

/// Why no number was given.
#[derive(Debug, thiserror::Error)]
pub enum NumberError {
    /// Every range of the kind is used up, or there is none.
    #[error("no fiscal number is left")]
    Exhausted,
    /// Numbers are left, but their time is over.
    #[error("the range of fiscal numbers has expired")]
    Expired,
    /// The store did not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
