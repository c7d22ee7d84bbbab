use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use app::Ports;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use ports::Clock;
use tokio::time::timeout;

use crate::stop::Stop;

/// How often the system's clock is compared with the database's.
const EVERY: Duration = Duration::from_secs(3);

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The system's clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everyone else asks")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }

    fn monotonic(&self) -> Option<TimeDelta> {
        TimeDelta::from_std(START.elapsed()).ok()
    }
}

/// Compares the system's clock with the store's, now and every few seconds.
pub(crate) async fn watch(ports: &Ports, stop: &Stop) {
    loop {
        compare(ports).await;
        if timeout(EVERY, stop.requested()).await.is_ok() {
            return;
        }
    }
}

/// Compares the clocks once. If the store does not respond, the last comparison stays in force: no write is possible
/// then.
pub(crate) async fn compare(ports: &Ports) {
    if let Err(error) = ports.clock_guard.compare().await {
        tracing::warn!(error = &error as &dyn std::error::Error, "the clocks were not compared");
    }
}
