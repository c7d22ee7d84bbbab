//! Does what falls due: the loops around the steps of `app`, and nothing of their logic.
//!
//! Any number of workers may run against one database, in one process or in many: the work queue
//! gives each thing to one of them at a time, and what a dead one held falls due again.

mod advance;
mod dispatch;
mod pace;

use std::{future::Future, panic::AssertUnwindSafe, pin::pin};

use app::{
    EmailSender, Error, Ports, run_due_work, send_due_emails, sweep_events, sweep_keys, sweep_secrets, sweep_tokens,
};
use futures_util::FutureExt;
use tokio::{sync::RwLock, time::sleep};

pub use advance::SetClock;
pub use dispatch::{Dispatcher, SpellEvent};

use pace::{Next, Pace, SweepTimes};

/// Claimed at once. Small enough for one worker to finish within the lease.
const BATCH: u16 = 20;
/// So many mails of a kind at once; a mail server may take its time for each.
const MAILS: u16 = 10;
/// Keys, events or tokens forgotten in one statement.
const SWEEP: u16 = 500;
/// So many batches at one instant are a step that never ends, not a backlog.
const MOST_BATCHES: usize = 10_000;

/// Does what falls due.
pub struct Worker {
    ports: Ports,
    /// The lanes share it; whoever holds it alone is the only one of this process that is at the work.
    turn: RwLock<()>,
    dispatcher: Option<Dispatcher>,
    post: Option<EmailSender>,
}

/// What is done one after the other.
enum Lane {
    /// What falls due of payments and documents; one lane sweeps away what is old, too.
    Work(Option<SweepTimes>),
    /// Mail.
    Mail,
}

impl Worker {
    /// A worker that has done nothing yet.
    pub fn new(ports: Ports) -> Self {
        Self { ports, turn: RwLock::new(()), dispatcher: None, post: None }
    }

    /// The worker, and what sends events to endpoints beside it.
    #[must_use]
    pub fn with(self, dispatcher: Dispatcher) -> Self {
        Self { dispatcher: Some(dispatcher), ..self }
    }

    /// The worker, and those by whom it sends mail.
    #[must_use]
    pub fn with_email(self, post: EmailSender) -> Self {
        Self { post: Some(post), ..self }
    }

    /// Does what falls due, as soon as it does, until `stop`.
    ///
    /// The batch in hand is finished first: only the pauses are cut short.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let stop = stop.shared();
        let sending = async {
            if let Some(dispatcher) = &self.dispatcher {
                dispatcher.run(stop.clone()).await;
            }
        };
        let mailing = async {
            if self.post.is_some() {
                self.go_on(Lane::Mail, stop.clone()).await;
            }
        };
        // Where one lane waits for an account that does not answer, the other goes on; and a mail server that does not
        // answer keeps neither waiting.
        let first = self.go_on(Lane::Work(Some(SweepTimes::default())), stop.clone());
        tokio::join!(first, self.go_on(Lane::Work(None), stop.clone()), sending, mailing);
    }

    async fn go_on(&self, mut lane: Lane, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut pace = Pace::default();
        loop {
            let pause = match AssertUnwindSafe(self.round(&mut lane)).catch_unwind().await {
                Ok(Ok(next)) => pace.after_work(next),
                Ok(Err(error)) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "the worker could not go on");
                    pace.after_failure()
                }
                // Whatever it was at stays leased for a while, and the rest goes on without it.
                Err(_) => pace.after_failure(),
            };
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = sleep(pause) => {}
            }
        }
    }

    /// Does everything that is due now, and what falls due by it.
    ///
    /// # Errors
    ///
    /// If the work cannot be read, or never ends.
    pub async fn drain(&self) -> Result<(), Error> {
        let _turn = self.turn.write().await;
        self.drain_in_turn().await
    }

    async fn drain_in_turn(&self) -> Result<(), Error> {
        for _ in 0..MOST_BATCHES {
            if run_due_work(&self.ports, BATCH).await? > 0 || self.mail_in_turn().await? > 0 {
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
        Err(Error::internal("the same work falls due again and again"))
    }

    /// One batch. Says how the next is reached: at once, or by waiting.
    async fn round(&self, lane: &mut Lane) -> Result<Next, Error> {
        let _turn = self.turn.read().await;
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
                if self.mail_in_turn().await? >= usize::from(MAILS) {
                    return Ok(Next::AtOnce);
                }
                deliveries.next_due().await?
            }
        };
        Ok(next_due.map_or(Next::Idle, |due| Next::In(due.signed_duration_since(clock.now()))))
    }

    /// What is due of mail, as much as is sent at once. Says how much it was.
    async fn mail_in_turn(&self) -> Result<usize, Error> {
        match &self.post {
            Some(post) => send_due_emails(&self.ports, post, MAILS).await,
            None => Ok(0),
        }
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
        Err(Error::internal("the same things are forgotten again and again"))
    }
}
