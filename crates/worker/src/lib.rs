//! Runs due work: the loops around the steps of `app`, without their logic.
//!
//! Any number of workers may run on one database: the work queue leases each item to one worker at a time, and the
//! items of a stopped worker become due again.

mod advance;
mod attempts;
mod dispatch;
mod endpoint_queues;
mod pace;
mod running;

use std::{future::Future, panic::AssertUnwindSafe, pin::pin};

use app::{
    EmailSender, Error, Ports, ReturnsSweep, run_due_work, send_due_emails, sweep_events, sweep_keys, sweep_returns,
    sweep_secrets, sweep_tokens,
};
use futures_util::FutureExt;
use tokio::{sync::RwLock, time::sleep};

pub use advance::SetClock;
pub use dispatch::{Dispatcher, SpellEvent};

use pace::{Next, Pace, SweepTimes};

/// Claimed at once. Small enough for one worker to finish within the lease.
const BATCH: u16 = 20;
/// E-mails of each kind that are sent concurrently: a mail server may be slow.
const MAILS: u16 = 10;
/// Keys, events or tokens forgotten in one statement.
const SWEEP: u16 = 500;
/// So many batches at one instant are a step that never ends, not a backlog.
const MOST_BATCHES: usize = 10_000;

/// Runs due work.
pub struct Worker {
    ports: Ports,
    /// Lanes take the shared lock; the exclusive lock stops all other work of this process.
    activity: RwLock<()>,
    dispatcher: Option<Dispatcher>,
    email: Option<EmailSender>,
    unmatched: Option<CountUnmatched>,
}

/// Counts returns in providers' lists that name no charge.
pub type CountUnmatched = Box<dyn Fn(u64) + Send + Sync>;

/// Work that runs in sequence.
enum Lane {
    /// Payments and documents. One lane also deletes old rows.
    Work(Option<SweepTimes>),
    /// Mail.
    Mail,
    /// Returns at the providers, listed once a day.
    Returns(SweepTimes),
}

impl Worker {
    /// Returns a worker without webhooks and e-mails.
    pub fn new(ports: Ports) -> Self {
        Self { ports, activity: RwLock::new(()), dispatcher: None, email: None, unmatched: None }
    }

    /// Adds the dispatcher of webhooks.
    #[must_use]
    pub fn with(self, dispatcher: Dispatcher) -> Self {
        Self { dispatcher: Some(dispatcher), ..self }
    }

    /// Adds the sender of e-mails.
    #[must_use]
    pub fn with_email(self, email: EmailSender) -> Self {
        Self { email: Some(email), ..self }
    }

    /// Adds a counter of returns in providers' lists that name no charge.
    #[must_use]
    pub fn with_unmatched(self, count: CountUnmatched) -> Self {
        Self { unmatched: Some(count), ..self }
    }

    /// Runs due work until `stop`. The current batch is completed first: only pauses are cut short.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let stop = stop.shared();
        let sending = async {
            if let Some(dispatcher) = &self.dispatcher {
                dispatcher.run(stop.clone()).await;
            }
        };
        let mailing = async {
            if self.email.is_some() {
                self.run_lane(Lane::Mail, stop.clone()).await;
            }
        };
        // While one lane waits for a slow provider account, the other continues. A slow mail server delays neither.
        let first = self.run_lane(Lane::Work(Some(SweepTimes::default())), stop.clone());
        let returns = self.run_lane(Lane::Returns(SweepTimes::default()), stop.clone());
        tokio::join!(first, self.run_lane(Lane::Work(None), stop.clone()), sending, mailing, returns);
    }

    async fn run_lane(&self, mut lane: Lane, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut pace = Pace::default();
        loop {
            let pause = match AssertUnwindSafe(self.round(&mut lane)).catch_unwind().await {
                Ok(Ok(next)) => pace.after_work(next),
                Ok(Err(error)) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "a round of the worker failed");
                    pace.after_failure()
                }
                // The failed item stays leased for a while. The others continue.
                Err(_) => pace.after_failure(),
            };
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = sleep(pause) => {}
            }
        }
    }

    /// Runs all work that is due now, and all work that becomes due by it.
    ///
    /// # Errors
    ///
    /// If the work cannot be read, or does not end.
    pub async fn drain(&self) -> Result<(), Error> {
        let _turn = self.activity.write().await;
        self.drain_locked().await
    }

    async fn drain_locked(&self) -> Result<(), Error> {
        for _ in 0..MOST_BATCHES {
            if run_due_work(&self.ports, BATCH).await? > 0 || self.send_emails().await? > 0 {
                continue;
            }
            let sent = match &self.dispatcher {
                Some(dispatcher) => dispatcher.drain().await?,
                None => 0,
            };
            if sent == 0 {
                return Ok(());
            }
        }
        Err(Error::internal("the same work becomes due again and again"))
    }

    /// Runs one batch. Returns when the next one is due.
    async fn round(&self, lane: &mut Lane) -> Result<Next, Error> {
        let _turn = self.activity.read().await;
        let Ports { work, deliveries, clock, .. } = &self.ports;
        let next_due = match lane {
            Lane::Work(sweeps) => {
                let is_right = self.ports.clock_guard.check().is_ok();
                if is_right && sweeps.as_mut().is_some_and(|it| it.is_due(clock.now())) {
                    self.sweep().await?;
                }
                if run_due_work(&self.ports, BATCH).await? >= usize::from(BATCH) {
                    return Ok(Next::AtOnce);
                }
                work.next_due().await?
            }
            Lane::Mail => {
                if self.send_emails().await? >= usize::from(MAILS) {
                    return Ok(Next::AtOnce);
                }
                deliveries.next_due().await?
            }
            Lane::Returns(sweeps) => {
                if self.ports.clock_guard.check().is_ok() && sweeps.is_due(clock.now()) {
                    self.sweep_returns().await?;
                }
                None
            }
        };
        Ok(next_due.map_or(Next::Idle, |due| Next::In(due.signed_duration_since(clock.now()))))
    }

    /// Sends a batch of due e-mails. Returns their number.
    async fn send_emails(&self) -> Result<usize, Error> {
        match &self.email {
            Some(email) => send_due_emails(&self.ports, email, MAILS).await,
            None => Ok(0),
        }
    }

    /// Records returns at the providers that no refund of ours has made. Returns whether every provider gave its list.
    async fn sweep_returns(&self) -> Result<bool, Error> {
        let ReturnsSweep { unmatched, failed } = sweep_returns(&self.ports).await?;
        if let Some(count) = self.unmatched.as_ref().filter(|_| unmatched > 0) {
            count(unmatched);
        }
        Ok(failed == 0)
    }

    async fn sweep(&self) -> Result<(), Error> {
        // If the clock was set ahead since the last comparison, a sweep would delete rows that are still needed.
        self.ports.clock_guard.compare().await?;
        for _ in 0..MOST_BATCHES {
            let keys = sweep_keys(&self.ports, SWEEP).await?;
            let events = sweep_events(&self.ports, SWEEP).await?;
            let tokens = sweep_tokens(&self.ports, SWEEP).await?;
            if keys == 0 && events == 0 && tokens == 0 {
                return sweep_secrets(&self.ports).await.map(drop);
            }
        }
        Err(Error::internal("the sweep does not end"))
    }
}
