use domain::{
    refund::{RefundDraft, RefundPlan, RefundPreview},
    rights::Right,
    sale::Sale,
};

use super::{
    create::check_names,
    facts::{conditions, contradiction, refunded_sale},
};
use crate::{Caller, Error, Ports};

/// Request for a preview of a refund.
#[derive(Clone, Debug)]
pub struct PreviewRefund {
    /// The payment, as named in the path.
    pub payment: String,
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
    let sale = refunded_sale(ports, caller, &caller.payment_named(&payment)?).await?;
    let retried = check_names(ports, caller, &sale, (&draft, retried.as_deref())).await?;
    let conditions = conditions(ports, &sale.sale).await?;
    let now = ports.clock.now();
    let context = sale.context(None, retried.as_ref(), conditions, now).ok_or_else(contradiction)?;
    let preview = RefundPlan::preview(&draft, &context)?;
    Ok(PreviewedRefund { sale: sale.sale, preview })
}
