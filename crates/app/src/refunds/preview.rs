use domain::{
    PaymentId,
    refund::{RefundDraft, RefundPlan, RefundPreview},
    rights::Right,
    sale::Sale,
};

use super::{
    create::check_references,
    facts::{conditions, load_sale_for},
};
use crate::{Caller, Error, Ports};

/// Request for a preview of a refund.
#[derive(Clone, Debug)]
pub struct PreviewRefund {
    /// The payment.
    pub payment: PaymentId,
    /// What to return, and how.
    pub draft: RefundDraft,
    /// The retried refund, as sent.
    pub retried: Option<String>,
}

/// Preview of a refund.
#[derive(Clone, Debug)]
pub struct PreviewedRefund {
    /// The sale.
    pub sale: Sale,
    /// The plan, or the nearest amounts.
    pub preview: RefundPreview,
}

/// Returns the effect of a refund without a change. The preview is not binding: the operation of a leg may change with
/// time.
pub async fn preview_refund(ports: &Ports, caller: &Caller, request: PreviewRefund) -> Result<PreviewedRefund, Error> {
    caller.may(Right::RefundsPreview)?;
    let PreviewRefund { payment, draft, retried } = request;
    let sale = load_sale_for(ports, caller, &payment).await?;
    let retried = check_references(ports, caller, &sale, (&draft, retried.as_deref())).await?;
    let conditions = conditions(ports, &sale.sale).await?;
    let now = ports.clock.now();
    let context = sale.context(None, retried.as_ref(), conditions, now)?;
    let preview = RefundPlan::preview(&draft, &context)?;
    Ok(PreviewedRefund { sale: sale.sale, preview })
}
