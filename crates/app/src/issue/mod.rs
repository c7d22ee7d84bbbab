//! Issuing a document: one durable step after the other, each of which may be the last before a
//! crash.

mod identify_buyer;
mod redraw;
mod sign;
mod submit;
mod turn;

pub(crate) use redraw::redraw;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Conflict, Event, FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStage, Issuance, IssueStep, ProblemCode, ProblemOwner, local_date},
    sale::Sale,
};
use ports::{Allotment, AllotmentError, Artifact, Change, Commit, CommitError, Kept, Tenant};

use crate::{Error, Ports, outcome::commit_about};

/// A document that goes on at once needs no more steps than this to be accepted.
const STEPS: usize = 8;
/// How long others leave a document alone whose next step is due at once.
const LEASE: TimeDelta = TimeDelta::seconds(60);

/// Does the next steps of a document until it has to wait, or is done; and then of those that waited for it.
pub async fn issue_document(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<(), Error> {
    let mut id = id.clone();
    for done in 1..=turn::TOGETHER {
        let Some(progress) = steps(ports, tenant, &id, Turn::Kept).await? else { return Ok(()) };
        let goes_on = if done < turn::TOGETHER { turn::Hold::Ours } else { turn::Hold::Anyones };
        match turn::next(ports, tenant, progress, goes_on).await? {
            Some(next) => id = next,
            None => return Ok(()),
        }
    }
    Ok(())
}

/// Whether a document waits for its turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Kept,
    Jumped,
}

/// How far a document came.
struct Progress {
    /// Where it stands, when nothing more is to be done now.
    sale: Sale,
    /// Whether it was kept before.
    was_kept: bool,
    /// The last step that was made.
    last: Option<IssueStep>,
    /// The older one for which it waits.
    ahead: Option<Kept>,
}

/// Does the next steps of a document until it has to wait, or is done. Nothing if there is no such document.
async fn steps(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId, turn: Turn) -> Result<Option<Progress>, Error> {
    let (mut was_kept, mut last, mut ahead) = (false, None, None);
    for _ in 0..STEPS {
        let Some(sale) = ports.sales.find_by_document(tenant, id).await? else { return Ok(None) };
        was_kept |= sale.document.kept_since().is_some();
        let is_due = sale.document.due_at().is_some_and(|due| due <= ports.clock.now());
        let Some(step) = sale.document.next_step().filter(|_| is_due && ahead.is_none()) else {
            return Ok(Some(Progress { sale, was_kept, last, ahead }));
        };
        if turn == Turn::Kept {
            ahead = turn::ahead(ports, tenant, &sale).await?;
        }
        let done = match (&ahead, step) {
            (Some(older), _) => turn::wait(ports, sale, older).await,
            (None, IssueStep::Begin) => begin(ports, sale).await,
            (None, IssueStep::IdentifyBuyer) => identify_buyer::run(ports, sale).await,
            (None, IssueStep::AllotNumber) => allot_number(ports, tenant, sale).await,
            (None, IssueStep::Sign) => sign::run(ports, tenant, sale).await,
            (None, IssueStep::Submit) => submit::submit(ports, tenant, sale).await,
            (None, IssueStep::Inquire) => submit::inquire(ports, tenant, sale).await,
        };
        last = Some(step);
        match done {
            Ok(()) => {}
            // Somebody else moved it: see where it stands now.
            Err(StepError::Stale) => ahead = None,
            Err(StepError::Failed(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Why a step did not end in a commit.
enum StepError {
    Stale,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for StepError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

async fn begin(ports: &Ports, mut sale: Sale) -> Result<(), StepError> {
    let now = ports.clock.now();
    let before = sale.document.version();
    let event = sale.document.begin_issuing(now)?;
    save(ports, &sale, before, Some(event), Vec::new(), now).await
}

async fn allot_number(ports: &Ports, tenant: &Tenant, mut sale: Sale) -> Result<(), StepError> {
    let now = ports.clock.now();
    let before = sale.document.version();
    let request = Allotment {
        tenant: tenant.clone(),
        document: sale.document.facts.id.clone(),
        revision: sale.document.state().revision,
        issuer: sale.document.facts.issuer.rnc.clone(),
        environment: sale.document.facts.environment,
        kind: sale.document.content().kind,
        today: local_date(now),
        now,
    };
    // The number is bound to the document before the document knows: a crash here finds it again.
    let event = match ports.numbers.allot(request).await {
        Ok(numbered) => sale.document.numbered(numbered, now)?,
        Err(AllotmentError::Exhausted) => sale.document.held_up(ProblemCode::SequenceExhausted, now)?,
        Err(AllotmentError::Expired) => sale.document.held_up(ProblemCode::SequenceExpired, now)?,
        Err(AllotmentError::Unavailable(error)) => return Err(error.into()),
    };
    save(ports, &sale, before, event, Vec::new(), now).await
}

/// Calls a person, once for each: where the term within which a document has to be sent ends soon, and where one was refused
/// for what no merchant can mend.
fn alarm(document: &FiscalDocument, now: DateTime<Utc>) {
    if let DocumentStage::Rejected(rejection) = document.stage()
        && rejection.problem.code.owner() == ProblemOwner::Service
    {
        tracing::error!(
            document = %document.facts.id,
            number = rejection.numbered.as_ref().map(|it| it.number.as_str()),
            problem = rejection.problem.code.as_str(),
            "a document was refused for what its merchant cannot mend"
        );
    }
    let Some(issuance) = document.stage().issuance().filter(|it| it.term_told_at == Some(now)) else { return };
    tracing::error!(
        document = %document.facts.id,
        number = issuance.numbered.as_ref().map(|it| it.number.as_str()),
        signed_at = ?issuance.signed.as_ref().map(|it| it.at),
        hours = Issuance::LEGAL_TERM.num_hours(),
        "a signed document has not reached the authority, and its legal term ends soon"
    );
}

/// Makes one step durable. While the next is due at once, the document stays leased to us.
async fn save(
    ports: &Ports,
    sale: &Sale,
    based_on: u32,
    event: Option<Event>,
    artifacts: Vec<Artifact>,
    now: DateTime<Utc>,
) -> Result<(), StepError> {
    let goes_on = sale.document.due_at().is_some_and(|due| due <= now);
    let lease_until = goes_on.then(|| now.checked_add_signed(LEASE).unwrap_or(now));
    let document = Some(Change { to: sale.document.clone(), based_on: Some(based_on), lease_until });
    let events = event.into_iter().collect();
    let snapshot = Some(Box::new(sale.clone()));
    commit(ports, sale, Commit { document, events, artifacts, snapshot, ..commit_about(sale, None, now) }).await
}

/// Makes durable what is no news, and until when others leave the document alone.
async fn save_until(
    ports: &Ports,
    sale: &Sale,
    based_on: u32,
    now: DateTime<Utc>,
    lease_until: Option<DateTime<Utc>>,
) -> Result<(), StepError> {
    let document = Some(Change { to: sale.document.clone(), based_on: Some(based_on), lease_until });
    commit(ports, sale, Commit { document, ..commit_about(sale, None, now) }).await
}

async fn commit(ports: &Ports, sale: &Sale, commit: Commit) -> Result<(), StepError> {
    let now = commit.at;
    match ports.sales.commit(commit).await {
        Ok(()) => {
            alarm(&sale.document, now);
            Ok(())
        }
        Err(CommitError::Stale) => Err(StepError::Stale),
        Err(CommitError::KeyTaken) => Err(Error::from(Conflict::IdempotencyKeyReused).into()),
        Err(CommitError::Unavailable(error)) => Err(error.into()),
    }
}
