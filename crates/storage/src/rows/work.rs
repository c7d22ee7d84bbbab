use domain::{FiscalDocumentId, PaymentId};
use ports::{Tenant, Work};

use super::{Inconsistent, read_tenant};

/// Due payment or document: table, merchant, mode and identifier.
pub(crate) type WorkRow = (String, String, String, String);

pub(crate) fn restore_document_name(
    (merchant, mode, id): (String, String, String),
) -> Result<(Tenant, FiscalDocumentId), Inconsistent> {
    let broken = Inconsistent::of("fiscal_documents", &id);
    let tenant = read_tenant(&merchant, &mode).ok_or_else(|| broken("merchant"))?;
    Ok((tenant, FiscalDocumentId::parse(&id).ok_or_else(|| broken("id"))?))
}

pub(crate) fn restore_work((table, merchant, mode, id): WorkRow) -> Result<Work, Inconsistent> {
    let tenant = read_tenant(&merchant, &mode).ok_or_else(|| Inconsistent::of("payments", &id)("merchant"))?;
    match (PaymentId::parse(&id), FiscalDocumentId::parse(&id)) {
        (Some(id), _) if table == "payments" => Ok(Work::Payment(tenant, id)),
        (_, Some(id)) if table == "fiscal_documents" => Ok(Work::Document(tenant, id)),
        _ => Err(Inconsistent::of("fiscal_documents", &id)("id")),
    }
}
