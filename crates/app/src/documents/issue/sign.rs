use domain::{
    fiscal::{Numbered, Printed, ProblemCode, Route, Signed},
    sale::Sale,
};
use ports::{Artifact, ArtifactKind, SignedXml, SigningIdentity, Tenant};

use super::session::{IssuanceSession, StepError};
use crate::{Error, Ports, StoredIdentities};

/// Composes, validates and signs the document. The verified bytes are stored together with the fact that they are
/// signed, before they are submitted.
pub(super) async fn run(ports: &Ports, tenant: &Tenant, session: &mut IssuanceSession) -> Result<(), StepError> {
    let now = ports.clock.now();
    let sale = &mut session.sale;
    let Some(numbered) = sale.document.stage().numbered().cloned() else { return Ok(()) };

    let identities = StoredIdentities::of(ports);
    let Some(identity) = identities.identity(tenant).await? else {
        let event = sale.document.set_problem(ProblemCode::CertificateInvalid, now)?;
        return session.save(ports, event, now).await;
    };
    let xml = match ports.composer.compose(&sale.document, &numbered, now) {
        Ok(xml) => xml,
        Err(malformed) => {
            tracing::error!(%malformed, document = %sale.document.facts.id, "a document does not match its format");
            let event = sale.document.refuse(ProblemCode::DocumentMalformed, false, now)?;
            return session.save(ports, Some(event), now).await;
        }
    };
    let full = identities.sign(&identity, xml).await.map_err(Error::internal)?;
    let summary = match sale.document.route() {
        Route::Full => None,
        Route::Summary => Some(summarize(ports, sale, &numbered, &full, (&identities, &identity)).await?),
    };
    let signed = Signed {
        at: now,
        security_code: full.security_code().to_owned(),
        sha256: ports.vault.digest(full.xml.as_bytes()),
        size_bytes: full.xml.len() as u64,
        printed: None,
    };
    let rendered = render(ports, sale, &numbered, &signed).await;
    let printed = rendered.as_ref().map(|it| Printed { sha256: it.sha256, size_bytes: it.bytes.len() as u64 });
    let signed = Signed { printed, ..signed };
    let signed_xml = [(ArtifactKind::SignedDocument, Some(full)), (ArtifactKind::SignedSummary, summary)];
    let signed_xml = signed_xml.map(|(kind, it)| it.map(|it| artifact(ports, sale, kind, it.xml.into_bytes())));

    let event = sale.document.signed(signed, now)?;
    session.hold(signed_xml.into_iter().flatten().chain(rendered));
    session.continue_with(ports, event, now).await
}

/// The summary quotes the security code of the full document, which is therefore signed first.
async fn summarize(
    ports: &Ports,
    sale: &Sale,
    numbered: &Numbered,
    full: &SignedXml,
    (identities, identity): (&StoredIdentities, &SigningIdentity),
) -> Result<SignedXml, StepError> {
    let xml = ports.composer.summarize(&sale.document, numbered, full.security_code()).map_err(Error::internal)?;
    Ok(identities.sign(identity, xml).await.map_err(Error::internal)?)
}

/// Renders the printed representation. After a failure the document is signed and submitted all the same: the
/// authority and the buyer are owed the document itself.
pub(super) async fn render(ports: &Ports, sale: &Sale, numbered: &Numbered, signed: &Signed) -> Option<Artifact> {
    match ports.printer.print(&sale.document, numbered, signed).await {
        Ok(bytes) => Some(artifact(ports, sale, ArtifactKind::PrintedRepresentation, bytes)),
        Err(error) => {
            tracing::error!(document = %sale.document.facts.id, %error, "a document has no printed representation");
            None
        }
    }
}

fn artifact(ports: &Ports, sale: &Sale, kind: ArtifactKind, bytes: Vec<u8>) -> Artifact {
    Artifact {
        document: sale.document.facts.id.clone(),
        revision: sale.document.state().revision,
        kind,
        sha256: ports.vault.digest(&bytes),
        bytes,
    }
}
