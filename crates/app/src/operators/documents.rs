use domain::{FiscalDocumentId, sale::Sale};
use ports::{Page, Position, Revision, Tenant};

use super::error::SetupError;
use crate::{
    Ports,
    commit::changed,
    transact::{Step, transact},
};

/// Number of revisions in one query.
const STRIDE: u16 = 50;

/// Returns a document with all revisions, newest first.
pub async fn inspect_document(
    ports: &Ports,
    tenant: &Tenant,
    id: &FiscalDocumentId,
) -> Result<(Sale, Vec<Revision>), SetupError> {
    let sale = find(ports, tenant, id).await?;
    let (mut revisions, mut after): (Vec<Revision>, _) = (Vec::new(), None);
    loop {
        let part = ports.search.revisions(tenant, id, &Page { after, limit: STRIDE }).await?;
        let is_last = part.len() < usize::from(STRIDE);
        revisions.extend(part);
        if is_last {
            return Ok((sale, revisions));
        }
        after = revisions.last().map(Position::of_revision);
    }
}

/// Issues a document again after a refusal that no merchant can correct: under the same number if that number is not
/// spent, otherwise under a new one.
pub async fn reissue_document(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Sale, SetupError> {
    transact(ports, |_| async move {
        let before = find(ports, tenant, id).await?;
        let (now, mut after) = (ports.clock.now(), before.clone());
        let refused =
            SetupError::Invalid("the document was not rejected for a reason that only an operator can correct");
        let event = after.document.reissue(now).map_err(|_| refused)?;
        let commit = changed(&before, &after, None, now);
        Ok(Step::Commit(Box::new(ports::Commit { events: vec![event], ..commit }), after))
    })
    .await
}

async fn find(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Sale, SetupError> {
    let found = ports.sales.find_by_document(tenant, id).await?;
    found.ok_or(SetupError::Invalid("there is no such document of this merchant in this mode"))
}
