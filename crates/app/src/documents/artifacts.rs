use domain::{
    Conflict, FiscalDocument,
    fiscal::{DocumentStage, Issued, Signed},
    payment::PaymentStatus,
    sale::Sale,
};
use ports::{ArtifactKind, Tenant};

use super::get_fiscal_document;
use crate::{ArtifactFailure, Caller, Error, Gone, Ports, checkout::RETENTION};

/// The signed document, exactly as it was signed.
///
/// Its hash and its signature are checked each time: a bad copy is never served.
pub async fn get_signed_document(ports: &Ports, caller: &Caller, id: &str) -> Result<Vec<u8>, Error> {
    let Kept { sale, signed } = kept(ports, caller, id).await?;
    signed_document(ports, &sale.document, &signed).await
}

/// The printed representation, exactly as it was drawn from the document that was signed.
///
/// Its hash is checked each time: a bad copy is never served.
pub async fn get_printed_representation(ports: &Ports, caller: &Caller, id: &str) -> Result<Vec<u8>, Error> {
    let Kept { sale, signed } = kept(ports, caller, id).await?;
    printed_representation(ports, &sale.document, &signed).await
}

/// Copy of a signed document, for the time in which the authority is unreachable.
pub struct ContingencyCopy {
    /// The sale.
    pub sale: Sale,
    /// File name.
    pub file_name: String,
    /// Content of the file.
    pub pdf: Vec<u8>,
}

/// Returns the printed representation with the authority's legend for contingencies. It is rendered for each request,
/// because it is valid only until the authority responds.
pub async fn get_contingency_representation(
    ports: &Ports,
    caller: &Caller,
    id: &str,
) -> Result<ContingencyCopy, Error> {
    let sale = retained(ports, caller, id).await?;
    let (numbered, signed) = sale.document.stage().in_contingency().ok_or(Conflict::FiscalArtifactNotReady)?;
    let drawn = ports.printer.print_contingency_copy(&sale.document, numbered, signed).await;
    let pdf = drawn.map_err(|error| {
        tracing::error!(document = %sale.document.facts.id, %error, "a contingency copy could not be rendered");
        unavailable()
    })?;
    let file_name = format!("{}-contingencia.pdf", numbered.number.as_str());
    Ok(ContingencyCopy { sale, file_name, pdf })
}

/// The signed document, if it is what was signed.
pub(crate) async fn signed_document(
    ports: &Ports,
    document: &FiscalDocument,
    signed: &Signed,
) -> Result<Vec<u8>, Error> {
    let bytes = whole(ports, document, ArtifactKind::SignedDocument, signed.sha256).await?;
    if let Err(error) = ports.signer.verify(&bytes).await {
        tracing::error!(document = %document.facts.id, reason = error.reason, "a stored document does not verify");
        return Err(unavailable());
    }
    Ok(bytes)
}

/// The printed representation, if it is what was drawn.
pub(crate) async fn printed_representation(
    ports: &Ports,
    document: &FiscalDocument,
    signed: &Signed,
) -> Result<Vec<u8>, Error> {
    let printed = signed.printed.as_ref().ok_or(Conflict::FiscalArtifactNotReady)?;
    whole(ports, document, ArtifactKind::PrintedRepresentation, printed.sha256).await
}

/// A sale whose document is issued, and what is known of what was stored of it.
struct Kept {
    sale: Sale,
    signed: Signed,
}

/// Returns the sale, if `caller` may still fetch its document.
async fn retained(ports: &Ports, caller: &Caller, id: &str) -> Result<Sale, Error> {
    let sale = get_fiscal_document(ports, caller, id).await?;
    if let (Some(_), PaymentStatus::Succeeded, Some(at)) =
        (caller.payment(), sale.payment.status(), sale.payment.ended_at())
        && ports.clock.now().signed_duration_since(at) > RETENTION
    {
        return Err(Gone::ReceiptRetentionElapsed.into());
    }
    Ok(sale)
}

/// Returns the sale and its signed document, if `caller` may fetch the artifacts.
async fn kept(ports: &Ports, caller: &Caller, id: &str) -> Result<Kept, Error> {
    let sale = retained(ports, caller, id).await?;
    let DocumentStage::Issued(Issued { signed, .. }) = sale.document.stage() else {
        return Err(Conflict::FiscalArtifactNotReady.into());
    };
    let signed = signed.clone();
    Ok(Kept { sale, signed })
}

/// What is stored of the document, if it is what was stored.
async fn whole(
    ports: &Ports,
    document: &FiscalDocument,
    kind: ArtifactKind,
    sha256: [u8; 32],
) -> Result<Vec<u8>, Error> {
    let (id, revision) = (&document.facts.id, document.state().revision);
    let tenant = Tenant { merchant: document.facts.merchant.clone(), mode: document.facts.mode };
    let found = ports.artifacts.find(&tenant, id, revision, kind).await;
    let artifact = found.map_err(|_| unavailable())?.ok_or_else(unavailable)?;
    if ports.vault.digest(&artifact.bytes) != sha256 {
        tracing::error!(document = %id, kind = kind.as_str(), "what is stored of a document is not what was stored");
        return Err(unavailable());
    }
    Ok(artifact.bytes)
}

fn unavailable() -> Error {
    ArtifactFailure::FiscalArtifactRetrievalUnavailable.into()
}
