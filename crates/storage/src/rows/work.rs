use domain::{FiscalDocumentId, PaymentId, RefundId};
use ports::{Tenant, Work};

use super::{Inconsistent, StoredRow};
use crate::{column::Column, text::Text};

/// Merchant, mode and identifier of a row.
pub(crate) type Key = (String, String, String);

/// Table and key of a due payment, document or refund.
pub(crate) type WorkRow = (String, String, String, String);

/// Reads the tenant of a row of `table`.
pub(crate) fn restore_tenant(table: &'static str, merchant: String, mode: String) -> Result<Tenant, Inconsistent> {
    let broken = Inconsistent::of(table, &merchant);
    let merchant = Column::load(merchant, "merchant").map_err(&broken)?;
    Ok(Tenant { merchant, mode: Column::load(mode, "mode").map_err(&broken)? })
}

/// Reads the key of a row of `table`.
pub(crate) fn restore_key<Id: Text>(
    table: &'static str,
    (merchant, mode, id): Key,
) -> Result<(Tenant, Id), Inconsistent> {
    let broken = Inconsistent::of(table, &id);
    Ok((restore_tenant(table, merchant, mode)?, Id::from_text(&id).ok_or_else(|| broken("id"))?))
}

impl StoredRow for WorkRow {
    type Value = Work;

    fn restore(self) -> Result<Work, Inconsistent> {
        let (table, merchant, mode, id) = self;
        let key = (merchant, mode, id);
        Ok(match table.as_str() {
            "payments" => {
                let (tenant, id) = restore_key::<PaymentId>("payments", key)?;
                Work::Payment(tenant, id)
            }
            "refunds" => {
                let (tenant, id) = restore_key::<RefundId>("refunds", key)?;
                Work::Refund(tenant, id)
            }
            _ => {
                let (tenant, id) = restore_key::<FiscalDocumentId>("fiscal_documents", key)?;
                Work::Document(tenant, id)
            }
        })
    }
}
