use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::failure::{Context, Done};

/// Tells everyone in the process that it is time to stop.
#[derive(Clone)]
pub(crate) struct Stop {
    switch: watch::Sender<bool>,
}

impl Stop {
    /// Shutdown signal: SIGTERM, SIGINT, SIGHUP or SIGQUIT. It is caught from now on.
    pub(crate) fn on_signals() -> Done<Self> {
        let stop = Self { switch: watch::Sender::new(false) };
        for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::quit()] {
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

    /// It is time.
    pub(crate) fn now(&self) {
        self.switch.send_replace(true);
    }

    /// Waits until it is time.
    pub(crate) async fn asked(&self) {
        let mut told = self.switch.subscribe();
        // The switch lives as long as we do, so the wait ends with it being thrown.
        let _ = told.wait_for(|it| *it).await;
    }
}
