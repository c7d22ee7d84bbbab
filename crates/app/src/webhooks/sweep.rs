use crate::{Error, Ports};

/// Forgets signing secrets that were replaced and sign nothing more. Says how many there were.
pub async fn sweep_secrets(ports: &Ports) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    Ok(ports.webhooks.delete_expired_secrets(ports.clock.now()).await?)
}
