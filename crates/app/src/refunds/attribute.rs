use chrono::{DateTime, Utc};
use domain::{
    RefundId,
    refund::{FoundReturn, LegMethod, RefundPlan, RefundReason, RefundSelection, RefundedSale},
    text::BoundedText,
};

use super::{
    RenderRefund,
    decide::{Decided, decide},
    facts::{Conditions, conditions, contradiction, note_id},
};
use crate::{Caller, Error, IdempotentRequest, Ports, Response};

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
    let command = &command;
    let decision = |mut after: RefundedSale, id: RefundId, now: DateTime<Utc>| async move {
        let conditions = conditions(ports, &after.sale).await?;
        let plan = plan(&after, &id, command, conditions, now)?;
        let reason = (command.reason, command.description.clone());
        let events = after.attribute(&id, plan, reason, note_id(ports), now)?;
        Ok(Decided { after, events, replaced: None })
    };
    decide(ports, caller, request, &command.refund, decision, render).await
}

fn plan(
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
