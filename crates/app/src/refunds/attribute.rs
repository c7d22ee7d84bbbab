use chrono::{DateTime, Utc};
use domain::{
    RefundId,
    refund::{FoundReturn, LegMethod, RefundPlan, RefundReason, RefundSelection, RefundedSale},
    rights::Right,
    text::BoundedText,
};
use ports::{Commit, Tenant};

use super::{
    RenderRefund,
    change::changed,
    conditional,
    facts::{Conditions, conditions, contradiction, note_id, stored},
    get::find,
};
use crate::{
    Caller, Error, IdempotentRequest, Ports, Response,
    idempotency::KeyOutcome,
    transact::{Step, transact},
};

/// Attribution of money that was found at the acquirer.
#[derive(Clone, Debug)]
pub struct AttributeRefund {
    /// The refund, as named in the path.
    pub refund: String,
    /// The part of the sale that the money returns.
    pub selection: RefundSelection,
    /// Reason of the refund.
    pub reason: RefundReason,
    /// Text for the credit note, instead of that of the reason.
    pub description: Option<BoundedText<1, 90>>,
    /// Whether the merchant accepts that the issuer cannot deduct the ITBIS of a late note.
    pub acknowledges_itbis_loss: bool,
}

/// Attributes found money to a part of the sale, and requests the credit note. The money moved before.
pub async fn attribute_refund(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: AttributeRefund,
    render: RenderRefund<'_>,
) -> Result<Response, Error> {
    caller.may(Right::RefundsManage)?;
    let (tenant, command): (&Tenant, _) = (&caller.tenant(), &command);
    transact(ports, |_| async move {
        let record = find(ports, caller, &command.refund).await?;
        let lease = match request.acquire_key(ports, tenant, caller.payment()).await? {
            KeyOutcome::Replay(response) => return Ok(Step::Return(response)),
            KeyOutcome::Acquired(lease) | KeyOutcome::Resume(lease, _) => lease,
        };
        let (id, now) = (&record.refund.facts.id, ports.clock.now());
        let before = stored(ports, tenant, &record.refund.facts.payment).await?;
        let conditions = conditions(ports, &before.sale).await?;
        let plan = conditional(request, &before, id, decide(&before, id, command, conditions, now))?;
        let mut after = before.clone();
        let reason = (command.reason, command.description.clone());
        let events = after.attribute(id, plan, reason, note_id(ports), now)?;
        let rendered = render(&after, id, now);
        let key = Some(lease.complete(ports, &rendered)?);
        let commit = changed(&before, &after, id, Some(request.id.clone()), now);
        Ok(Step::Commit(Box::new(Commit { events, key, ..commit }), lease.respond(rendered)))
    })
    .await
}

fn decide(
    sale: &RefundedSale,
    id: &RefundId,
    command: &AttributeRefund,
    conditions: Conditions,
    now: DateTime<Utc>,
) -> Result<RefundPlan, Error> {
    let refund = sale.refund(id).ok_or_else(contradiction)?;
    let context = sale.context(Some(id), None, conditions, now).ok_or_else(contradiction)?;
    // A refund of the merchant's own has no money to attribute: its status is refused in the published order.
    let none = FoundReturn { ordinal: None, total: 0, excess: 0, method: LegMethod::Outside };
    let found = refund.found_return().unwrap_or(none);
    let AttributeRefund { selection, acknowledges_itbis_loss, .. } = command;
    Ok(found.attribute(refund.status(), selection, *acknowledges_itbis_loss, &context)?)
}
