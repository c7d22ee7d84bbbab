//! Refunds: money is returned through the acquirer or outside, and the credit note follows.
//!
//! **Invariant:** an attempt is durable before its request is sent, and no request is sent again to learn its result.

mod alert;
mod apply;
mod attribute;
mod call;
mod change;
mod correct_note;
mod create;
mod decide;
mod facts;
mod found;
mod get;
mod list;
mod payers;
mod preview;
mod resume;
mod run_calls;
mod settle;
mod settle_leg;
mod sweep;
mod sweep_match;

pub use attribute::{AttributeRefund, attribute_refund};
pub use correct_note::{CorrectNote, correct_credit_note};
pub use create::{CreateRefund, create_refund};
pub use get::get_refund;
pub use list::list_refunds;
pub use payers::{checkout_version, with_refunds_for_payers};
pub use preview::{PreviewRefund, PreviewedRefund, preview_refund};
pub use sweep::{ReturnsSweep, next_returns_sweep, sweep_returns};

pub(crate) use change::changed_documents;
pub(crate) use settle::settle_refund;
pub use settle_leg::SettleRefund;
pub(crate) use settle_leg::settle_leg;

use domain::{
    FiscalDocument, Payment, Refund, RefundId,
    refund::{RefundContradiction, RefundRecord, RefundedSale},
};

use crate::{Error, Rendered};

/// Renders a refund of a sale, or its credit note.
pub type RenderRefund<'a> = &'a (dyn Fn(&Payment, &RefundRecord) -> Rendered + Send + Sync);

/// Renders a refund of the sale.
fn rendered(sale: &RefundedSale, id: &RefundId, render: RenderRefund<'_>) -> Result<Rendered, Error> {
    let record = sale.record(id).ok_or(RefundContradiction::UnknownRefund)?;
    Ok(render(&sale.sale.payment, &record))
}

/// Returns the version of a refund, which includes its credit note.
pub fn refund_version(refund: &Refund, note: Option<&FiscalDocument>) -> String {
    format!("{}-{}", refund.state().version, note.map_or(0, FiscalDocument::version))
}
