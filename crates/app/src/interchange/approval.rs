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

/// Outcome of a commercial approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// The approval is stored.
    Stored,
    /// The approval is malformed, or not signed by a trusted certificate.
    Unreadable,
    /// The approval does not match a document of ours.
    UnknownDocument,
    /// The buyer sent a different approval of the document before.
    Contradiction,
}

/// Stores a buyer's commercial approval of a document that we issued. Uses format, signer, trust, store and clock.
///
/// A buyer approves or rejects a document once: a repetition of the same bytes has no effect.
pub async fn receive_approval(
    interchange: InterchangePorts<'_>,
    endpoint: &RecipientEndpoint,
    xml: Vec<u8>,
) -> Result<ApprovalOutcome, Error> {
    let now = interchange.ports.clock.now();
    let Some(approval) = interchange.format.read_approval(&xml) else { return Ok(ApprovalOutcome::Unreadable) };
    let found = find(interchange, endpoint, approval.number.as_str()).await?;
    let ours = found.filter(|_| approval.issuer.as_str() == endpoint.rnc.as_str());
    // The signature of a stored approval was valid at the time of receipt, even if the certificate has expired since.
    if let Some((tenant, document)) = &ours {
        let stored = interchange.store.approval(tenant, &document.facts.id).await?;
        if stored.is_some_and(|it| it.xml == xml) {
            return Ok(ApprovalOutcome::Stored);
        }
    }
    if !is_signed(interchange, &xml, now).await {
        return Ok(ApprovalOutcome::Unreadable);
    }
    let Some((tenant, document)) = ours else { return Ok(ApprovalOutcome::UnknownDocument) };
    if let Err(why) = approval.check(&document) {
        tracing::info!(document = %document.facts.id, why = %why, "an approval does not fit its document");
        return Ok(ApprovalOutcome::UnknownDocument);
    }
    let (tenant, id, approval, xml) = (&tenant, &document.facts.id, &approval, &xml);
    transact(interchange.ports, |_| async move {
        if let Some(stored) = interchange.store.approval(tenant, id).await? {
            return Ok(Step::Return(if stored.xml == *xml {
                ApprovalOutcome::Stored
            } else {
                ApprovalOutcome::Contradiction
            }));
        }
        let (approval, xml) = (approval.clone(), xml.clone());
        let stored = StoredApproval { document: id.clone(), approval, received_at: now, xml };
        Ok(Step::Wrote(interchange.store.store_approval(tenant, stored).await?, ApprovalOutcome::Stored))
    })
    .await
}

/// Returns the document of that number with the tenant: several tenants may trade under one taxpayer number.
async fn find(
    interchange: InterchangePorts<'_>,
    endpoint: &RecipientEndpoint,
    number: &str,
) -> Result<Option<(Tenant, FiscalDocument)>, Error> {
    for tenant in tenants(interchange, endpoint).await? {
        if let Some(document) =
            interchange.store.document_of(&tenant, endpoint.environment, &endpoint.rnc, number).await?
        {
            return Ok(Some((tenant, document)));
        }
    }
    Ok(None)
}
