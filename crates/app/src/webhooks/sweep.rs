use crate::{Error, Ports};

/// Deletes signing secrets after their rotation. Returns the number of deleted secrets.
pub async fn sweep_secrets(ports: &Ports) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    Ok(ports.webhooks.delete_expired_secrets(ports.clock.now()).await?)
}
