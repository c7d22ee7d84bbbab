use domain::{
    fiscal::{Issuance, Route, Verdict},
    sale::Sale,
};
use ports::{ArtifactKind, CommitError, Inquiry, Submission, Tenant};

use super::{StepError, alarm, save};
use crate::{
    Error, Ports,
    outcome::{DECISIONS, changed, commit_about},
};

/// Sends the stored bytes. That they are going out is committed first: whatever happens to the
/// answer, they are asked for before they are sent again.
pub(super) async fn submit(ports: &Ports, tenant: &Tenant, mut sale: Sale) -> Result<(), StepError> {
    let document = &sale.document;
    let kind = match document.route() {
        Route::Full => ArtifactKind::SignedDocument,
        Route::Summary => ArtifactKind::SignedSummary,
    };
    let (id, revision) = (document.facts.id.clone(), document.state().revision);
    let artifact = ports.artifacts.find(tenant, &id, revision, kind).await?;
    let artifact = artifact.ok_or_else(|| Error::internal("the bytes of a signed document are gone"))?;
    let Some(numbered) = document.stage().issuance().and_then(|it| it.numbered.clone()) else { return Ok(()) };
    let submission = Submission {
        tenant: tenant.clone(),
        environment: document.facts.environment,
        issuer: document.facts.issuer.rnc.clone(),
        number: numbered.number,
        route: document.route(),
        revision,
        merchant_invoice_number: document.content().merchant_invoice_number.as_str().to_owned(),
        xml: artifact.bytes,
    };

    let now = ports.clock.now();
    let before = sale.document.version();
    let event = sale.document.submitting(now)?;
    save(ports, &sale, before, event, Vec::new(), now).await?;

    let verdict = ports.authority.submit(submission).await;
    record(ports, tenant, sale, verdict).await
}

/// Asks what became of the last submission.
pub(super) async fn inquire(ports: &Ports, tenant: &Tenant, mut sale: Sale) -> Result<(), StepError> {
    let document = &sale.document;
    let Some(Issuance { numbered: Some(numbered), signed: Some(signed), track_id, .. }) = document.stage().issuance()
    else {
        return Ok(());
    };
    let inquiry = Inquiry {
        tenant: tenant.clone(),
        environment: document.facts.environment,
        issuer: document.facts.issuer.rnc.clone(),
        number: numbered.number.clone(),
        route: document.route(),
        buyer: document.content().buyer.as_ref().map(|it| it.tax_id.clone()),
        security_code: signed.security_code.clone(),
        track_id: track_id.clone(),
    };
    // An authority that cannot be asked says nothing about the submission: it stays unresolved.
    let verdict = match ports.authority.inquire(inquiry).await {
        Verdict::Unavailable | Verdict::Unknown => {
            let (now, before) = (ports.clock.now(), sale.document.version());
            let event = sale.document.unanswered(now)?;
            return save(ports, &sale, before, event, Vec::new(), now).await;
        }
        Verdict::Barred(code) => {
            let (now, before) = (ports.clock.now(), sale.document.version());
            let event = sale.document.held_up(code, now)?;
            return save(ports, &sale, before, event, Vec::new(), now).await;
        }
        verdict => verdict,
    };
    record(ports, tenant, sale, verdict).await
}

/// Makes the verdict durable, whoever may have moved the document meanwhile.
async fn record(ports: &Ports, tenant: &Tenant, mut sale: Sale, verdict: Verdict) -> Result<(), StepError> {
    for _ in 0..DECISIONS {
        let now = ports.clock.now();
        let before = sale.clone();
        let answered = match verdict {
            // Whether others are kept is asked of what is now, not of what was when this one was sent.
            Verdict::NotFound => {
                let kept = ports.work.oldest_kept(tenant, &sale.document.addressee()).await?;
                sale.document.not_found(kept.is_some(), now)
            }
            _ => sale.document.answered(verdict.clone(), now),
        };
        let Ok(event) = answered else { return Ok(()) };
        let commit = changed(&before, &sale, commit_about(&sale, None, now));
        let commit = ports::Commit { events: event.into_iter().collect(), ..commit };
        match ports.sales.commit(commit).await {
            Ok(()) => {
                alarm(&sale.document, now);
                return Ok(());
            }
            Err(CommitError::Stale) => {
                let found = ports.sales.find_by_document(tenant, &sale.document.facts.id).await?;
                sale = found.ok_or_else(|| Error::internal("a document that was sent is gone"))?;
            }
            Err(CommitError::Unavailable(error)) => return Err(error.into()),
            Err(error @ CommitError::KeyTaken) => return Err(Error::internal(error).into()),
        }
    }
    Err(Error::internal("the document kept moving under the authority's verdict").into())
}
