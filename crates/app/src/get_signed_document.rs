use chrono::TimeDelta;
use domain::{
    Conflict,
    fiscal::{DocumentStage, Issued},
    payment::PaymentStatus,
};
use ports::ArtifactKind;

use crate::{ArtifactFailure, Caller, Error, Gone, Ports, get_fiscal_document};

/// How long payers may fetch what they were given; merchants are not limited.
const PAYER_RETENTION: TimeDelta = TimeDelta::days(90);

/// The signed document, exactly as it was signed.
///
/// Its hash and its signature are checked each time: a bad copy is never served.
pub async fn get_signed_document(ports: &Ports, caller: &Caller, id: &str) -> Result<Vec<u8>, Error> {
    let Ports { artifacts, signer, vault, clock, .. } = ports;

    let sale = get_fiscal_document(ports, caller, id).await?;
    if let (Some(_), PaymentStatus::Succeeded, Some(at)) =
        (caller.payment(), sale.payment.status(), sale.payment.ended_at())
        && clock.now().signed_duration_since(at) > PAYER_RETENTION
    {
        return Err(Gone::ReceiptRetentionElapsed.into());
    }
    let document = &sale.document;
    let DocumentStage::Issued(Issued { signed, .. }) = document.stage() else {
        return Err(Conflict::FiscalArtifactNotReady.into());
    };

    let (id, revision) = (&document.facts.id, document.state().revision);
    let found = artifacts.find(&caller.tenant(), id, revision, ArtifactKind::SignedDocument).await;
    let unavailable = || Error::from(ArtifactFailure::FiscalArtifactRetrievalUnavailable);
    let artifact = found.map_err(|_| unavailable())?.ok_or_else(unavailable)?;
    if vault.digest(&artifact.bytes) != signed.sha256 {
        tracing::error!(document = %id, "a stored document does not have the hash that it was signed with");
        return Err(unavailable());
    }
    if let Err(error) = signer.verify(&artifact.bytes).await {
        tracing::error!(document = %id, reason = error.reason, "a stored document does not verify");
        return Err(unavailable());
    }
    Ok(artifact.bytes)
}
