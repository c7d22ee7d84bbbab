use domain::credential::CheckoutToken;

use crate::{Error, Ports, time::earlier};

/// Deletes checkout tokens that expired long ago, and sessions that were idle for long. Returns the number of deleted
/// rows.
pub async fn sweep_tokens(ports: &Ports, limit: u16) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    let now = ports.clock.now();
    let swept = ports.credentials.sweep_tokens(
        earlier(now, CheckoutToken::REMEMBERED),
        earlier(now, CheckoutToken::IDLE_LIFE),
        limit,
    );
    Ok(swept.await?)
}
