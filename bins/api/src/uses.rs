use std::time::Duration;

use app::{KeyUses, Ports, write_key_uses};
use tokio::time::timeout;

use crate::stop::Stop;

/// Interval of writes of the last use of keys.
const EVERY: Duration = Duration::from_secs(60);

/// Writes which keys were used, every minute and once more at the end.
pub(crate) async fn keep(ports: &Ports, uses: &KeyUses, stop: &Stop) {
    loop {
        let is_end = timeout(EVERY, stop.requested()).await.is_ok();
        if let Err(error) = write_key_uses(ports, uses).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the last use of keys was not written");
        }
        if is_end {
            return;
        }
    }
}
