use ports::KeyRecord;

use crate::{Error, Ports, time::earlier};

/// Deletes stored responses after the replay window, and keys after their retention. Returns the number of changed
/// rows.
pub async fn sweep_keys(ports: &Ports, limit: u16) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let swept =
        ports.idempotency.sweep(earlier(now, KeyRecord::REPLAY_WINDOW), earlier(now, KeyRecord::TOMBSTONE_LIFE), limit);
    Ok(swept.await?)
}
