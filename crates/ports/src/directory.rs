use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::fiscal::{TaxId, Taxpayer};

use crate::Unavailable;

/// The register of taxpayers.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TaxpayerDirectory: Send + Sync {
    /// The taxpayer, or `None` if the register does not list the number.
    async fn find(&self, tax_id: &TaxId) -> Result<Option<Taxpayer>, Unavailable>;

    /// Whether the register lists the number, regardless of the age of the copy.
    async fn lists(&self, tax_id: &TaxId) -> Result<bool, Unavailable>;

    /// Date of the newest copy of the register; `None` without a copy.
    async fn as_of(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;
}
