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

    /// Whether the register, however old its copy is, lists the number.
    async fn lists(&self, tax_id: &TaxId) -> Result<bool, Unavailable>;

    /// When the register was as its newest copy has it; `None` if there is no copy.
    async fn as_of(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;
}
