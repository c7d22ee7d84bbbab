//! Refunds that a payer may see.

use chrono::{DateTime, Utc};
use domain::{refund::RefundRecord, sale::Sale};
use ports::{Page, RefundFilter, Unavailable};

use crate::{Ports, commit::tenant_of};

/// Maximum number of refunds that payers see, newest first.
const MOST: u16 = 20;

/// Returns the newest refunds of a sale with their credit notes, for its payers. A sale without refunds costs no
/// statement.
///
/// # Errors
///
/// [`Unavailable`] if the store fails.
pub async fn checkout_refunds(ports: &Ports, sale: &Sale) -> Result<Vec<RefundRecord>, Unavailable> {
    if sale.payment.state().refunds.count == 0 {
        return Ok(Vec::new());
    }
    let filter = RefundFilter { payment: Some(sale.payment.facts.id.clone()), ..RefundFilter::default() };
    ports.refunds.search(&tenant_of(sale), &filter, &Page { after: None, limit: MOST }).await
}

/// Returns when the last refund of a sale ended; `None` without an ended refund among the newest.
pub(super) async fn last_refund_end(ports: &Ports, sale: &Sale) -> Result<Option<DateTime<Utc>>, Unavailable> {
    let refunds = checkout_refunds(ports, sale).await?;
    Ok(refunds.iter().filter_map(|record| record.refund.state().ended_at).max())
}
