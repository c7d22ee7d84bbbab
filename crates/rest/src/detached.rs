use tracing::Instrument;

use crate::problem::Problem;

/// Runs a command to its end, even if its client hangs up meanwhile: dropped between two commits it
/// would leave a card that nobody knows the outcome of.
pub(crate) async fn to_its_end<T: Send + 'static>(
    command: impl Future<Output = Result<T, app::Error>> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::spawn(command.in_current_span()).await {
        Ok(done) => Ok(done?),
        // The cause has been logged where it happened, and may say what nobody should hear.
        Err(broken) if broken.is_panic() => Err(app::Error::internal("a command panicked").into()),
        Err(_) => Err(app::Error::internal("the server is stopping").into()),
    }
}
