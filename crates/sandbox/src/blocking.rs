//! Blocking work.

use tokio::runtime::Handle;

/// Runs `work` on a blocking thread if the work waits for a disk, and always to its end: cancellation of the caller
/// does not interrupt the work.
///
/// Returns `None` if the work panicked or the program is ending; the work may have taken effect.
pub(crate) async fn run_blocking<T: Send + 'static>(
    waits_for_disk: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    match Handle::try_current() {
        Ok(runtime) if waits_for_disk => runtime.spawn_blocking(work).await.ok(),
        _ => Some(work()),
    }
}
