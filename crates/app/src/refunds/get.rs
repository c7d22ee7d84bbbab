use domain::{RefundId, refund::RefundRecord, rights::Right};

use crate::{Caller, Error, NotFound, Ports};

/// Returns a refund with its credit note.
pub async fn get_refund(ports: &Ports, caller: &Caller, id: &str) -> Result<RefundRecord, Error> {
    caller.may(Right::RefundsRead)?;
    find(ports, caller, id).await
}

/// Returns the refund with the ID in the path, for a caller with access.
pub(super) async fn find(ports: &Ports, caller: &Caller, id: &str) -> Result<RefundRecord, Error> {
    let not_found = || NotFound::RefundNotFound.at("refundId");
    let id = RefundId::parse(id).ok_or_else(not_found)?;
    let record = ports.refunds.find(&caller.tenant(), &id).await?.ok_or_else(not_found)?;
    caller.may_use(&record.refund.facts.account)?;
    Ok(record)
}
