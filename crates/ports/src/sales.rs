use async_trait::async_trait;
use domain::{AttemptId, CheckoutReference, FiscalDocumentId, PaymentId, Symbols, attempt::Attempt, sale::Sale};

use crate::{Commit, Committed, Tenant, Unavailable};

/// Stores sales: payments with their documents, attempts and events.
///
/// A look-up by identifier is limited to one tenant and mode.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SaleStore: Send + Sync {
    /// The sale of that payment, or `None` if the tenant has none by that name.
    async fn find(&self, tenant: &Tenant, id: &PaymentId) -> Result<Option<Sale>, Unavailable>;

    /// The sale of that fiscal document.
    async fn find_by_document(&self, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Option<Sale>, Unavailable>;

    /// The sale of that receipt.
    async fn find_by_reference(
        &self,
        tenant: &Tenant,
        reference: &CheckoutReference,
    ) -> Result<Option<Sale>, Unavailable>;

    /// Returns the sale of a checkout link. The link alone is the credential.
    async fn find_by_link(&self, link: &Symbols) -> Result<Option<Sale>, Unavailable>;

    /// Returns the sale of a receipt, of any tenant. The reference alone is the credential.
    async fn find_by_receipt(&self, reference: &CheckoutReference) -> Result<Option<Sale>, Unavailable>;

    /// Returns the attempt of the challenge with that secret in the addresses, and the tenant. The secret alone is the
    /// credential.
    async fn find_challenged(&self, link: &Symbols) -> Result<Option<(Tenant, Attempt)>, Unavailable>;

    /// A submission to the provider.
    async fn find_attempt(&self, tenant: &Tenant, id: &AttemptId) -> Result<Option<Attempt>, Unavailable>;

    /// Stores a decision in one transaction.
    async fn commit(&self, commit: Commit) -> Result<Committed, Unavailable>;
}
