//! The second commit of a submission: what the provider said, made durable.

use chrono::{DateTime, Utc};
use domain::{
    Event, RequestId,
    attempt::{Attempt, AttemptState},
    payment::Stage,
    sale::Sale,
};
use ports::{Change, Commit, CommitError, Outcome, ProviderAnswer};

use crate::{
    Answer, Error, Ports, ProviderFailure, Rendered,
    keyed::{Claim, in_progress},
    provider_call,
    split::{authorization, pass_time},
    submit_card::lease,
};

/// A decision is made again this many times when others were faster. Each round one of those who
/// compete for a sale is done, so this is how many may compete.
pub(crate) const DECISIONS: usize = 100;

/// How an edge shows a sale.
pub type RenderSale<'a> = &'a (dyn Fn(&Sale, DateTime<Utc>) -> Rendered + Send + Sync);

/// A commit of nothing yet, about `sale`.
pub(crate) fn commit_about(sale: &Sale, request: Option<RequestId>, now: DateTime<Utc>) -> Commit {
    let facts = &sale.payment.facts;
    Commit {
        merchant: facts.merchant.clone(),
        mode: facts.mode,
        about: facts.id.clone(),
        at: now,
        request,
        payment: None,
        document: None,
        replaced: None,
        delivery: None,
        deliveries: None,
        attempts: Vec::new(),
        returned: None,
        artifacts: Vec::new(),
        token: None,
        events: Vec::new(),
        snapshot: None,
        key: None,
    }
}

/// Whether what nobody has asked for by a key became durable; `false` if others were faster, so that it is decided anew.
pub(crate) async fn committed(ports: &Ports, commit: Commit) -> Result<bool, Error> {
    unless_stale(ports.sales.commit(commit).await)
}

/// The same of whatever was committed.
pub(crate) fn unless_stale(committed: Result<(), CommitError>) -> Result<bool, Error> {
    match committed {
        Ok(()) => Ok(true),
        Err(CommitError::Stale) => Ok(false),
        Err(CommitError::Unavailable(error)) => Err(error.into()),
        Err(error @ CommitError::KeyTaken) => Err(Error::internal(error)),
    }
}

/// The sale as others have left it.
pub(crate) async fn reload(ports: &Ports, sale: &Sale) -> Result<Sale, Error> {
    let found = ports.sales.find(&provider_call::tenant(sale), &sale.payment.facts.id).await?;
    found.ok_or_else(|| Error::internal("a payment that was being worked on is gone"))
}

/// The parts of a sale that a decision has changed, and the sale as it stands then.
pub(crate) fn changed(before: &Sale, after: &Sale, commit: Commit) -> Commit {
    let payment = (before.payment != after.payment).then(|| Change {
        to: after.payment.clone(),
        based_on: Some(before.payment.version()),
        // A card that is with the provider stays its caller's, whatever else changes meanwhile.
        lease_until: match after.payment.stage() {
            Stage::Processing(submission) => Some(lease(submission.since)),
            _ => None,
        },
    });
    let document = (before.document != after.document).then(|| Change {
        to: after.document.clone(),
        based_on: Some(before.document.version()),
        lease_until: None,
    });
    let is_corrected = after.document.state().revision > before.document.state().revision;
    let replaced = is_corrected.then(|| before.document.clone());
    let deliveries = after.document.deliveries_follow(before.document.status());
    Commit { payment, document, replaced, deliveries, snapshot: Some(Box::new(after.clone())), ..commit }
}

/// Calls a person where a commit that is durable has left a payment paid in part. No event says so: the status was told
/// when it was entered, and has not changed since.
pub(crate) fn alarm(before: &Sale, after: &Sale) {
    if after.payment.is_left_in_part() && !before.payment.is_left_in_part() {
        let captured = after.payment.split().and_then(|it| it.figures()).map(|it| it.captured.minor_units());
        let total = after.payment.total_amount();
        tracing::error!(
            payment = %after.payment.facts.id,
            captured,
            total = total.minor_units(),
            currency = total.currency().code(),
            "a payment was paid in part and stays so: no document is issued, and what was taken is not given back by itself"
        );
    }
}

