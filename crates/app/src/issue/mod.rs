//! Issuing a document: one durable step after the other, each of which may be the last before a
//! crash.

mod identify_buyer;
mod sign;
mod submit;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Conflict, Event, FiscalDocument, FiscalDocumentId,
    fiscal::{Issuance, IssueStep, ProblemCode, local_date},
    sale::Sale,
};
use ports::{Allotment, AllotmentError, Artifact, Change, Commit, CommitError, Tenant};

use crate::{Error, Ports, outcome::commit_about};

/// A document that goes on at once needs no more steps than this to be accepted.
const STEPS: usize = 8;
/// How long others leave a document alone whose next step is due at once.
const LEASE: TimeDelta = TimeDelta::seconds(60);

/// Does the next steps of a document until it has to wait, or is done.
pub async fn issue_document(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId) -> Result<(), Error> {
    for _ in 0..STEPS {
        let Some(sale) = ports.sales.find_by_document(tenant, id).await? else { return Ok(()) };
        let is_due = sale.document.due_at().is_some_and(|due| due <= ports.clock.now());
        let Some(step) = sale.document.next_step().filter(|_| is_due) else { return Ok(()) };
        let done = match step {
            IssueStep::Begin => begin(ports, sale).await,
            IssueStep::IdentifyBuyer => identify_buyer::run(ports, sale).await,
            IssueStep::AllotNumber => allot_number(ports, tenant, sale).await,
            IssueStep::Sign => sign::run(ports, tenant, sale).await,
            IssueStep::Submit => submit::submit(ports, tenant, sale).await,
            IssueStep::Inquire => submit::inquire(ports, tenant, sale).await,
        };
        match done {
            // Somebody else moved it: see where it stands now.
            Ok(()) | Err(StepError::Stale) => {}
            Err(StepError::Failed(error)) => return Err(error),
        }
    }
    Ok(())
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

/// Says, once for each document, that the term within which it has to be sent ends soon.
fn alarm(document: &FiscalDocument, now: DateTime<Utc>) {
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
    let commit = Commit { document, events, artifacts, snapshot, ..commit_about(sale, None, now) };
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
