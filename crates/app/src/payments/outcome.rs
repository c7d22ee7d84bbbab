//! The second commit of a provider call: the outcome.

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
    commit::{changed, tenant_of},
    idempotency::{KeyLease, in_progress},
    splits::expire::expire_due,
    splits::outcome::authorization,
    transact::{Step, current, transact},
};

/// Commits the provider's outcome, together with the response for the idempotency key.
///
/// Meanwhile a look-up may have moved the payment, for example into doubt after a slow call. Then the outcome is
/// decided again.
pub(crate) async fn record_outcome(
    ports: &Ports,
    sale: Sale,
    attempt: &Attempt,
    response: ProviderResponse,
    lease: &KeyLease,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let (sale, response) = (&sale, &response);
    let recorded = transact(ports, |refused| async move {
        if refused == Some(Committed::KeyTaken) {
            // Another caller acquired the key after our lease ended, and stores the response.
            return Err(in_progress());
        }
        let before = expire_window_if_over(ports, current(ports, sale, refused).await?).await?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let ambiguous = provider_call::ambiguous_response(refused, attempt, response);
        let response = ambiguous.as_ref().unwrap_or(response);
        let Decided { events, attempts, failure } = decide(ports, &mut after, attempt, response, now).await?;
        let rendered = render(&after, now);
        let key = if failure.is_some() { lease.reopen() } else { lease.complete(ports, &rendered)? };
        let commit = changed(&before, &after, Some(lease.request_id().clone()), now);
        let result = failure.map_or(Ok(lease.respond(rendered)), Err);
        Ok(Step::Commit(Box::new(Commit { attempts, events, key: Some(key), ..commit }), result))
    });
    Ok(recorded.await??)
}

/// Returns the sale after the end of the split window, if the window has ended. The end is announced first, in a
/// separate commit, because each event shows the sale at that moment.
pub(crate) async fn expire_window_if_over(ports: &Ports, sale: Sale) -> Result<Sale, Error> {
    let is_over = sale.payment.split().is_some_and(|it| it.expires_at() <= ports.clock.now());
    if is_over { expire_due(ports, sale).await } else { Ok(sale) }
}

/// Decision about an outcome.
pub(crate) struct Decided {
    pub(crate) events: Vec<Event>,
    pub(crate) attempts: Vec<Attempt>,
    failure: Option<ProviderFailure>,
}

/// Applies the outcome to the payment. If the payment has moved on without the attempt, a late approval is recorded.
pub(crate) async fn decide(
    ports: &Ports,
    sale: &mut Sale,
    attempt: &Attempt,
    response: &ProviderResponse,
    now: DateTime<Utc>,
) -> Result<Decided, Error> {
    let provider = provider_call::provider(ports, sale.payment.facts.provider)?;
    let (outcome, state) = provider_call::map_outcome(&response.outcome, attempt);
    let applied = match attempt.part {
        Some(_) => sale.apply_authorization(&attempt.id, authorization(response, attempt, &*provider), now),
        None => sale.apply_outcome(&attempt.id, outcome, now),
    };
    let Ok(events) = applied else { return record_late_approval(ports, sale, attempt, response, now).await };
    let attempts = vec![attempt.clone().resolved(state, response.reference.clone(), now)];
    Ok(Decided { events, attempts, failure: provider_call::failure_of(&response.outcome) })
}

/// Records a late approval: the payment has moved on without the attempt. The commit stores that the money is to be
/// returned, and due work makes the reversal.
async fn record_late_approval(
    ports: &Ports,
    sale: &mut Sale,
    attempt: &Attempt,
    response: &ProviderResponse,
    now: DateTime<Utc>,
) -> Result<Decided, Error> {
    let mut attempts = Vec::new();
    if response.outcome == CallOutcome::Approved {
        let stored = ports.sales.find_attempt(&tenant_of(sale), &attempt.id).await?;
        // An attempt that counts, or that is being reversed, needs no second reversal.
        let orphaned = stored.filter(|it| matches!(it.state, AttemptState::NotExecuted | AttemptState::Declined(_)));
        if let Some(orphaned) = orphaned
            && sale.payment.approved_late(&orphaned.id, orphaned.started_at, now)
        {
            tracing::error!(attempt = %orphaned.id, "an approval came after its payment had moved on");
            let state = orphaned.state;
            attempts.push(orphaned.resolved(state, response.reference.clone(), now));
        }
    }
    Ok(Decided { events: Vec::new(), attempts, failure: None })
}
