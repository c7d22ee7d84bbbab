use domain::{
    FiscalDocumentId,
    fiscal::{IssueStep, ProblemCode, local_date},
    sale::Sale,
};
use ports::{NumberError, NumberRequest, Page, QueuedDocument, Tenant};

use super::{
    identify_buyer,
    queue::{enqueue_behind, queue_head},
    resubmit,
    session::{IssuanceSession, StepError},
    sign, submit,
};
use crate::{Error, Ports};

/// A document that goes on at once needs no more steps than this to be accepted.
const STEPS: usize = 8;

/// Whether a document waits for its turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QueuePolicy {
    Wait,
    Skip,
}

/// How far a document came.
pub(super) struct Progress {
    /// Where it stands, when nothing more is to be done now.
    pub(super) sale: Sale,
    /// Whether it was kept before.
    pub(super) was_kept: bool,
    /// The last step that was made.
    pub(super) last: Option<IssueStep>,
    /// The older one for which it waits.
    pub(super) ahead: Option<QueuedDocument>,
}

/// Does the next steps of a document until it has to wait, or is done. Nothing if there is no such document.
pub(super) async fn steps(
    ports: &Ports,
    tenant: &Tenant,
    id: &FiscalDocumentId,
    turn: QueuePolicy,
) -> Result<Option<Progress>, Error> {
    let Some(mut session) = IssuanceSession::load(ports, tenant, id).await? else { return Ok(None) };
    let (mut was_kept, mut last, mut ahead) = (false, None, None);
    for _ in 0..STEPS {
        was_kept |= session.sale.document.queued_at().is_some();
        let Some(step) = session.next_step(ports.clock.now()).filter(|_| ahead.is_none()) else {
            return Ok(Some(Progress { sale: session.sale, was_kept, last, ahead }));
        };
        if turn == QueuePolicy::Wait {
            ahead = queue_head(ports, tenant, &session.sale).await?;
        }
        let done = match (&ahead, step) {
            (Some(older), _) => enqueue_behind(ports, &mut session, older).await,
            (None, IssueStep::Begin) => begin(ports, tenant, &mut session).await,
            (None, IssueStep::Resubmit) => resubmit::run(ports, tenant, &mut session).await,
            (None, IssueStep::IdentifyBuyer) => identify_buyer::run(ports, &mut session).await,
            (None, IssueStep::AssignNumber) => assign_number(ports, tenant, &mut session).await,
            (None, IssueStep::Sign) => sign::run(ports, tenant, &mut session).await,
            (None, IssueStep::Submit) => submit::submit(ports, tenant, &mut session).await,
            (None, IssueStep::Inquire) => submit::inquire(ports, tenant, &mut session).await,
        };
        last = Some(step);
        match done {
            Ok(()) => {}
            // Somebody else moved it: see where it stands now.
            Err(StepError::Stale) if session.reload(ports, tenant).await? => ahead = None,
            Err(StepError::Stale) => return Ok(None),
            Err(StepError::Failed(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Starts with a correction, which takes over the number of the replaced revision if that number is not spent.
async fn begin(ports: &Ports, tenant: &Tenant, session: &mut IssuanceSession) -> Result<(), StepError> {
    let newest = Page { after: None, limit: 1 };
    let replaced = ports.search.revisions(tenant, &session.sale.document.facts.id, &newest).await?.pop();
    let now = ports.clock.now();
    let event = session.sale.document.begin_correction(replaced.as_ref().map(|it| &it.document), now)?;
    session.save(ports, Some(event), now).await
}

async fn assign_number(ports: &Ports, tenant: &Tenant, session: &mut IssuanceSession) -> Result<(), StepError> {
    let now = ports.clock.now();
    let document = &mut session.sale.document;
    let request = NumberRequest {
        tenant: tenant.clone(),
        document: document.facts.id.clone(),
        revision: document.state().revision,
        issuer: document.facts.issuer.rnc.clone(),
        environment: document.facts.environment,
        kind: document.content().kind,
        today: local_date(now),
        now,
    };
    let event = match ports.numbers.assign(request).await {
        Ok(numbered) => {
            // It is bound to the document, which need not be told before it is signed: a crash finds it again.
            let event = document.numbered(numbered, now)?;
            return session.continue_with(ports, event, now).await;
        }
        Err(NumberError::Exhausted) => document.held_up(ProblemCode::SequenceExhausted, now)?,
        Err(NumberError::Expired) => document.held_up(ProblemCode::SequenceExpired, now)?,
        Err(NumberError::Unavailable(error)) => return Err(error.into()),
    };
    session.save(ports, event, now).await
}
