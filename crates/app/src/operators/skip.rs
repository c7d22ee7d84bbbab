use domain::{
    FiscalDocument,
    fiscal::{Annulment, DocumentKind, DocumentStatus, Environment, NumberRange},
};
use ports::{NumberLedger, Tenant};

use super::{annul::NO_RANGE, documents::reissue_document, error::SetupError};
use crate::{
    Ports,
    transact::{Step, transact},
};

/// Maximum number of documents with a contested number that one run considers.
const LISTED: u16 = 1000;

/// Range and last number to skip.
#[derive(Clone, Copy, Debug)]
pub struct SkipRequest {
    /// Kind of document.
    pub kind: DocumentKind,
    /// Environment of the authority.
    pub environment: Environment,
    /// Last skipped number, never assigned.
    pub to: u64,
    /// Whether documents that were refused because another document has their number are issued again.
    pub reissues: bool,
}

/// A range with skipped numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The stored range.
    pub range: NumberRange,
    /// Count of numbers that this run skipped: 0 if an earlier run skipped them.
    pub count: u64,
    /// Documents with a contested number up to the last skipped one, as they are after reissuing.
    pub documents: Vec<FiscalDocument>,
}

/// Skips numbers of a range that the authority counts as used, for example after a restore from an older dump. Uses the
/// ledger, and the sales to reissue documents.
pub async fn skip_numbers(
    ports: &Ports,
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    request: SkipRequest,
) -> Result<Skipped, SetupError> {
    let (range, count) = transact(ports, |_| async move {
        let range = find(ledger, tenant, request).await?;
        let Some(to) = range.stepped_over(request.to) else {
            return match was_skipped(ledger, tenant, &range, request.to).await? {
                true => Ok(Step::Return((range, 0))),
                false => {
                    Err(SetupError::Invalid("that number was assigned or annulled already: a range never goes back"))
                }
            };
        };
        let count = to.next.saturating_sub(range.next);
        Ok::<_, SetupError>(Step::Wrote(ledger.step(tenant, &range, &to).await?, (to, count)))
    })
    .await?;
    let count = count.saturating_add(skip_earlier(ports, ledger, tenant, &range).await?);
    let mut documents = ledger.contested(tenant, LISTED).await?;
    documents.retain(|it| is_selected(it, &range, request));
    if request.reissues {
        for document in documents.iter_mut().filter(|it| it.status() == DocumentStatus::Rejected) {
            *document = reissue_document(ports, tenant, &document.facts.id).await?.document;
        }
    }
    Ok(Skipped { range, count, documents })
}

/// Skips the rest of the ranges before `range`: otherwise they would assign numbers before the skipped one. Returns
/// the number of skipped numbers.
async fn skip_earlier(
    ports: &Ports,
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    range: &NumberRange,
) -> Result<u64, SetupError> {
    let mut all: u64 = 0;
    loop {
        let count = transact(ports, |_| async move {
            let ranges = ledger.ranges(tenant).await?;
            let mut earlier = ranges.into_iter().filter(|it| it.is_of_series(range) && it.last < range.first);
            let Some((from, to)) = earlier.find_map(|it| it.stepped_over(it.last).map(|to| (it, to))) else {
                return Ok(Step::Return(0));
            };
            let count = from.unused();
            Ok::<_, SetupError>(Step::Wrote(ledger.step(tenant, &from, &to).await?, count))
        })
        .await?;
        if count == 0 {
            return Ok(all);
        }
        all = all.saturating_add(count);
    }
}

async fn find(ledger: &dyn NumberLedger, tenant: &Tenant, request: SkipRequest) -> Result<NumberRange, SetupError> {
    let SkipRequest { kind, environment, to, .. } = request;
    let has_it = |it: &NumberRange| (it.first..=it.last).contains(&to);
    let ranges = ledger.ranges(tenant).await?;
    let found = ranges.into_iter().find(|it| (it.kind, it.environment) == (kind, environment) && has_it(it));
    found.ok_or(SetupError::Invalid(NO_RANGE))
}

/// Whether the number was skipped before: neither assigned nor annulled.
async fn was_skipped(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    range: &NumberRange,
    number: u64,
) -> Result<bool, SetupError> {
    let assigned = ledger.assigned(tenant, range, number, 1).await?;
    let is_assigned = assigned.first().is_some_and(|it| it.numbered.number.sequence() == number);
    let has_it = |it: &Annulment| it.is_of_series(range) && (it.first..=it.last).contains(&number);
    Ok(!is_assigned && !ledger.annulments(tenant).await?.iter().any(has_it))
}

/// Whether a document has a contested number of the range, up to the last skipped number.
fn is_selected(document: &FiscalDocument, range: &NumberRange, request: SkipRequest) -> bool {
    let is_of_range = document.facts.environment == range.environment && document.facts.issuer.rnc == range.issuer;
    let number = document.contested_number().map(|it| &it.number).filter(|it| it.is_of(range.kind));
    is_of_range && number.is_some_and(|it| it.sequence() <= request.to)
}
