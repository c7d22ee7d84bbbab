use tracing::Instrument;

use crate::{limits::Place, problem::Problem};

tokio::task_local! {
    /// The place of the exchange that is being served.
    static PLACE: Place;
}

/// Serves an exchange that has a place. What outlives it keeps the place.
pub(crate) async fn holding<T>(place: Place, exchange: impl Future<Output = T>) -> T {
    PLACE.scope(place, exchange).await
}

/// Runs a command to its end, even if its client hangs up meanwhile: dropped between two commits it
/// would leave a card that nobody knows the outcome of.
pub(crate) async fn to_its_end<T: Send + 'static>(
    command: impl Future<Output = Result<T, app::Error>> + Send + 'static,
) -> Result<T, Problem> {
    let place = PLACE.try_with(Place::clone).ok();
    let holding_on = async move {
        let done = command.await;
        drop(place);
        done
    };
    match tokio::spawn(holding_on.in_current_span()).await {
        Ok(done) => Ok(done?),
        // The cause has been logged where it happened, and may say what nobody should hear.
        Err(broken) if broken.is_panic() => Err(app::Error::internal("a command panicked").into()),
        Err(_) => Err(app::Error::internal("the server is stopping").into()),
    }
}
