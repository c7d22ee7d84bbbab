use domain::{
    refund::{RefundRecord, RefundStatus},
    sale::Sale,
};
use ports::{Page, RefundFilter};

use crate::{Error, Ports, commit::tenant_of};

/// Maximum number of refunds that payers see.
const SHOWN: usize = 20;
/// Maximum number of refunds that are read: payers do not see unattributed ones.
const READ: u16 = 100;

/// Returns the refunds of a sale that its payers see: the newest ones, newest first, without unattributed ones. A sale without
/// refunds takes no query.
pub async fn refunds_for_payers(ports: &Ports, sale: &Sale) -> Result<Vec<RefundRecord>, Error> {
    if sale.payment.state().refunds.count == 0 {
        return Ok(Vec::new());
    }
    let filter = RefundFilter { payment: Some(sale.payment.facts.id.clone()), ..RefundFilter::default() };
    let page = Page { after: None, limit: READ };
    let mut records = ports.refunds.search(&tenant_of(sale), &filter, &page).await?;
    records.retain(|record| record.refund.status() != RefundStatus::Unattributed);
    records.truncate(SHOWN);
    Ok(records)
}
