use domain::sale::Sale;
use serde::{Deserialize, Serialize};

use super::{DocumentRow, DocumentStateRow, Inconsistent, PaymentRow, PaymentStateRow, restore_sale};
use crate::records;

/// Everything of a sale that changes, as it stood when something happened. What never changes
/// stays in the sale's own rows.
#[derive(Serialize, Deserialize)]
struct Snapshot {
    payment: PaymentStateRow,
    document: DocumentStateRow,
}

/// What is kept of `sale` beside an event.
pub(crate) fn snapshot_text(sale: &Sale) -> String {
    // Who is at work on it is nobody's business later.
    records::text(&Snapshot {
        payment: PaymentStateRow::new(&sale.payment, None),
        document: DocumentStateRow::new(&sale.document, None),
    })
}

/// The sale in a joined row, as it stood at the time of `snapshot`; `None` if that cannot be read.
pub(super) fn restore_snapshot(
    snapshot: &str,
    (payment, document): (PaymentRow, DocumentRow),
) -> Option<Result<Sale, Inconsistent>> {
    let then = records::read::<Snapshot>(snapshot)?;
    Some(restore_sale((payment.back_in(then.payment), document.back_in(then.document))))
}
