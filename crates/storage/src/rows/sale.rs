use domain::{sale::Sale, split::check};

use super::{DocumentRow, Inconsistent, PaymentRow, RefundTotalsRow, StoredRow};

/// A payment with its document.
pub(crate) type SaleRow = (PaymentRow, RefundTotalsRow, DocumentRow);

impl StoredRow for SaleRow {
    type Value = Sale;

    fn restore(self) -> Result<Sale, Inconsistent> {
        let (payment, totals, document) = self;
        let sale = Sale { payment: (payment, totals).restore()?, document: document.restore()? };
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
}
