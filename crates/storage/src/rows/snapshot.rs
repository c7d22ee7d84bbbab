use domain::sale::Sale;
use serde::{Deserialize, Serialize};

use super::{DocumentRow, DocumentStateRow, Inconsistent, PaymentRow, PaymentStateRow, StoredRow};
use crate::records;

/// The columns of a sale that change, at the time of an event. The other columns are in the rows of the sale.
#[derive(Serialize, Deserialize)]
struct Snapshot {
    payment: PaymentStateRow,
    document: DocumentStateRow,
}

/// Returns the snapshot of a sale that is stored with an event.
pub(crate) fn snapshot_text(sale: &Sale) -> String {
    // A snapshot has no lease.
    records::text(&Snapshot {
        payment: PaymentStateRow::new(&sale.payment, None),
        document: DocumentStateRow::new(&sale.document, None),
    })
}

/// Reads a sale in the state of `snapshot` from the current rows. Returns `None` if the snapshot is not legal.
pub(super) fn restore_snapshot(
    snapshot: &str,
    (mut payment, mut document): (PaymentRow, DocumentRow),
) -> Option<Result<Sale, Inconsistent>> {
    Snapshot { payment: payment.state, document: document.state } = records::read(snapshot)?;
    Some((payment, document).restore())
}
