//! The second commit of a submission: what the provider said, made durable.

use chrono::{DateTime, Utc};
use domain::{
    Event,
    attempt::{Attempt, AttemptState},
    sale::Sale,
};
use ports::{CallOutcome, Commit, Committed, ProviderResponse};

use super::provider_call;
use crate::{
    Error, Ports, ProviderFailure, RenderSale, Response,
    commit::{changed, commit_about, tenant_of},
    idempotency::{KeyLease, in_progress},
    splits::outcome::authorization,
    splits::settle::pass_time,
    transact::{Step, current, transact},
};

/// Makes the provider's answer durable, together with what the caller's key keeps.
///
/// Whoever looks in between may have moved the payment already, as into doubt when the call took
/// long; the answer is then decided upon anew.
pub(crate) async fn record_outcome(
    ports: &Ports,
    sale: Sale,
    attempt: &Attempt,
    said: ProviderResponse,
    lease: &KeyLease,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let (sale, said) = (&sale, &said);
    let answer = transact(ports, |refused| async move {
        if refused == Some(Committed::KeyTaken) {
            // Another caller acquired the key after our lease ended, and stores the response.
            return Err(in_progress());
        }
        let before = window_passed(ports, current(ports, sale, refused).await?).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let doubted = provider_call::doubted(refused, attempt, said);
        let said = doubted.as_ref().unwrap_or(said);
        let Decided { events, attempts, failure } = decide(ports, &mut after, attempt, said, now).await?;
        let rendered = render(&after, now);
        let key = if failure.is_some() { lease.reopen() } else { lease.complete(ports, &rendered)? };
        let commit = changed(&before, &after, commit_about(&after, Some(lease.request_id().clone()), now));
        let answer = failure.map_or(Ok(lease.respond(rendered)), Err);
        Ok(Step::Commit(Box::new(Commit { attempts, events, key: Some(key), ..commit }), answer))
    });
    Ok(answer.await??)
}

/// Returns the sale after the end of its split window, if the window has ended. That end is announced first, in its own
/// commit, because each event shows the sale as the event left it.
pub(crate) async fn window_passed(ports: &Ports, sale: Sale) -> Result<Sale, Error> {
    let is_over = sale.payment.split().is_some_and(|it| it.expires_at() <= ports.clock.now());
    if is_over { pass_time(ports, sale).await } else { Ok(sale) }
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
    said: &ProviderResponse,
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
    said: &ProviderResponse,
    now: DateTime<Utc>,
) -> Result<Option<Decided>, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let (answer, state) = provider_call::heard(&said.outcome, attempt);
    let told = match attempt.part {
        Some(_) => sale.apply_authorization(&attempt.id, authorization(said, attempt, &*provider), now),
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
    said: &ProviderResponse,
    now: DateTime<Utc>,
) -> Result<Decided, Error> {
    let mut attempts = Vec::new();
    if said.outcome == CallOutcome::Approved {
        let stored = ports.sales.find_attempt(&tenant_of(sale), &attempt.id).await?;
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
