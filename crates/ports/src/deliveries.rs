use async_trait::async_trait;
use domain::{FiscalDocumentId, fiscal::RequestedDelivery};

use crate::{Tenant, Unavailable};

/// Knows who wants which document by e-mail. What is asked for is written by
/// [`SaleStore::commit`](crate::SaleStore::commit), and waits there for whoever sends mail.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DeliveryStore: Send + Sync {
    /// The newest [`LIMIT`](RequestedDelivery::LIMIT) deliveries of the document, newest first.
    async fn newest(&self, tenant: &Tenant, document: &FiscalDocumentId)
    -> Result<Vec<RequestedDelivery>, Unavailable>;
}
