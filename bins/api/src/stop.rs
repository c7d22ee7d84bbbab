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
    /// A wish to stop that SIGTERM and SIGINT express, from now on.
    pub(crate) fn on_signals() -> Done<Self> {
        let hear = |kind| signal(kind).or_fail("signals cannot be heard");
        let (mut terminate, mut interrupt) = (hear(SignalKind::terminate())?, hear(SignalKind::interrupt())?);
        let stop = Self { switch: watch::Sender::new(false) };
        let heard = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            tracing::info!("stopping");
            heard.now();
        });
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
