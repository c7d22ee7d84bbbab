use domain::{sale::Sale, split::check};

use super::{DocumentRow, Inconsistent, PaymentRow};

/// The sale in a joined row.
pub(crate) fn restore_sale((payment, document): (PaymentRow, DocumentRow)) -> Result<Sale, Inconsistent> {
    let sale = Sale { payment: payment.try_into()?, document: document.try_into()? };
    let is_shared = sale.payment.split().is_some();
    match check(&sale) {
        // Both rows are legal, but their sums may differ.
        Err(violation) if is_shared => {
            tracing::error!(payment = %sale.payment.facts.id, %violation, "a split that was stored makes no sense");
            Err(Inconsistent::of("payments", sale.payment.facts.id.as_str())("split"))
        }
        _ => Ok(sale),
    }
}
