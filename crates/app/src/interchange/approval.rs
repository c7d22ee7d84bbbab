use domain::FiscalDocument;
use ports::{StoredApproval, Tenant};

use super::{
    endpoint::{InterchangePorts, RecipientEndpoint, tenants},
    token::is_signed,
};
use crate::{
    Error,
    transact::{Step, transact},
};

/// What became of what a buyer said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// It is kept.
    Stored,
    /// It is not of its format, or not signed by anybody who may.
    Unreadable,
    /// It is about no document of ours that it fits.
    UnknownDocument,
    /// The buyer has said something else of the document before.
    Contradiction,
}

/// Keeps what a buyer says of a document that we made out to it. Uses format, signer, trust, store and clock.
///
/// A buyer says it once: the same bytes again change nothing.
pub async fn receive_approval(
    counter: InterchangePorts<'_>,
    door: &RecipientEndpoint,
    xml: Vec<u8>,
) -> Result<ApprovalOutcome, Error> {
    let now = counter.ports.clock.now();
    let Some(approval) = counter.format.read_approval(&xml) else { return Ok(ApprovalOutcome::Unreadable) };
    let found = find(counter, door, approval.number.as_str()).await?;
    let ours = found.filter(|_| approval.issuer.as_str() == door.rnc.as_str());
    // What is kept was signed by whoever might, whatever has become of that certificate since.
    if let Some((tenant, document)) = &ours {
        let kept = counter.store.approval(tenant, &document.facts.id).await?;
        if kept.is_some_and(|it| it.xml == xml) {
            return Ok(ApprovalOutcome::Stored);
        }
    }
    if !is_signed(counter, &xml, now).await {
        return Ok(ApprovalOutcome::Unreadable);
    }
    let Some((tenant, document)) = ours else { return Ok(ApprovalOutcome::UnknownDocument) };
    if let Err(why) = approval.check(&document) {
        tracing::info!(document = %document.facts.id, why = %why, "an approval does not fit its document");
        return Ok(ApprovalOutcome::UnknownDocument);
    }
    let (tenant, id, approval, xml) = (&tenant, &document.facts.id, &approval, &xml);
    transact(counter.ports, |_| async move {
        if let Some(kept) = counter.store.approval(tenant, id).await? {
            return Ok(Step::Return(if kept.xml == *xml {
                ApprovalOutcome::Stored
            } else {
                ApprovalOutcome::Contradiction
            }));
        }
        let (approval, xml) = (approval.clone(), xml.clone());
        let kept = StoredApproval { document: id.clone(), approval, received_at: now, xml };
        Ok(Step::Wrote(counter.store.store_approval(tenant, kept).await?, ApprovalOutcome::Stored))
    })
    .await
}

/// The document of that number, and whose it is: several tenants may trade under one taxpayer number.
async fn find(
    counter: InterchangePorts<'_>,
    door: &RecipientEndpoint,
    number: &str,
) -> Result<Option<(Tenant, FiscalDocument)>, Error> {
    for tenant in tenants(counter, door).await? {
        if let Some(document) = counter.store.document_of(&tenant, door.environment, &door.rnc, number).await? {
            return Ok(Some((tenant, document)));
        }
    }
    Ok(None)
}
