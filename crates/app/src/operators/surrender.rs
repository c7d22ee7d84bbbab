use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{FiscalNumber, NotAnnullable, NumberRange},
};
use ports::{Change, NumberLedger, Tenant};

use super::{annul::refused, annul::silent, documents::inspect_document, error::SetupError};
use crate::Ports;

/// Maximum number of assigned numbers in one annulment: each takes a few queries.
const MOST: u64 = 100;

/// Gives up assigned numbers that no refusal has spent. Returns the changed documents.
pub(super) async fn give_up_numbers(
    ports: &Ports,
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    (range, first, last): (&NumberRange, u64, u64),
) -> Result<Vec<Change<FiscalDocument>>, SetupError> {
    if first > last || first < range.first {
        return Err(refused(NotAnnullable::Outside));
    }
    let count = last.saturating_add(1).saturating_sub(first);
    let limit = u16::try_from(count).ok().filter(|_| count <= MOST);
    let limit = limit.ok_or(SetupError::Invalid("at most 100 numbers of documents can be annulled at once"))?;
    let annulments = ledger.annulments(tenant).await.map_err(silent)?;
    if annulments.iter().filter(|it| it.is_of_series(range)).any(|it| it.first <= last && first <= it.last) {
        return Err(refused(NotAnnullable::Used));
    }
    let within = NumberRange { last, ..range.clone() };
    let given = ledger.assigned(tenant, &within, first, limit).await.map_err(silent)?;
    if given.len() != usize::from(limit) {
        return Err(SetupError::Invalid("some numbers were never assigned to a document: they were skipped"));
    }
    let mut changes: Vec<Change<FiscalDocument>> = Vec::new();
    for it in given {
        changes.extend(give_up(ports, tenant, &it.document, &it.numbered.number).await?);
    }
    Ok(changes)
}

async fn give_up(
    ports: &Ports,
    tenant: &Tenant,
    id: &FiscalDocumentId,
    number: &FiscalNumber,
) -> Result<Option<Change<FiscalDocument>>, SetupError> {
    let (sale, revisions) = inspect_document(ports, tenant, id).await?;
    let replaced: Vec<FiscalDocument> = revisions.into_iter().map(|it| it.document).collect();
    let (based_on, mut document) = (Some(sale.document.version()), sale.document);
    let has_changed = document.give_up_number(number, &replaced, ports.clock.now()).map_err(refused)?;
    Ok(has_changed.then_some(Change { to: document, based_on, lease_until: None }))
}
