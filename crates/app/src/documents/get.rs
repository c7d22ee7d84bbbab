use domain::{FiscalDocumentId, rights::Right, sale::Sale};

use crate::{Caller, Error, NotFound, Ports};

/// Looks a fiscal document up, for its merchant or for the holder of the receipt.
pub async fn get_fiscal_document(ports: &Ports, caller: &Caller, id: &str) -> Result<Sale, Error> {
    caller.may(Right::ArtifactsRead)?;
    let not_found = || Error::NotFound(NotFound::FiscalDocumentNotFound, Some("fiscalDocumentId"));
    let id = FiscalDocumentId::parse(id).ok_or_else(not_found)?;
    let sale = ports.sales.find_by_document(&caller.tenant(), &id).await?;
    let is_open_to_caller = |it: &Sale| caller.payment().is_none_or(|own| *own == it.payment.facts.id);
    let sale = sale.filter(is_open_to_caller).ok_or_else(not_found)?;
    caller.may_use(&sale.payment.facts.account)?;
    Ok(sale)
}