/// Makes the provider's answer durable, together with what the caller's key keeps.
///
/// Whoever looks in between may have moved the payment already, as into doubt when the call took
/// long; the answer is then decided upon anew.
pub(crate) async fn record_outcome(
    ports: &Ports,
    mut sale: Sale,
    attempt: &Attempt,
    said: ProviderAnswer,
    claim: &mut Claim,
    render: RenderSale<'_>,
) -> Result<Answer, Error> {
    for _ in 0..DECISIONS {
        if sale.payment.split().is_some_and(|it| it.expires_at() <= ports.clock.now()) {
            // A window that ended meanwhile is told first, by itself: each event shows the sale as it made it.
            sale = pass_time(ports, sale).await?;
        }
        let now = ports.clock.now();
        let before = sale.clone();
        let Decided { events, attempts, failure } = decide(ports, &mut sale, attempt, &said, now).await?;
        let rendered = render(&sale, now);
        let key = if failure.is_some() { claim.reopen() } else { claim.complete(ports, &rendered)? };
        let commit = changed(&before, &sale, commit_about(&sale, Some(claim.request().clone()), now));
        match ports.sales.commit(Commit { attempts, events, key: Some(key), ..commit }).await {
            Ok(()) => {
                alarm(&before, &sale);
                return failure.map_or(Ok(claim.answer(rendered)), |code| Err(code.into()));
            }
            Err(CommitError::Stale) => {
                sale = reload(ports, &sale).await?;
                claim.step_back();
            }
            // Another caller took the key over after our lease ended, and answers for us.
            Err(CommitError::KeyTaken) => return Err(in_progress()),
            Err(CommitError::Unavailable(error)) => return Err(error.into()),
        }
    }
    Err(Error::internal("the payment kept moving under the provider's answer"))
}

/// What an answer comes to.
pub(crate) struct Decided {
    pub(crate) events: Vec<Event>,
    pub(crate) attempts: Vec<Attempt>,
    failure: Option<ProviderFailure>,
}

/// The payment takes the answer, if it still waits for the attempt.
pub(crate) async fn decide(
    ports: &Ports,
    sale: &mut Sale,
    attempt: &Attempt,
    said: &ProviderAnswer,
    now: DateTime<Utc>,
) -> Result<Decided, Error> {
    match answered(ports, sale, attempt, said, now)? {
        Some(decided) => Ok(decided),
        None => late(ports, sale, attempt, said, now).await,
    }
}

/// The payment takes the answer; `None` if it has moved on without the attempt.
fn answered(
    ports: &Ports,
    sale: &mut Sale,
    attempt: &Attempt,
    said: &ProviderAnswer,
    now: DateTime<Utc>,
) -> Result<Option<Decided>, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let (answer, state) = provider_call::heard(&said.outcome, attempt);
    let told = match attempt.part {
        Some(_) => sale.authorization_answered(&attempt.id, authorization(said, attempt, &*provider), now),
        None => sale.answered(&attempt.id, answer, now),
    };
    Ok(told.ok().map(|events| Decided {
        events,
        attempts: vec![attempt.clone().resolved(state, said.reference.clone(), now)],
        failure: provider_call::failure(&said.outcome),
    }))
}

/// The payment has moved on without the attempt. What was taken or reserved after all is to be given back: that it is
/// becomes durable here, and whoever looks after what is due does it.
async fn late(
    ports: &Ports,
    sale: &mut Sale,
    attempt: &Attempt,
    said: &ProviderAnswer,
    now: DateTime<Utc>,
) -> Result<Decided, Error> {
    let mut attempts = Vec::new();
    if said.outcome == Outcome::Approved {
        let stored = ports.sales.find_attempt(&provider_call::tenant(sale), &attempt.id).await?;
        // Of one that counts, or is given back already, others have heard.
        let dead = stored.filter(|it| matches!(it.state, AttemptState::NotHappened | AttemptState::Declined(_)));
        if let Some(dead) = dead
            && sale.payment.approved_late(&dead.id, dead.started_at, now)
        {
            tracing::error!(attempt = %dead.id, "an approval came after its payment had moved on");
            let state = dead.state;
            attempts.push(dead.resolved(state, said.reference.clone(), now));
        }
    }
    Ok(Decided { events: Vec::new(), attempts, failure: None })
}
