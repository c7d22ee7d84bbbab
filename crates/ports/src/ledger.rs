use async_trait::async_trait;
use domain::fiscal::{GivenNumber, NumberRange};

use crate::{Tenant, Unavailable};

/// Tells what became of fiscal numbers: for whoever has to account for them.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait NumberLedger: Send + Sync {
    /// The tenant's ranges in every environment, the oldest first.
    async fn ranges(&self, tenant: &Tenant) -> Result<Vec<NumberRange>, Unavailable>;

    /// The numbers of that range that were given, the lowest first, from `from` on and at most `limit` of them.
    async fn given(
        &self,
        tenant: &Tenant,
        range: &NumberRange,
        from: u64,
        limit: u16,
    ) -> Result<Vec<GivenNumber>, Unavailable>;
}
