use std::time::Duration;

use app::{Error, Ports, announce_readiness, delete_unused_cards, probe_accounts};
use tokio::time::timeout;

use crate::stop::Stop;

/// How soon new credentials are tried.
const EVERY: Duration = Duration::from_secs(5);
/// Accounts per round, checked one after another.
const BATCH: u16 = 16;

/// Checks credentials at providers and the set-up of accounts, and deletes stored cards
/// that are no longer used, whenever due.
pub(crate) async fn keep(ports: &Ports, stop: &Stop) {
    while timeout(EVERY, stop.requested()).await.is_err() {
        tokio::select! {
            // The rest stays due, for any process.
            () = stop.requested() => return,
            // A slow provider does not delay the other loops.
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
