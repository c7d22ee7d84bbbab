use domain::fiscal::{Route, SignedDocument, Verdict};
use ports::{ArtifactKind, Inquiry, Submission, Tenant};

use super::session::{IssuanceSession, StepError};
use crate::{Error, Ports, transact::ROUNDS};

/// Submits the signed bytes. A first commit stores the bytes and that they are sent, so that after a lost response
/// the authority is asked before a retry.
pub(super) async fn submit(ports: &Ports, tenant: &Tenant, session: &mut IssuanceSession) -> Result<(), StepError> {
    let document = &session.sale.document;
    let Some(numbered) = document.stage().numbered().cloned() else { return Ok(()) };
    let submission = Submission {
        tenant: tenant.clone(),
        environment: document.facts.environment,
        issuer: document.facts.issuer.rnc.clone(),
        number: numbered.number,
        route: document.route(),
        revision: document.state().revision,
        merchant_invoice_number: document.content().merchant_invoice_number.as_str().to_owned(),
        xml: bytes(ports, tenant, session).await?,
    };

    let now = ports.clock.now();
    let event = session.sale.document.submitting(now)?;
    session.save(ports, event, now).await?;

    let verdict = ports.authority.submit(submission).await;
    record(ports, tenant, session, verdict).await
}

/// Returns the signed bytes for the authority.
async fn bytes(ports: &Ports, tenant: &Tenant, session: &IssuanceSession) -> Result<Vec<u8>, Error> {
    let document = &session.sale.document;
    let kind = match document.route() {
        Route::Full => ArtifactKind::SignedDocument,
        Route::Summary => ArtifactKind::SignedSummary,
    };
    if let Some(held) = session.pending_artifact(kind) {
        return Ok(held.to_vec());
    }
    let artifact = ports.artifacts.find(tenant, &document.facts.id, document.state().revision, kind).await?;
    Ok(artifact.ok_or_else(|| Error::internal("the bytes of a signed document are missing"))?.bytes)
}

/// Asks the authority for the state of the last submission.
pub(super) async fn inquire(ports: &Ports, tenant: &Tenant, session: &mut IssuanceSession) -> Result<(), StepError> {
    let document = &session.sale.document;
    let Some(stage) = document.stage().issuance().map(|issuance| &issuance.stage) else { return Ok(()) };
    let Some(SignedDocument { numbered, signed, .. }) = stage.document() else { return Ok(()) };
    let inquiry = Inquiry {
        tenant: tenant.clone(),
        environment: document.facts.environment,
        issuer: document.facts.issuer.rnc.clone(),
        number: numbered.number.clone(),
        route: document.route(),
        buyer: document.content().buyer.as_ref().map(|it| it.tax_id.clone()),
        security_code: signed.security_code.clone(),
        track_id: stage.track_id().map(str::to_owned),
    };
    // Without a response the submission stays unresolved.
    let verdict = ports.authority.inquire(inquiry).await;
    let (now, document) = (ports.clock.now(), &mut session.sale.document);
    let event = match verdict {
        Verdict::Unavailable | Verdict::Unknown => document.unanswered(now)?,
        Verdict::Blocked(code) => document.set_problem(code, now)?,
        // The rejection is of the submission before. The last one has not arrived.
        found if document.is_known_refusal(&found) => return record(ports, tenant, session, Verdict::NotFound).await,
        verdict => return record(ports, tenant, session, verdict).await,
    };
    session.save(ports, event, now).await
}

/// Commits the verdict, also if another worker changed the document meanwhile.
async fn record(
    ports: &Ports,
    tenant: &Tenant,
    session: &mut IssuanceSession,
    verdict: Verdict,
) -> Result<(), StepError> {
    for _ in 0..ROUNDS {
        let now = ports.clock.now();
        let document = &mut session.sale.document;
        let answered = match verdict {
            // Reads the current queue, which may have changed since the submission.
            Verdict::NotFound => {
                let head = ports.work.head_of_queue(tenant, &document.addressee()).await?;
                document.not_found(head.is_some(), now)
            }
            _ => document.apply_verdict(verdict.clone(), now),
        };
        let Ok(event) = answered else { return Ok(()) };
        match session.save(ports, event, now).await {
            Err(StepError::Stale) if session.reload(ports, tenant).await? => {}
            Err(StepError::Stale) => return Err(Error::internal("a submitted document does not exist any more").into()),
            done => return done,
        }
    }
    Err(Error::internal("every commit of the authority's verdict lost to a concurrent change").into())
}
