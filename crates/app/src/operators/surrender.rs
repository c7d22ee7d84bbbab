use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{FiscalNumber, NotAnnullable, NumberRange},
};
use ports::{Change, NumberLedger, Tenant};

use super::{documents::inspect_document, error::SetupError};
use crate::Ports;

/// Maximum number of assigned numbers in one annulment: each takes a few queries.
const MAX_NUMBERS: u64 = 100;

/// Gives up assigned numbers that no refusal has spent. Returns the changed documents.
pub(super) async fn give_up_numbers(
    ports: &Ports,
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    (range, first, last): (&NumberRange, u64, u64),
) -> Result<Vec<Change<FiscalDocument>>, SetupError> {
    if first > last || first < range.first {
        return Err(NotAnnullable::Outside.into());
    }
    let count = last.saturating_add(1).saturating_sub(first);
    let limit = u16::try_from(count).ok().filter(|_| count <= MAX_NUMBERS);
    let limit = limit.ok_or(SetupError::TooManyNumbers(MAX_NUMBERS))?;
    let annulments = ledger.annulments(tenant).await?;
    if annulments.iter().filter(|it| it.is_of_series(range)).any(|it| it.first <= last && first <= it.last) {
        return Err(NotAnnullable::Used.into());
    }
    let within = NumberRange { last, ..range.clone() };
    let assigned = ledger.assigned(tenant, &within, first, limit).await?;
    if assigned.len() != usize::from(limit) {
        return Err(SetupError::Invalid("some numbers were never assigned to a document: they were skipped"));
    }
    let mut changes: Vec<Change<FiscalDocument>> = Vec::new();
    for it in assigned {
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
    let has_changed = document.give_up_number(number, &replaced, ports.clock.now())?;
    Ok(has_changed.then_some(Change { to: document, based_on, lease_until: None }))
}
