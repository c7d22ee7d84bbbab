//! Refunds that a payer may see.

use chrono::{DateTime, Utc};
use domain::{
    refund::{RefundRecord, RefundStatus},
    sale::Sale,
};
use ports::{Page, RefundFilter};

use crate::{Error, Ports, commit::tenant_of};

/// Maximum number of refunds that payers see, newest first.
const MOST: usize = 20;
/// Number of refunds that are read, some of which may not be shown.
const READ: u16 = 100;

/// Returns the newest refunds of a sale with their credit notes, for its payers: without those that the merchant has not
/// attributed. A sale without refunds costs no statement.
///
/// # Errors
///
/// If the store fails.
pub async fn refunds_for_payers(ports: &Ports, sale: &Sale) -> Result<Vec<RefundRecord>, Error> {
    if sale.payment.state().refunds.count == 0 {
        return Ok(Vec::new());
    }
    let filter = RefundFilter { payment: Some(sale.payment.facts.id.clone()), ..RefundFilter::default() };
    let found = ports.refunds.search(&tenant_of(sale), &filter, &Page { after: None, limit: READ }).await?;
    let is_shown = |record: &RefundRecord| record.refund.status() != RefundStatus::Unattributed;
    Ok(found.into_iter().filter(is_shown).take(MOST).collect())
}

/// Returns when the last refund of a sale ended; `None` without an ended refund among the newest.
pub(super) async fn last_refund_end(ports: &Ports, sale: &Sale) -> Result<Option<DateTime<Utc>>, Error> {
    let refunds = refunds_for_payers(ports, sale).await?;
    Ok(refunds.iter().filter_map(|record| record.refund.state().ended_at).max())
}
