use async_trait::async_trait;
use domain::{
    AttemptId, CheckoutReference, FiscalDocumentId, MerchantId, Mode, PaymentId, Symbols, attempt::Attempt, sale::Sale,
};

use crate::{Commit, Committed, Unavailable};

/// Remembers sales: payments with their documents, attempts and events.
///
/// A look-up by name is always within one tenant and mode: what belongs to another is not there.
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

    /// The sale whose checkout page is at that secret address. The link alone is the credential.
    async fn find_by_link(&self, link: &Symbols) -> Result<Option<Sale>, Unavailable>;

    /// The sale of that receipt, whoever's. The reference alone is the credential.
    async fn find_by_receipt(&self, reference: &CheckoutReference) -> Result<Option<Sale>, Unavailable>;

    /// Whose submission has that secret in the addresses of its challenge. The link alone is the credential.
    async fn find_challenged(&self, link: &Symbols) -> Result<Option<(Tenant, Attempt)>, Unavailable>;

    /// A submission to the provider.
    async fn find_attempt(&self, tenant: &Tenant, id: &AttemptId) -> Result<Option<Attempt>, Unavailable>;

    /// Makes one decision durable, or nothing of it.
    async fn commit(&self, commit: Commit) -> Result<Committed, Unavailable>;
}

/// Whose data, and in which mode: no query goes without.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tenant {
    /// The merchant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
}
