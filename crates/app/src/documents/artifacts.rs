use domain::{
    Conflict, FiscalDocument,
    fiscal::{DocumentStage, Issued, Signed},
    sale::Sale,
};
use ports::{ArtifactKind, Tenant};

use super::get_fiscal_document;
use crate::{ArtifactFailure, Caller, Error, Ports, checkout::check_retention};

/// Returns the signed document, byte for byte.
///
/// The hash and the signature are verified each time: a damaged copy is never served.
pub async fn get_signed_document(ports: &Ports, caller: &Caller, id: &str) -> Result<Vec<u8>, Error> {
    let (sale, signed) = issued_sale(ports, caller, id).await?;
    signed_document(ports, &sale.document, &signed).await
}

/// Returns the printed representation, byte for byte.
///
/// The hash is verified each time: a damaged copy is never served.
pub async fn get_printed_representation(ports: &Ports, caller: &Caller, id: &str) -> Result<Vec<u8>, Error> {
    let (sale, signed) = issued_sale(ports, caller, id).await?;
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

/// Returns the printed representation with the authority's legend for contingencies. Each request renders a new copy,
/// because a copy is valid only until the authority responds.
pub async fn get_contingency_representation(
    ports: &Ports,
    caller: &Caller,
    id: &str,
) -> Result<ContingencyCopy, Error> {
    let sale = retained(ports, caller, id).await?;
    let (numbered, signed) = sale.document.stage().in_contingency().ok_or(Conflict::FiscalArtifactNotReady)?;
    let rendered = ports.printer.print_contingency_copy(&sale.document, numbered, signed).await;
    let pdf = rendered.map_err(|error| {
        tracing::error!(document = %sale.document.facts.id, %error, "a contingency copy could not be rendered");
        unavailable()
    })?;
    let file_name = format!("{}-contingencia.pdf", numbered.number.as_str());
    Ok(ContingencyCopy { sale, file_name, pdf })
}

/// Returns the signed document, after verification.
pub(crate) async fn signed_document(
    ports: &Ports,
    document: &FiscalDocument,
    signed: &Signed,
) -> Result<Vec<u8>, Error> {
    let bytes = verified(ports, document, ArtifactKind::SignedDocument, signed.sha256).await?;
    if let Err(error) = ports.signer.verify(&bytes).await {
        tracing::error!(document = %document.facts.id, reason = error.reason, "a stored document does not verify");
        return Err(unavailable());
    }
    Ok(bytes)
}

/// Returns the printed representation, after verification.
pub(crate) async fn printed_representation(
    ports: &Ports,
    document: &FiscalDocument,
    signed: &Signed,
) -> Result<Vec<u8>, Error> {
    let printed = signed.printed.as_ref().ok_or(Conflict::FiscalArtifactNotReady)?;
    verified(ports, document, ArtifactKind::PrintedRepresentation, printed.sha256).await
}

/// Returns the sale, if `caller` may still fetch the document.
async fn retained(ports: &Ports, caller: &Caller, id: &str) -> Result<Sale, Error> {
    let sale = get_fiscal_document(ports, caller, id).await?;
    if caller.payment().is_some() {
        check_retention(ports, &sale, ports.clock.now()).await?;
    }
    Ok(sale)
}

/// Returns the sale and the signed document, if `caller` may fetch the artifacts.
async fn issued_sale(ports: &Ports, caller: &Caller, id: &str) -> Result<(Sale, Signed), Error> {
    let sale = retained(ports, caller, id).await?;
    let DocumentStage::Issued(Issued { signed, .. }) = sale.document.stage() else {
        return Err(Conflict::FiscalArtifactNotReady.into());
    };
    let signed = signed.clone();
    Ok((sale, signed))
}

/// Returns a stored artifact after a check of the digest.
async fn verified(
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
        tracing::error!(document = %id, kind = kind.as_str(), "the digest of a stored artifact is wrong");
        return Err(unavailable());
    }
    Ok(artifact.bytes)
}

fn unavailable() -> Error {
    ArtifactFailure::FiscalArtifactRetrievalUnavailable.into()
}
