//! Deletion of rows after their retention: at most `limit` rows of each table in one call.

use domain::credential::CheckoutToken;
use ports::KeyRecord;

use crate::{Error, Ports, events::oldest, time::earlier};

/// Deletes stored responses after the replay window, and keys after their retention. Returns the number of changed
/// rows.
pub async fn sweep_keys(ports: &Ports, limit: u16) -> Result<u64, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    let (responses, keys) = (earlier(now, KeyRecord::REPLAY_WINDOW), earlier(now, KeyRecord::TOMBSTONE_LIFE));
    Ok(ports.idempotency.sweep(responses, keys, limit).await?)
}

/// Deletes events after the retention period, with their deliveries. Returns the number of deleted rows.
pub async fn sweep_events(ports: &Ports, limit: u16) -> Result<u64, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    Ok(ports.events.sweep(oldest(now), limit).await?)
}

/// Deletes checkout tokens that expired long ago, and sessions that were idle for long. Returns the number of deleted
/// rows.
pub async fn sweep_tokens(ports: &Ports, limit: u16) -> Result<u64, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    let (expired, idle) = (earlier(now, CheckoutToken::REMEMBERED), earlier(now, CheckoutToken::IDLE_LIFE));
    Ok(ports.credentials.sweep_tokens(expired, idle, limit).await?)
}

/// Deletes signing secrets after their rotation. Returns the number of deleted secrets.
pub async fn sweep_secrets(ports: &Ports) -> Result<u64, Error> {
    let Some(now) = ports.work_time() else { return Ok(0) };
    Ok(ports.webhooks.delete_expired_secrets(now).await?)
}
