use domain::sale::Sale;

use super::{DocumentRow, Inconsistent, PaymentRow};

/// The sale in a joined row.
pub(crate) fn restore_sale((payment, document): (PaymentRow, DocumentRow)) -> Result<Sale, Inconsistent> {
    Ok(Sale { payment: payment.try_into()?, document: document.try_into()? })
}
