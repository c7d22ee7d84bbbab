use domain::AttemptId;
use ports::{Commit, Committed, Tenant};

use super::{RenderRefund, facts::load_sale, rendered};
use crate::{
    Error, Ports, Response,
    idempotency::{KeyLease, in_progress},
    transact::commit_sale,
};

/// Completes the key of a request after a crash of its process: the response shows the current refund. Due work looks
/// interrupted calls up, and makes the calls that had no attempt.
pub(super) async fn resume(
    ports: &Ports,
    tenant: &Tenant,
    lease: KeyLease,
    attempt: &AttemptId,
    render: RenderRefund<'_>,
) -> Result<Response, Error> {
    let lost = || Error::internal("the attempt of an idempotency key does not exist");
    let attempt = ports.sales.find_attempt(tenant, attempt).await?.ok_or_else(lost)?;
    let refund = attempt.refund.as_ref().ok_or_else(lost)?;
    let sale = load_sale(ports, tenant, &attempt.payment).await?;
    let now = ports.clock.now();
    let rendered = rendered(&sale, refund, render)?;
    let key = lease.complete(ports, &rendered)?;
    let about = Commit::about(&sale.sale, Some(lease.request_id().clone()), now);
    tracing::info!(attempt = %attempt.id, "an idempotency key was completed for a request whose process had stopped");
    match commit_sale(ports, Commit { key: Some(key), ..about }).await? {
        Committed::Done => Ok(lease.respond(rendered)),
        // Another request with the same key was faster.
        _ => Err(in_progress()),
    }
}
