use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use app::{
    Error, EventRecord, InFlight, OutgoingWebhook, Ports, SentWebhook, WebhookSender, claim_webhooks, settle_webhooks,
};
use tokio::{
    sync::{Mutex, watch},
    time::{Instant, sleep_until},
};

use crate::{MOST_BATCHES, attempts::Attempts, pace::Pace, running::Running};

/// Writes the body of an event, which is signed.
pub type SpellEvent = Arc<dyn Fn(&EventRecord) -> Vec<u8> + Send + Sync>;

/// Maximum delay between an event and the first attempt, within the limits.
const MAX_DELAY: Duration = Duration::from_millis(100);
/// How long queued deliveries are still attempted after a stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends events to merchants' endpoints. The number of concurrent attempts is limited, in total and for each
/// endpoint, so that neither a backlog nor a slow endpoint delays the others.
///
/// Claims, attempts and writes of results run concurrently: while results are written, further ones collect.
pub struct Dispatcher {
    ports: Ports,
    sender: Arc<dyn WebhookSender>,
    spell: SpellEvent,
    /// Whether the loop claims no more events.
    is_paused: AtomicBool,
    /// Locked by the loop during a claim.
    claiming: Mutex<()>,
    /// Claimed deliveries of the loop without a stored result.
    in_flight: watch::Sender<usize>,
}

/// The concurrent operations of the loop.
struct Round<'a> {
    attempts: Attempts,
    claim: Running<'a, Result<Vec<OutgoingWebhook>, Error>>,
    /// Write of results.
    store: Running<'a, ()>,
    /// Time of the next claim.
    claim_at: Instant,
    /// Whether the last claim failed.
    has_failed: bool,
    pace: Pace,
}

impl Dispatcher {
    /// Returns a dispatcher without attempts. `spell` writes the body of an event.
    pub fn new(ports: Ports, sender: Arc<dyn WebhookSender>, spell: SpellEvent) -> Self {
        Self {
            ports,
            sender,
            spell,
            is_paused: AtomicBool::new(false),
            claiming: Mutex::new(()),
            in_flight: watch::Sender::new(0),
        }
    }

    /// Sends due events until `stop`, then waits for the attempts in flight.
    pub(crate) async fn run(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut round = Round {
            attempts: self.attempts(),
            claim: Running::none(),
            store: Running::none(),
            claim_at: Instant::now(),
            has_failed: false,
            pace: Pace::default(),
        };
        loop {
            let is_claim_due = round.claim_at <= Instant::now() || (round.attempts.is_any_low() && !round.has_failed);
            if round.claim.is_none() && is_claim_due {
                round.claim.start(self.claim_unless_paused(round.attempts.in_flight()));
            }
            tokio::select! {
                biased;
                () = &mut stop => break,
                () = self.step(&mut round) => {}
            }
        }
        if !round.claim.is_none()
            && let Ok(claimed) = round.claim.end().await
        {
            round.attempts.add(claimed);
        }
        let end = Instant::now() + STOP_TIMEOUT;
        while round.attempts.unfinished() > 0 {
            if end <= Instant::now() {
                round.attempts.abandon();
            }
            round.claim_at = end;
            self.step(&mut round).await;
        }
    }

    /// Waits for one of the operations, and starts the next write of results.
    async fn step<'a>(&'a self, round: &mut Round<'a>) {
        let Round { attempts, claim, store, claim_at, has_failed, pace } = round;
        let store_at = attempts.store_at().filter(|_| store.is_none());
        if store_at.is_some_and(|at| at <= Instant::now()) {
            store.start(self.settle(attempts.take_results()));
        }
        let store_at = store_at.filter(|_| store.is_none());
        let wake_at = store_at.map_or(*claim_at, |at| if claim.is_none() { at.min(*claim_at) } else { at });
        tokio::select! {
            () = store.end() => attempts.stored(),
            claimed = claim.end() => {
                *has_failed = claimed.is_err();
                let pause = match claimed {
                    Ok(claimed) => {
                        pace.went_well();
                        attempts.add(claimed);
                        MAX_DELAY
                    }
                    Err(error) => {
                        tracing::error!(error = &error as &dyn std::error::Error, "the dispatcher could not go on");
                        pace.after_failure()
                    }
                };
                *claim_at = Instant::now() + pause;
            }
            Some(()) = attempts.next_end() => {}
            () = sleep_until(wake_at), if claim.is_none() || store_at.is_some() => {}
        }
        self.in_flight.send_replace(attempts.unfinished());
    }

    /// Pauses the loop while the returned guard exists, after the attempts in flight have ended.
    pub(crate) async fn pause(&self) -> Paused<'_> {
        self.is_paused.store(true, Ordering::SeqCst);
        let paused = Paused(self);
        drop(self.claiming.lock().await);
        // The sender is a field of `self`, so the wait cannot fail.
        drop(self.in_flight.subscribe().wait_for(|it| *it == 0).await);
        paused
    }

    /// Sends all due events, and waits for their results. Returns the number of attempts.
    pub(crate) async fn drain(&self) -> Result<usize, Error> {
        let mut sent = 0;
        for _ in 0..MOST_BATCHES {
            let mut attempts = self.attempts();
            let claimed = claim_webhooks(&self.ports, &*self.spell, InFlight::default()).await?;
            if claimed.is_empty() {
                return Ok(sent);
            }
            sent += claimed.len();
            attempts.add(claimed);
            while attempts.next_end().await.is_some() {}
            while attempts.store_at().is_some() {
                settle_webhooks(&self.ports, attempts.take_results()).await?;
            }
        }
        Err(Error::internal("the same events are sent again and again"))
    }

    fn attempts(&self) -> Attempts {
        Attempts::new(self.ports.clone(), Arc::clone(&self.sender))
    }

    async fn claim_unless_paused(&self, in_flight: InFlight) -> Result<Vec<OutgoingWebhook>, Error> {
        let _claiming = self.claiming.lock().await;
        if self.is_paused.load(Ordering::SeqCst) {
            return Ok(Vec::new());
        }
        let claimed = claim_webhooks(&self.ports, &*self.spell, in_flight).await?;
        // Counted before the lock is released.
        self.in_flight.send_modify(|count| *count += claimed.len());
        Ok(claimed)
    }

    async fn settle(&self, results: Vec<SentWebhook>) {
        // An attempt without a stored result is repeated after the lease.
        if let Err(error) = settle_webhooks(&self.ports, results).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the results of webhook attempts could not be stored"
            );
        }
    }
}

/// Guard of a paused loop.
pub(crate) struct Paused<'a>(&'a Dispatcher);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.is_paused.store(false, Ordering::SeqCst);
    }
}
