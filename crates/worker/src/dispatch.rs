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

/// Writes an event as it is signed.
pub type SpellEvent = Arc<dyn Fn(&EventRecord) -> Vec<u8> + Send + Sync>;

/// An event is on its way at the latest so long after it was told, if nothing else is in its way.
const GLANCE: Duration = Duration::from_millis(100);
/// What has come back meanwhile is remembered together, up to so much of it.
const TOGETHER: usize = 100;

/// Sends events to merchants' endpoints. What it has in flight is bounded, together and for each
/// endpoint, so that neither much nor slowness in one place stops anything elsewhere.
pub struct Dispatcher {
    ports: Ports,
    sender: Arc<dyn WebhookSender>,
    spell: SpellEvent,
    /// Whether the loop is to claim nothing more.
    is_paused: AtomicBool,
    /// Held by the loop while it claims.
    claiming: Mutex<()>,
    /// How many are in flight in the loop.
    in_flight: watch::Sender<usize>,
}

/// One attempt, with the room that it takes.
struct Done {
    was_failing: bool,
    sent: SentWebhook,
}

/// What is in flight.
#[derive(Default)]
struct Flights {
    tasks: JoinSet<Done>,
    taken: InFlight,
}

impl Dispatcher {
    /// A dispatcher that has sent nothing yet. `spell` writes an event as it is signed.
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

    /// Sends what is due, as soon as it is, until `stop`; then waits for what is in flight.
    pub(crate) async fn run(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut pace = Pace::default();
        let mut flights = Flights::default();
        loop {
            let pause = match self.round(&mut flights).await {
                Ok(0) => GLANCE,
                Ok(_) => Duration::ZERO,
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "the dispatcher could not go on");
                    pace.after_failure()
                }
            };
            if pause <= GLANCE {
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

    /// Stops the loop's claims for as long as what is given back is kept, and waits until nothing of it
    /// is in flight.
    pub(crate) async fn pause(&self) -> Paused<'_> {
        self.is_paused.store(true, Ordering::SeqCst);
        let paused = Paused(self);
        drop(self.claiming.lock().await);
        // The sender is ours, so that this ends only as asked for.
        drop(self.in_flight.subscribe().wait_for(|it| *it == 0).await);
        paused
    }

    /// Sends everything that is due now, and waits for what comes of it. Says how much there was.
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

    /// Puts into flight what is due, as far as there is room.
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

    /// Remembers what came of one attempt, and of others that have ended meanwhile.
    async fn settle(&self, flights: &mut Flights, first: Result<Done, tokio::task::JoinError>) {
        let mut done: Vec<SentWebhook> = flights.landed(first).into_iter().collect();
        while done.len() < TOGETHER
            && let Some(next) = flights.tasks.try_join_next()
        {
            done.extend(flights.landed(next));
        }
        // What is not remembered is sent again once its lease has ended.
        if let Err(error) = settle_webhooks(&self.ports, done).await {
            tracing::error!(error = &error as &dyn std::error::Error, "what became of events was not remembered");
        }
        self.in_flight.send_replace(flights.tasks.len());
    }
}

/// The loop claims nothing until this is dropped.
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
        self.tasks.spawn(async move { Done { was_failing, sent: send_webhook(&ports, &*sender, outgoing).await } });
    }

    fn landed(&mut self, done: Result<Done, tokio::task::JoinError>) -> Option<SentWebhook> {
        match done {
            Ok(Done { was_failing, sent }) => {
                *self.room(was_failing) -= 1;
                Some(sent)
            }
            Err(error) => {
                // It is not known what room it took; with nothing in flight all of it is free again.
                tracing::error!(%error, "an attempt to send an event broke down");
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
