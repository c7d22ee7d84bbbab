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

/// Maximum number of steps in one run. A document without problems is accepted within this number.
const STEPS: usize = 8;

/// Whether a document waits for the head of the queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QueuePolicy {
    Wait,
    Skip,
}

/// Progress of a document.
pub(super) struct Progress {
    /// The sale after the last step.
    pub(super) sale: Sale,
    /// Whether the document was in the queue.
    pub(super) was_queued: bool,
    /// The last step that was made.
    pub(super) last: Option<IssueStep>,
    /// The head of the queue for which the document waits.
    pub(super) ahead: Option<QueuedDocument>,
}

/// Runs the next steps of a document until it has to wait or is complete. Returns `None` if there is no such
/// document.
pub(super) async fn steps(
    ports: &Ports,
    tenant: &Tenant,
    id: &FiscalDocumentId,
    turn: QueuePolicy,
) -> Result<Option<Progress>, Error> {
    let Some(mut session) = IssuanceSession::load(ports, tenant, id).await? else { return Ok(None) };
    let (mut was_queued, mut last, mut ahead) = (false, None, None);
    for _ in 0..STEPS {
        was_queued |= session.sale.document.queued_at().is_some();
        let Some(step) = session.next_step(ports.clock.now()).filter(|_| ahead.is_none()) else {
            return Ok(Some(Progress { sale: session.sale, was_queued, last, ahead }));
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
            // Another worker changed the document: reload.
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
            // The number store binds the number to the document, so a crash before the next commit does not lose the
            // number.
            let event = document.numbered(numbered, now)?;
            return session.continue_with(ports, event, now).await;
        }
        Err(NumberError::Exhausted) => document.set_problem(ProblemCode::SequenceExhausted, now)?,
        Err(NumberError::Expired) => document.set_problem(ProblemCode::SequenceExpired, now)?,
        Err(NumberError::Unavailable(error)) => return Err(error.into()),
    };
    session.save(ports, event, now).await
}
