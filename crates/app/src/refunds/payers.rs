use domain::{
    refund::{RefundRecord, RefundStatus, RefundedSale},
    sale::Sale,
};
use ports::{Page, RefundFilter};

use crate::{
    Error, Ports,
    commit::{sale_version, tenant_of},
};

/// Maximum number of refunds that payers see.
const SHOWN: usize = 20;
/// Maximum number of refunds that are read: payers do not see unattributed ones.
const READ: u16 = 100;

/// Returns a sale with the refunds that its payers see: the newest ones, newest first, without unattributed ones. A
/// sale without refunds takes no query.
///
/// If the refunds have changed since the sale was read, both are read again, so that they agree.
pub async fn with_refunds_for_payers(ports: &Ports, sale: Sale) -> Result<(Sale, Vec<RefundRecord>), Error> {
    if sale.payment.state().refunds.count == 0 {
        return Ok((sale, Vec::new()));
    }
    let filter = RefundFilter { payment: Some(sale.payment.facts.id.clone()), ..RefundFilter::default() };
    let page = Page { after: None, limit: READ };
    let records = ports.refunds.search(&tenant_of(&sale), &filter, &page).await?;
    if sale.payment.state().refunds.agrees_with(records.iter().map(|record| &record.refund)) {
        return Ok((sale, shown(records)));
    }
    let reread = ports.refunds.refunded_sale(&tenant_of(&sale), &sale.payment.facts.id).await?;
    let Some(newer) = reread else { return Ok((sale, Vec::new())) };
    let newest_first = newer.refunds.iter().rev().filter_map(|refund| newer.record(&refund.facts.id)).collect();
    let RefundedSale { sale, .. } = newer;
    Ok((sale, shown(newest_first)))
}

fn shown(mut records: Vec<RefundRecord>) -> Vec<RefundRecord> {
    records.retain(|record| record.refund.status() != RefundStatus::Unattributed);
    records.truncate(SHOWN);
    records
}

/// Returns the version of a payment as its payers see it, with these refunds and their credit notes. Both may change
/// without the payment.
pub fn checkout_version(sale: &Sale, refunds: &[RefundRecord]) -> String {
    let of_note = |record: &RefundRecord| record.note.as_ref().map_or(0, |note| 1 + u64::from(note.version()));
    let of_record = |record: &RefundRecord| u64::from(record.refund.state().version) + of_note(record);
    match refunds.is_empty() {
        true => sale_version(sale),
        // Every version only grows: another sum for each change.
        false => format!("{}-{}", sale_version(sale), refunds.iter().map(of_record).sum::<u64>()),
    }
}
