//! Work that waits for a disk.

use tokio::runtime::Handle;

/// Runs `work` away from the async threads if it waits for a disk, and to its end in any case: what
/// a caller begins is not undone because the caller goes away.
///
/// Returns `None` if the work broke down, or the program is ending: it may have taken effect.
pub(crate) async fn undisturbed<T: Send + 'static>(
    waits_for_disk: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    match Handle::try_current() {
        Ok(runtime) if waits_for_disk => runtime.spawn_blocking(work).await.ok(),
        _ => Some(work()),
    }
}
