use ports::KeyRecord;

use crate::{Error, Ports, time::earlier};

/// Forgets answers that are no longer given again, and keys that are no longer remembered.
pub async fn sweep_keys(ports: &Ports, limit: u16) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let before = |age| earlier(now, age);
    let swept = ports.idempotency.sweep(before(KeyRecord::REPLAY_WINDOW), before(KeyRecord::TOMBSTONE_LIFE), limit);
    Ok(swept.await?)
}
