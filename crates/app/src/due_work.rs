use std::panic::AssertUnwindSafe;

use chrono::TimeDelta;
use futures_util::{FutureExt, future::join_all};
use ports::Work;

use crate::{
    Error, Ports,
    documents::{issue_document, rerender},
    payments::settle_payment,
    time::later,
};

/// How long a worker may be at one thing before another takes it over.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// So many are drawn again at once.
const DRAWN: u16 = 4;
/// When a step that failed is tried again.
const PAUSE: TimeDelta = TimeDelta::seconds(15);

/// Claims at most `limit` things that are due and does the next step of each. Says how many there
/// were.
///
/// The steps are made side by side, so that an account that is slow to answer keeps no other waiting, and one that fails is
/// put off: one sick sale never stops the others.
pub async fn run_due_work(ports: &Ports, limit: u16) -> Result<usize, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let lease_until = later(now, LEASE);
    let claimed = ports.work.claim(now, lease_until, limit).await?;
    let steps = join_all(claimed.iter().map(|work| step(ports, work))).await;
    steps.into_iter().collect::<Result<(), Error>>()?;
    Ok(claimed.len().saturating_add(draw_again(ports).await?))
}

/// Draws what could not be drawn, a few at a time: drawing is what takes the most of a processor. Says how many it were.
async fn draw_again(ports: &Ports) -> Result<usize, Error> {
    let (mut done, now) = (0, ports.clock.now());
    let lease_until = later(now, LEASE);
    for (tenant, document) in ports.work.due_renders(now, lease_until, DRAWN).await? {
        match rerender(ports, &tenant, &document).await {
            Ok(()) => done += 1,
            Err(error) => tracing::error!(%document, error = &error as &dyn std::error::Error, "a drawing failed"),
        }
    }
    Ok(done)
}

async fn step(ports: &Ports, work: &Work) -> Result<(), Error> {
    match AssertUnwindSafe(run(ports, work)).catch_unwind().await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(?work, error = &error as &dyn std::error::Error, "a due step failed");
            let now = ports.clock.now();
            ports.work.postpone(work, later(now, PAUSE)).await?;
        }
        // It stays leased for a while, and the rest goes on without it.
        Err(_) => tracing::error!(?work, "a due step broke down"),
    }
    Ok(())
}

async fn run(ports: &Ports, work: &Work) -> Result<(), Error> {
    match work {
        Work::Payment(tenant, id) => settle_payment(ports, tenant, id).await,
        Work::Document(tenant, id) => issue_document(ports, tenant, id).await,
    }
}
