use std::fs;

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::failure::{Context, Done};

/// Signals all tasks of the process to stop.
#[derive(Clone)]
pub(crate) struct Stop {
    switch: watch::Sender<bool>,
}

impl Stop {
    /// Starts the shutdown at SIGTERM, SIGINT, SIGQUIT, and SIGHUP unless the process was started with SIGHUP ignored
    /// (`nohup`). SIGUSR1, SIGUSR2 and SIGALRM are ignored.
    pub(crate) fn on_signals() -> Done<Self> {
        let stop = Self { switch: watch::Sender::new(false) };
        for kind in [SignalKind::user_defined1(), SignalKind::user_defined2(), SignalKind::alarm()] {
            // The handler outlives the receiver.
            drop(signal(kind).or_fail("signals cannot be received")?);
        }
        let hangup = (!is_hangup_ignored()).then(SignalKind::hangup);
        let stopping = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::quit()];
        for kind in stopping.into_iter().chain(hangup) {
            let mut received = signal(kind).or_fail("signals cannot be received")?;
            let stop = stop.clone();
            tokio::spawn(async move {
                received.recv().await;
                tracing::info!(signal = kind.as_raw_value(), "stopping");
                stop.now();
            });
        }
        Ok(stop)
    }

    /// Starts the shutdown.
    pub(crate) fn now(&self) {
        self.switch.send_replace(true);
    }

    /// Waits for the shutdown.
    pub(crate) async fn requested(&self) {
        let mut signal = self.switch.subscribe();
        // The sender lives as long as this value, so the wait ends with the signal.
        let _ = signal.wait_for(|it| *it).await;
    }
}

/// Whether the process ignores SIGHUP (signal 1), by the mask of `/proc/self/status`.
fn is_hangup_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).is_some_and(|it| it & 1 == 1)
}
