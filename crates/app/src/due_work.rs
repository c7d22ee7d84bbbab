use std::{fmt::Debug, panic::AssertUnwindSafe};

use chrono::TimeDelta;
use futures_util::{FutureExt, future::join_all};
use ports::Work;

use crate::{
    Error, Ports,
    documents::{issue_document, rerender},
    payments::settle_payment,
    refunds::settle_refund,
    time::later,
};

/// Lease of claimed work: afterwards another worker takes the work over.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// Number of documents that are rendered again in one run.
const MAX_RENDERED: u16 = 4;
/// When a step that failed is tried again.
const PAUSE: TimeDelta = TimeDelta::seconds(15);

/// Claims at most `limit` items of due work and runs the next step of each. Returns the number of items.
///
/// The steps run concurrently, so that a slow account delays no other. A failed step is postponed and stops no other.
pub async fn run_due_work(ports: &Ports, limit: u16) -> Result<usize, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    let lease_until = later(now, LEASE);
    let claimed = ports.work.claim(now, lease_until, limit).await?;
    let steps = join_all(claimed.iter().map(|work| step(ports, work))).await;
    steps.into_iter().collect::<Result<(), Error>>()?;
    Ok(claimed.len().saturating_add(rerender_due(ports).await?))
}

/// Renders documents again after a failure, a few at a time, because rendering needs the most processor time. Returns
/// their number.
async fn rerender_due(ports: &Ports) -> Result<usize, Error> {
    let (mut done, now) = (0, ports.clock.now());
    let lease_until = later(now, LEASE);
    for (tenant, document) in ports.work.due_renders(now, lease_until, MAX_RENDERED).await? {
        match rerender(ports, &tenant, &document).await {
            Ok(()) => done += 1,
            Err(error) => tracing::error!(%document, error = &error as &dyn std::error::Error, "a rendering failed"),
        }
    }
    Ok(done)
}

async fn step(ports: &Ports, work: &Work) -> Result<(), Error> {
    match run_step(work, run(ports, work)).await {
        Some(_) => Ok(ports.work.postpone(work, later(ports.clock.now(), PAUSE)).await?),
        None => Ok(()),
    }
}

/// Runs a due step of `work`. Returns the error of a failed step. After a panic the work stays leased for a while, and
/// the other steps continue.
pub(crate) async fn run_step(
    work: &(dyn Debug + Sync),
    step: impl Future<Output = Result<(), Error>>,
) -> Option<Error> {
    match AssertUnwindSafe(step).catch_unwind().await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => {
            tracing::error!(?work, error = &error as &dyn std::error::Error, "a due step failed");
            Some(error)
        }
        Err(_) => {
            tracing::error!(?work, "a due step panicked");
            None
        }
    }
}

async fn run(ports: &Ports, work: &Work) -> Result<(), Error> {
    match work {
        Work::Payment(tenant, id) => settle_payment(ports, tenant, id).await,
        Work::Document(tenant, id) => issue_document(ports, tenant, id).await,
        Work::Refund(tenant, id) => settle_refund(ports, tenant, id).await,
    }
}
