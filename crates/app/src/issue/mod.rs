//! Issuing a document, step by step. Any may be the last before a crash: what a number is given for, and what goes out, is
//! durable before it does.

mod hand;
mod identify_buyer;
mod redraw;
mod resubmit;
mod sign;
mod submit;
mod turn;

pub(crate) use redraw::redraw;

use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStage, Issuance, IssueStep, ProblemCode, local_date},
    sale::Sale,
};
use ports::{NumberError, NumberRequest, Page, QueuedDocument, Tenant};

use self::hand::Hand;
use crate::{Error, Ports};

/// A document that goes on at once needs no more steps than this to be accepted.
const STEPS: usize = 8;

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
    ahead: Option<QueuedDocument>,
}

/// Does the next steps of a document until it has to wait, or is done. Nothing if there is no such document.
async fn steps(ports: &Ports, tenant: &Tenant, id: &FiscalDocumentId, turn: Turn) -> Result<Option<Progress>, Error> {
    let Some(mut hand) = Hand::take(ports, tenant, id).await? else { return Ok(None) };
    let (mut was_kept, mut last, mut ahead) = (false, None, None);
    for _ in 0..STEPS {
        was_kept |= hand.sale.document.queued_at().is_some();
        let Some(step) = hand.next_step(ports.clock.now()).filter(|_| ahead.is_none()) else {
            return Ok(Some(Progress { sale: hand.sale, was_kept, last, ahead }));
        };
        if turn == Turn::Kept {
            ahead = turn::ahead(ports, tenant, &hand.sale).await?;
        }
        let done = match (&ahead, step) {
            (Some(older), _) => turn::wait(ports, &mut hand, older).await,
            (None, IssueStep::Begin) => begin(ports, tenant, &mut hand).await,
            (None, IssueStep::Resubmit) => resubmit::run(ports, tenant, &mut hand).await,
            (None, IssueStep::IdentifyBuyer) => identify_buyer::run(ports, &mut hand).await,
            (None, IssueStep::AssignNumber) => assign_number(ports, tenant, &mut hand).await,
            (None, IssueStep::Sign) => sign::run(ports, tenant, &mut hand).await,
            (None, IssueStep::Submit) => submit::submit(ports, tenant, &mut hand).await,
            (None, IssueStep::Inquire) => submit::inquire(ports, tenant, &mut hand).await,
        };
        last = Some(step);
        match done {
            Ok(()) => {}
            // Somebody else moved it: see where it stands now.
            Err(StepError::Stale) if hand.take_again(ports, tenant).await? => ahead = None,
            Err(StepError::Stale) => return Ok(None),
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

/// Starts with a correction, which takes over the number of the replaced revision if that number is not spent.
async fn begin(ports: &Ports, tenant: &Tenant, hand: &mut Hand) -> Result<(), StepError> {
    let newest = Page { after: None, limit: 1 };
    let replaced = ports.search.revisions(tenant, &hand.sale.document.facts.id, &newest).await?.pop();
    let now = ports.clock.now();
    let event = hand.sale.document.begin_correction(replaced.as_ref().map(|it| &it.document), now)?;
    hand.save(ports, Some(event), now).await
}

async fn assign_number(ports: &Ports, tenant: &Tenant, hand: &mut Hand) -> Result<(), StepError> {
    let now = ports.clock.now();
    let document = &mut hand.sale.document;
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
            return hand.go_on(ports, event, now).await;
        }
        Err(NumberError::Exhausted) => document.set_problem(ProblemCode::SequenceExhausted, now)?,
        Err(NumberError::Expired) => document.set_problem(ProblemCode::SequenceExpired, now)?,
        Err(NumberError::Unavailable(error)) => return Err(error.into()),
    };
    hand.save(ports, event, now).await
}

/// Calls a person, once for each: where the term within which a document has to be sent ends soon, where one was refused for
/// what no merchant can mend, and where one waits for how its issuer is set up.
fn alarm(document: &FiscalDocument, now: DateTime<Utc>) {
    if let Some(rejection) = document.setup_rejection().filter(|it| it.times == 1 && it.at == now) {
        tracing::error!(
            document = %document.facts.id,
            number = document.stage().numbered().map(|it| it.number.as_str()),
            problem = rejection.code.as_str(),
            is_number_spent = rejection.is_number_spent,
            "a document was refused for how its issuer is set up: it goes out again once that is mended"
        );
    }
    if let DocumentStage::Rejected(rejection) = document.stage()
        && !rejection.problem.code.is_correctable()
    {
        tracing::error!(
            document = %document.facts.id,
            number = rejection.numbered.as_ref().map(|it| it.number.as_str()),
            problem = rejection.problem.code.as_str(),
            "a document was refused for what its merchant cannot mend"
        );
    }
    let signed = document.stage().issuance().and_then(|issuance| issuance.stage.document());
    let Some(signed) = signed.filter(|signed| signed.term_warned_at == Some(now)) else { return };
    tracing::error!(
        document = %document.facts.id,
        number = signed.numbered.number.as_str(),
        signed_at = ?signed.signed.at,
        hours = Issuance::LEGAL_TERM.num_hours(),
        "a signed document has not reached the authority, and its legal term ends soon"
    );
}
