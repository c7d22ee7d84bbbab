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
    Error, EventRecord, InFlight, OutgoingWebhook, Ports, SentWebhook, WebhookSender, claim_webhooks, send_webhook,
    settle_webhooks,
};
use tokio::{
    sync::{Mutex, watch},
    task::JoinSet,
    time::sleep,
};

use crate::{MOST_BATCHES, pace::Pace};

/// Writes the body of an event, which is signed.
pub type SpellEvent = Arc<dyn Fn(&EventRecord) -> Vec<u8> + Send + Sync>;

/// Maximum delay between an event and the first attempt, within the limits.
const MAX_DELAY: Duration = Duration::from_millis(100);
/// Maximum number of results in one write.
const MAX_RESULTS: usize = 100;

/// Sends events to merchants' endpoints. The number of concurrent attempts is limited, in total and for each
/// endpoint, so that neither a backlog nor a slow endpoint delays the others.
pub struct Dispatcher {
    ports: Ports,
    sender: Arc<dyn WebhookSender>,
    spell: SpellEvent,
    /// Whether the loop claims no more events.
    is_paused: AtomicBool,
    /// Locked by the loop during a claim.
    claiming: Mutex<()>,
    /// How many are in flight in the loop.
    in_flight: watch::Sender<usize>,
}

/// A finished attempt, and whether its endpoint was failing at the start.
type Done = (SentWebhook, bool);

/// Concurrent attempts.
#[derive(Default)]
struct Flights {
    tasks: JoinSet<Done>,
    taken: InFlight,
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
        let mut pace = Pace::default();
        let mut flights = Flights::default();
        loop {
            let pause = match self.round(&mut flights).await {
                Ok(0) => MAX_DELAY,
                Ok(_) => Duration::ZERO,
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "the dispatcher could not go on");
                    pace.after_failure()
                }
            };
            if pause <= MAX_DELAY {
                pace.went_well();
            }
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(first) = flights.tasks.join_next() => self.settle(&mut flights, first).await,
                () = sleep(pause) => {}
            }
        }
        while let Some(first) = flights.tasks.join_next().await {
            self.settle(&mut flights, first).await;
        }
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
            let mut flights = Flights::default();
            let claimed = self.claim(&mut flights).await?;
            if claimed == 0 {
                return Ok(sent);
            }
            sent += claimed;
            let mut done = Vec::new();
            while let Some(one) = flights.tasks.join_next().await {
                done.extend(flights.landed(one));
            }
            settle_webhooks(&self.ports, done).await?;
        }
        Err(Error::internal("the same events are sent again and again"))
    }

    /// Starts attempts of due events, within the limits.
    async fn round(&self, flights: &mut Flights) -> Result<usize, Error> {
        let _claiming = self.claiming.lock().await;
        if self.is_paused.load(Ordering::SeqCst) {
            return Ok(0);
        }
        let claimed = self.claim(flights).await?;
        self.in_flight.send_replace(flights.tasks.len());
        Ok(claimed)
    }

    async fn claim(&self, flights: &mut Flights) -> Result<usize, Error> {
        let outgoing = claim_webhooks(&self.ports, &*self.spell, flights.taken).await?;
        let claimed = outgoing.len();
        for it in outgoing {
            flights.take_off(&self.ports, &self.sender, it);
        }
        Ok(claimed)
    }

    /// Stores the results of finished attempts.
    async fn settle(&self, flights: &mut Flights, first: Result<Done, tokio::task::JoinError>) {
        let mut done: Vec<SentWebhook> = flights.landed(first).into_iter().collect();
        while done.len() < MAX_RESULTS
            && let Some(next) = flights.tasks.try_join_next()
        {
            done.extend(flights.landed(next));
        }
        // An attempt without a stored result is repeated after the lease.
        if let Err(error) = settle_webhooks(&self.ports, done).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the results of webhook attempts could not be stored"
            );
        }
        self.in_flight.send_replace(flights.tasks.len());
    }
}

/// Guard of a paused loop.
pub(crate) struct Paused<'a>(&'a Dispatcher);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.is_paused.store(false, Ordering::SeqCst);
    }
}

impl Flights {
    fn take_off(&mut self, ports: &Ports, sender: &Arc<dyn WebhookSender>, outgoing: OutgoingWebhook) {
        let was_failing = outgoing.is_to_failing();
        *self.room(was_failing) += 1;
        let (ports, sender) = (ports.clone(), sender.clone());
        self.tasks.spawn(async move { (send_webhook(&ports, &*sender, outgoing).await, was_failing) });
    }

    fn landed(&mut self, done: Result<Done, tokio::task::JoinError>) -> Option<SentWebhook> {
        match done {
            Ok((sent, was_failing)) => {
                *self.room(was_failing) -= 1;
                Some(sent)
            }
            Err(error) => {
                // The capacity of a failed task is unknown: all capacity is free again once no attempt is in flight.
                tracing::error!(%error, "a webhook attempt panicked");
                if self.tasks.is_empty() {
                    self.taken = InFlight::default();
                }
                None
            }
        }
    }

    const fn room(&mut self, is_failing: bool) -> &mut u16 {
        if is_failing { &mut self.taken.failing } else { &mut self.taken.healthy }
    }
}
