use domain::{PaymentId, attempt::Attempt, sale::Sale};
use ports::{MerchantRegistry, SaleSearch, SaleStore};

use super::SetupError;

/// The sale of that payment, whosever it is, with every submission for it, the oldest first.
///
/// An operator who is asked about a payment has its name, and need not know whose it is: each tenant is asked in turn.
pub async fn look_at_payment(
    registry: &dyn MerchantRegistry,
    (sales, search): (&dyn SaleStore, &dyn SaleSearch),
    id: &PaymentId,
) -> Result<(Sale, Vec<Attempt>), SetupError> {
    for tenant in registry.tenants().await? {
        if let Some(sale) = sales.find(&tenant, id).await? {
            let attempts = search.attempts(&tenant, &sale.payment).await?;
            return Ok((sale, attempts));
        }
    }
    Err(SetupError::Invalid("there is no such payment"))
}
