//! The second commit of a submission: what the provider said, made durable.

use chrono::{DateTime, Utc};
use domain::{
    Event, Money, RequestId,
    attempt::{Attempt, AttemptState},
    sale::Sale,
};
use ports::{Change, Commit, CommitError, Hold, Outcome, ProviderAnswer, Tenant};

use crate::{
    Answer, Error, Ports, Rendered,
    keyed::{Claim, in_progress},
    provider_call,
    split::authorization,
};

/// A decision is made again this many times when others were faster. Each round one of those who
/// compete for a sale is done, so this is how many may compete.
pub(crate) const DECISIONS: usize = 100;

/// How often funds that were reserved too late are given back until somebody says that it was heard.
const UNDOING: usize = 5;

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
        delivery: None,
        attempts: Vec::new(),
        artifacts: Vec::new(),
        token: None,
        events: Vec::new(),
        snapshot: None,
        key: None,
    }
}

/// The parts of a sale that a decision has changed, and the sale as it stands then.
pub(crate) fn changed(before: &Sale, after: &Sale, commit: Commit) -> Commit {
    let payment = (before.payment != after.payment).then(|| Change {
        to: after.payment.clone(),
        based_on: Some(before.payment.version()),
        lease_until: None,
    });
    let document = (before.document != after.document).then(|| Change {
        to: after.document.clone(),
        based_on: Some(before.document.version()),
        lease_until: None,
    });
    Commit { payment, document, snapshot: Some(Box::new(after.clone())), ..commit }
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
    let tenant = Tenant { merchant: sale.payment.facts.merchant.clone(), mode: sale.payment.facts.mode };
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let (answer, state) = provider_call::heard(&said.outcome);
    for _ in 0..DECISIONS {
        let now = ports.clock.now();
        let before = sale.clone();
        let told = match attempt.part {
            Some(_) => sale.authorization_answered(&attempt.id, authorization(&said.outcome, attempt, &*provider), now),
            None => sale.answered(&attempt.id, answer.clone(), now),
        };
        let Ok(events) = told else {
            return late(ports, sale, attempt, said, claim, render).await;
        };
        let rendered = render(&sale, now);
        let failure = provider_call::failure(&said.outcome);
        let key = if failure.is_some() { claim.reopen() } else { claim.complete(ports, &rendered)? };
        let resolved = attempt.clone().resolved(state, said.reference.clone(), now);
        let commit = changed(&before, &sale, commit_about(&sale, Some(claim.request().clone()), now));
        let commit = Commit { attempts: vec![resolved], events, key: Some(key), ..commit };
        match ports.sales.commit(commit).await {
            Ok(()) => return failure.map_or(Ok(claim.answer(rendered)), |code| Err(code.into())),
            Err(CommitError::Stale) => {
                let found = ports.sales.find(&tenant, &sale.payment.facts.id).await?;
                sale = found.ok_or_else(|| Error::internal("a payment that was being paid is gone"))?;
                claim.step_back();
            }
            // Another caller took the key over after our lease ended, and answers for us.
            Err(CommitError::KeyTaken) => return Err(in_progress()),
            Err(CommitError::Unavailable(error)) => return Err(error.into()),
        }
    }
    Err(Error::internal("the payment kept moving under the provider's answer"))
}

/// The payment has moved on without the attempt. Money that moved after all is given back.
async fn late(
    ports: &Ports,
    mut sale: Sale,
    attempt: &Attempt,
    said: ProviderAnswer,
    claim: &mut Claim,
    render: RenderSale<'_>,
) -> Result<Answer, Error> {
    let now = ports.clock.now();
    let before = sale.clone();
    let mut commit = commit_about(&sale, Some(claim.request().clone()), now);
    if said.outcome == Outcome::Approved && attempt_is_dead(ports, &sale, attempt).await? {
        commit.events = sale.payment.late_approval(now).into_iter().collect::<Vec<Event>>();
        let state = undo(ports, &sale, attempt, &said).await?;
        commit.attempts = vec![attempt.clone().resolved(state, said.reference, now)];
    }
    let rendered = render(&sale, now);
    commit.key = Some(claim.complete(ports, &rendered)?);
    match ports.sales.commit(changed(&before, &sale, commit)).await {
        Ok(()) => Ok(claim.answer(rendered)),
        Err(CommitError::KeyTaken) => Err(in_progress()),
        Err(CommitError::Unavailable(error)) => Err(error.into()),
        Err(error @ CommitError::Stale) => Err(Error::internal(error)),
    }
}

/// Gives back what was approved too late, and says what has become of the attempt then.
async fn undo(ports: &Ports, sale: &Sale, attempt: &Attempt, said: &ProviderAnswer) -> Result<AttemptState, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let of = provider_call::reference(&sale.payment, attempt);
    if attempt.part.is_none() {
        let reversed = provider.reverse(of).await;
        tracing::error!(attempt = %attempt.id, outcome = ?reversed.outcome, "a late approval was reversed");
        return Ok(AttemptState::Reversed);
    }
    let itbis = Money::zero(attempt.amount.currency());
    let hold = Hold { attempt: of, reference: said.reference.clone(), amount: attempt.amount, itbis };
    // To give back what is given back is no fault, so that it may be tried until it is heard.
    for _ in 0..UNDOING {
        let undone = provider.void(hold.clone()).await;
        tracing::error!(attempt = %attempt.id, outcome = ?undone.outcome, "funds reserved too late are given free");
        if undone.outcome == Outcome::Approved {
            return Ok(AttemptState::Reversed);
        }
    }
    // They stay reserved until the issuer lets them lapse, and nothing will capture them.
    Ok(AttemptState::Approved)
}

async fn attempt_is_dead(ports: &Ports, sale: &Sale, attempt: &Attempt) -> Result<bool, Error> {
    let tenant = Tenant { merchant: sale.payment.facts.merchant.clone(), mode: sale.payment.facts.mode };
    let stored = ports.sales.find_attempt(&tenant, &attempt.id).await?;
    Ok(stored.is_some_and(|it| it.state == AttemptState::NotHappened))
}
