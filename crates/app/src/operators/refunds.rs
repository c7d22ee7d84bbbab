//! Refunds for operators: shown, listed, and settled after an unknown outcome.

use domain::{PaymentId, RefundId, attempt::Attempt, refund::RefundRecord};
use ports::{MerchantRegistry, Page, RefundFilter, RefundStore, Tenant};

use super::error::SetupError;
use crate::{
    Ports,
    refunds::{SettleRefund, settle_leg},
};

/// Maximum number of refunds of a payment that are listed.
const MOST: u16 = 1000;

/// Returns a refund of any tenant, with each attempt, oldest first.
///
/// # Errors
///
/// If there is no such refund, or if the store fails.
pub async fn inspect_refund(
    registry: &dyn MerchantRegistry,
    refunds: &dyn RefundStore,
    id: &RefundId,
) -> Result<(RefundRecord, Vec<Attempt>), SetupError> {
    let (tenant, record) = find(registry, refunds, id).await?;
    Ok((record, refunds.attempts(&tenant, id).await?))
}

async fn find(
    registry: &dyn MerchantRegistry,
    refunds: &dyn RefundStore,
    id: &RefundId,
) -> Result<(Tenant, RefundRecord), SetupError> {
    for tenant in registry.tenants().await? {
        if let Some(record) = refunds.find(&tenant, id).await? {
            return Ok((tenant, record));
        }
    }
    Err(SetupError::Invalid("there is no such refund"))
}

/// Returns the refunds of a payment of any tenant, newest first; none for an unknown payment.
///
/// # Errors
///
/// If the store fails.
pub async fn refunds_of_payment(
    registry: &dyn MerchantRegistry,
    refunds: &dyn RefundStore,
    id: &PaymentId,
) -> Result<Vec<RefundRecord>, SetupError> {
    let filter = RefundFilter { payment: Some(id.clone()), ..RefundFilter::default() };
    for tenant in registry.tenants().await? {
        let found = refunds.search(&tenant, &filter, &Page { after: None, limit: MOST }).await?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Settles a leg that is in doubt and escalated. The log records operator, time and reference.
///
/// # Errors
///
/// If the leg is not escalated, or if the store fails.
pub async fn settle_refund_leg(ports: &Ports, command: &SettleRefund) -> Result<RefundRecord, SetupError> {
    let (tenant, _) = find(&*ports.registry, &*ports.refunds, &command.refund).await?;
    let settled = settle_leg(ports, &tenant, command).await.map_err(|error| SetupError::Internal(Box::new(error)))?;
    let record = settled.ok_or(SetupError::Invalid(
        "no leg of that part is in doubt and escalated: only such a leg is settled by hand",
    ))?;
    let SettleRefund { refund, ordinal, result, finding } = command;
    let (user, reference) = (finding.user.as_str(), finding.reference.as_str());
    tracing::warn!(%refund, ?ordinal, ?result, reference, user, "an operator has settled a leg");
    Ok(record)
}
