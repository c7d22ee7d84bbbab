use chrono::{DateTime, Utc};
use domain::{Event, FiscalDocument, RefundId, refund::RefundedSale, rights::Right};
use ports::Commit;

use super::{RenderRefund, change::changed, facts::load_sale, get::find, rendered};
use crate::{
    Caller, Error, IdempotentRequest, Ports, Response,
    commit::sale_version,
    idempotency::KeyOutcome,
    transact::{Step, transact},
};

/// A decision about a refund, with its changes to commit.
pub(super) struct Decided {
    pub(super) after: RefundedSale,
    pub(super) events: Vec<Event>,
    /// The rejected revision of the credit note, if the decision makes another one.
    pub(super) replaced: Option<FiscalDocument>,
}

/// Runs one decision about a refund under one idempotency key, in one commit. `If-Match` names versions of the payment. `decision` runs again after each conflict,
/// with the reloaded sale.
pub(super) async fn decide<F: Future<Output = Result<Decided, Error>>>(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    refund: &str,
    decision: impl Fn(RefundedSale, RefundId, DateTime<Utc>) -> F,
    render: RenderRefund<'_>,
) -> Result<Response, Error> {
    caller.may(Right::RefundsManage)?;
    let (tenant, decision) = (&caller.tenant(), &decision);
    transact(ports, |_| async move {
        let record = find(ports, caller, refund).await?;
        let lease = match request.acquire_key(ports, tenant, caller.payment()).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let (id, now) = (&record.refund.facts.id, ports.clock.now());
        let before = load_sale(ports, tenant, &record.refund.facts.payment).await?;
        let decided = decision(before.clone(), id.clone(), now).await;
        let Decided { after, events, replaced } = request.conditional(Some(&sale_version(&before.sale)), decided)?;
        let rendered = rendered(&after, id, render)?;
        let key = Some(lease.complete(ports, &rendered)?);
        let commit = changed(&before, &after, id, Some(request.id.clone()), now);
        Ok(Step::Commit(Box::new(Commit { replaced, events, key, ..commit }), lease.respond(rendered)))
    })
    .await
}
