use std::time::Duration;

use app::{Error, Ports, announce_readiness, delete_unused_cards, probe_accounts};
use tokio::time::timeout;

use crate::stop::Stop;

/// How soon new credentials are tried.
const EVERY: Duration = Duration::from_secs(5);
/// Asked about at once. Each waits for the one before it.
const BATCH: u16 = 16;

/// Asks providers what they think of the credentials of accounts, looks at all that accounts need, and lets go of cards
/// that are kept for nothing any more, whenever that is due.
pub(crate) async fn keep(ports: &Ports, stop: &Stop) {
    while timeout(EVERY, stop.asked()).await.is_err() {
        tokio::select! {
            // What is left is asked about again later, by whoever comes first.
            () = stop.asked() => return,
            // A provider that takes its time keeps nobody waiting who asks none.
            done = all(ports) => {
                for error in done.into_iter().filter_map(Result::err) {
                    tracing::warn!(error = &error as &dyn std::error::Error, "accounts were not looked at");
                }
            }
        }
    }
}

async fn all(ports: &Ports) -> [Result<usize, Error>; 3] {
    tokio::join!(probe_accounts(ports, BATCH), announce_readiness(ports, BATCH), delete_unused_cards(ports, BATCH))
        .into()
}
