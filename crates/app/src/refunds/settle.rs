use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Event, RefundId,
    attempt::{Attempt, AttemptState},
    refund::{LegStatus, Refund, RefundedSale},
};
use ports::{Commit, Tenant};

use super::{
    call::{Call, RefundCalls},
    change::changed,
    facts::{load_sale, note_id},
    run_calls::run_calls,
};
use crate::{
    Error, Ports,
    transact::{Step, transact},
};

/// Runs the due steps of a refund: calls without a response come into doubt, legs without a call are called, and
/// legs in doubt are looked up.
pub(crate) async fn settle_refund(ports: &Ports, tenant: &Tenant, id: &RefundId) -> Result<(), Error> {
    let Some(record) = ports.refunds.find(tenant, id).await? else { return Ok(()) };
    let payment = &record.refund.facts.payment;
    let loaded = load_sale(ports, tenant, payment).await?;
    let refund_calls = &RefundCalls::load(ports, &loaded.sale, id.clone()).await?;
    let mut first = Some(loaded);
    let progress = transact(ports, |_| {
        let loaded = first.take();
        async move {
            let before = match loaded {
                Some(loaded) => loaded,
                None => load_sale(ports, tenant, payment).await?,
            };
            let now = ports.clock.now();
            let Due { after, events, attempts, calls } = due_steps(ports, refund_calls, &before, now).await?;
            if after == before {
                return Ok(Step::Return((after, calls)));
            }
            let commit = Commit { events, attempts, ..changed(&before, &after, id, None, now) };
            Ok::<_, Error>(Step::Commit(Box::new(commit), (after, calls)))
        }
    });
    let (sale, calls) = progress.await?;
    run_calls(ports, refund_calls, sale, calls, None).await.map(drop)
}

/// Due steps of a refund.
struct Due {
    after: RefundedSale,
    events: Vec<Event>,
    attempts: Vec<Attempt>,
    calls: Vec<Call>,
}

async fn due_steps(
    ports: &Ports,
    refund_calls: &RefundCalls,
    before: &RefundedSale,
    now: DateTime<Utc>,
) -> Result<Due, Error> {
    let mut due = Due { after: before.clone(), events: Vec::new(), attempts: Vec::new(), calls: Vec::new() };
    let Some(was) = before.refund(&refund_calls.id) else { return Ok(due) };
    if let Some(refund) = due.after.refund_mut(&refund_calls.id) {
        due.events.extend(refund.expire_calls(now));
        for attempt in lost_calls(was, refund) {
            let attempt = refund_calls.stored_attempt(ports, &attempt).await?;
            due.attempts.push(attempt.resolved(AttemptState::Unknown, None, now));
        }
    }
    due.calls = refund_calls.begin_calls(ports, &mut due.after, now);
    due.attempts.extend(due.calls.iter().map(|call| call.attempt.clone()));
    due.calls.extend(refund_calls.look_ups(ports, &due.after, now).await?);
    if due.after != *before {
        due.events.extend(due.after.settle_legs(was, note_id(ports), now)?);
    }
    Ok(due)
}

/// Returns the attempts of the calls that came into doubt.
fn lost_calls(was: &Refund, is: &Refund) -> Vec<AttemptId> {
    let legs = was.legs().iter().zip(is.legs());
    let lost = legs.filter(|(was, is)| was.status() == LegStatus::Processing && is.status() == LegStatus::Verifying);
    lost.filter_map(|(_, is)| is.stage().attempt().cloned()).collect()
}
