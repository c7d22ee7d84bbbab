use domain::{
    AttemptId, FiscalDocumentId, PaymentId, attempt::Attempt, fiscal::FiscalNumber, sale::Sale, text::BoundedText,
};
use ports::{MerchantRegistry, Page, SaleFilter, SaleIdentifier, SaleSearch, SaleStore, Tenant};

use super::error::SetupError;

/// Returns the sale of a payment of any tenant, with each attempt, oldest first.
///
/// An operator knows the payment, and not the tenant: each tenant is queried in turn.
pub async fn inspect_payment(
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

/// Maximum number of payments of a tenant that one search returns.
const MOST: u16 = 50;

/// Finds the payments of `tenants` by any identifying text: the identifier of the payment, its document or an
/// attempt; the merchant's reference, invoice or order number; a fiscal number; the provider's number; the reference
/// of the checkout. `endings` are the endings of attempt identifiers that match the text as a provider's order
/// number.
///
/// # Errors
///
/// If the store does not respond.
pub async fn find_payments(
    tenants: &[Tenant],
    (sales, search): (&dyn SaleStore, &dyn SaleSearch),
    text: &str,
    endings: Vec<String>,
) -> Result<Vec<Sale>, SetupError> {
    let text = text.trim();
    let (clues, filters) = (clues(text, endings), filters(text));
    let mut found: Vec<Sale> = Vec::new();
    for tenant in tenants {
        let mut here = Vec::new();
        if let Some(id) = PaymentId::parse(text) {
            here.extend(sales.find(tenant, &id).await?);
        }
        if let Some(id) = FiscalDocumentId::parse(text) {
            here.extend(sales.find_by_document(tenant, &id).await?);
        }
        for filter in &filters {
            here.extend(search.search(tenant, filter, &Page { after: None, limit: MOST }).await?);
        }
        for clue in &clues {
            for id in search.by_clue(tenant, clue, MOST).await? {
                here.extend(sales.find(tenant, &id).await?);
            }
        }
        for sale in here {
            if found.iter().all(|it| it.payment.facts.id != sale.payment.facts.id) {
                found.push(sale);
            }
        }
    }
    Ok(found)
}

fn clues(text: &str, endings: Vec<String>) -> Vec<SaleIdentifier> {
    let read = [
        FiscalNumber::parse(&text.to_uppercase()).map(SaleIdentifier::Number),
        AttemptId::parse(text).map(|id| SaleIdentifier::AttemptEnding(id.as_str().to_owned())),
        Some(SaleIdentifier::ProviderReference(text.to_owned())),
        Some(SaleIdentifier::CheckoutReference(text.to_owned())),
    ];
    read.into_iter().flatten().chain(endings.into_iter().map(SaleIdentifier::AttemptEnding)).collect()
}

fn filters(text: &str) -> Vec<SaleFilter> {
    let short = || BoundedText::parse(text);
    let read = [
        BoundedText::parse(text).map(|it| SaleFilter { sale_reference: Some(it), ..SaleFilter::default() }),
        short().map(|it| SaleFilter { merchant_invoice_number: Some(it), ..SaleFilter::default() }),
        short().map(|it| SaleFilter { merchant_order_number: Some(it), ..SaleFilter::default() }),
    ];
    read.into_iter().flatten().collect()
}
