use domain::{FiscalDocument, Refund, sale::Sale};
use serde::{Deserialize, Serialize};

use super::{
    DocumentRow, DocumentStateRow, Inconsistent, PaymentRow, PaymentStateRow, RefundRow, RefundTotalsRow, StoredRow,
};
use crate::records;

/// The columns of a sale that change, at the time of an event. The other columns are in the rows of the sale. Refund and
/// credit note are whole, so that an event is read without their rows.
#[derive(Serialize, Deserialize)]
struct Snapshot {
    payment: PaymentStateRow,
    /// Absent without a refund.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refunds: Option<RefundTotalsRow>,
    /// Absent in an event of a credit note, whose commit does not know the sale's document.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentStateRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund: Option<RefundRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<DocumentRow>,
}

/// Refund and credit note that an event is about.
#[derive(Clone, Copy, Default)]
pub(crate) struct EventSubject<'a> {
    pub(crate) refund: Option<&'a Refund>,
    pub(crate) note: Option<&'a FiscalDocument>,
}

/// A sale with refund and credit note at the time of an event.
pub(super) struct RestoredSnapshot {
    pub(super) sale: Sale,
    pub(super) refund: Option<Refund>,
    pub(super) note: Option<FiscalDocument>,
}

/// Returns the snapshot of a sale that is stored with an event.
pub(crate) fn snapshot_text(sale: &Sale, about: EventSubject<'_>) -> String {
    let is_sales_own = sale.document.refund().is_none();
    // A snapshot has no lease.
    records::text(&Snapshot {
        payment: PaymentStateRow::new(&sale.payment, None),
        refunds: Some(&sale.payment.state().refunds).filter(|totals| totals.count > 0).map(RefundTotalsRow::from),
        document: is_sales_own.then(|| DocumentStateRow::new(&sale.document, None)),
        refund: about.refund.map(|refund| RefundRow::new(refund, None)),
        note: about.note.map(|note| DocumentRow::new(note, None)),
    })
}

/// Reads a sale in the state of `snapshot` from the current rows. Returns `None` if the snapshot is not legal.
pub(super) fn restore_snapshot(
    snapshot: &str,
    (mut payment, mut document): (PaymentRow, DocumentRow),
) -> Option<Result<RestoredSnapshot, Inconsistent>> {
    let snapshot: Snapshot = records::read(snapshot)?;
    payment.state = snapshot.payment;
    document.state = snapshot.document.unwrap_or(document.state);
    let restore = || {
        Ok(RestoredSnapshot {
            sale: (payment, snapshot.refunds.unwrap_or_default(), document).restore()?,
            refund: snapshot.refund.map(RefundRow::restore).transpose()?,
            note: snapshot.note.map(DocumentRow::restore).transpose()?,
        })
    };
    Some(restore())
}
