use chrono::{DateTime, Utc};
use domain::{
    RefundId,
    refund::{RefundPurpose, RefundSelection, RefundedSale},
};

use super::{
    RenderRefund,
    decide::{Decided, decide},
    facts::{conditions, note_id},
};
use crate::{Caller, Error, IdempotentRequest, Ports, Response};

/// Attribution of money that was found at the acquirer.
#[derive(Clone, Debug)]
pub struct AttributeRefund {
    /// The refund.
    pub refund: RefundId,
    /// The part of the sale that the money returns.
    pub selection: RefundSelection,
    /// Purpose of the refund.
    pub purpose: RefundPurpose,
    /// Whether the merchant accepts that the issuer cannot deduct the ITBIS of a late note.
    pub acknowledges_itbis_loss: bool,
}

/// Attributes found money to a part of the sale, and requests the credit note. The money was returned before.
pub async fn attribute_refund(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: AttributeRefund,
    render: RenderRefund<'_>,
) -> Result<Response, Error> {
    let AttributeRefund { refund, selection, purpose, acknowledges_itbis_loss } = &command;
    let decision = |mut after: RefundedSale, id: RefundId, now: DateTime<Utc>| async move {
        let conditions = conditions(ports, &after.sale).await?;
        let context = after.context(Some(&id), None, conditions, now)?;
        let plan = after.existing(&id)?.plan_attribution(selection, *acknowledges_itbis_loss, &context)?;
        let events = after.attribute(&id, plan, purpose.clone(), note_id(ports), now)?;
        Ok(Decided { after, events, replaced: None })
    };
    decide(ports, caller, request, refund.as_str(), decision, render).await
}
