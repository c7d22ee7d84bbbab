use std::panic::AssertUnwindSafe;

use chrono::TimeDelta;
use domain::credential::CheckoutToken;
use futures_util::{FutureExt, future::join_all};
use ports::{KeyRecord, Work};

use crate::{Error, Ports, issue::redraw, issue_document, settle_payment};

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
    let lease_until = now.checked_add_signed(LEASE).unwrap_or(now);
    let claimed = ports.work.claim(now, lease_until, limit).await?;
    let steps = join_all(claimed.iter().map(|work| step(ports, work))).await;
    steps.into_iter().collect::<Result<(), Error>>()?;
    Ok(claimed.len().saturating_add(draw_again(ports).await?))
}

/// Draws what could not be drawn, a few at a time: drawing is what takes the most of a processor. Says how many it were.
async fn draw_again(ports: &Ports) -> Result<usize, Error> {
    let (mut done, now) = (0, ports.clock.now());
    let lease_until = now.checked_add_signed(LEASE).unwrap_or(now);
    for (tenant, document) in ports.work.due_renders(now, lease_until, DRAWN).await? {
        match redraw(ports, &tenant, &document).await {
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
            ports.work.postpone(work, now.checked_add_signed(PAUSE).unwrap_or(now)).await?;
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

/// Forgets signing secrets that were replaced and sign nothing more. Says how many there were.
pub async fn sweep_secrets(ports: &Ports) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    Ok(ports.webhooks.delete_expired_secrets(ports.clock.now()).await?)
}

/// Deletes checkout tokens that expired long ago, and sessions that were idle for long. Returns the number of deleted
/// rows.
pub async fn sweep_tokens(ports: &Ports, limit: u16) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let before = |age| now.checked_sub_signed(age).unwrap_or(now);
    let swept =
        ports.credentials.sweep_tokens(before(CheckoutToken::REMEMBERED), before(CheckoutToken::IDLE_LIFE), limit);
    Ok(swept.await?)
}

/// Forgets answers that are no longer given again, and keys that are no longer remembered.
pub async fn sweep_keys(ports: &Ports, limit: u16) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let before = |age| now.checked_sub_signed(age).unwrap_or(now);
    let swept = ports.idempotency.sweep(before(KeyRecord::REPLAY_WINDOW), before(KeyRecord::TOMBSTONE_LIFE), limit);
    Ok(swept.await?)
}
