use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use app::{InFlight, OutgoingWebhook, Ports, SentWebhook, WebhookSender, send_webhook};
use domain::WebhookEndpointId;
use futures_util::FutureExt;
use tokio::{task::JoinSet, time::Instant};

use crate::lanes::Lanes;

/// Results that are stored at once; fewer are stored after [`MAX_WAIT`], or when no attempt is left.
const BATCH: usize = 64;
/// Maximum number of results in one write.
const MAX_RESULTS: usize = 256;
/// Maximum delay between a result and its write.
const MAX_WAIT: Duration = Duration::from_millis(10);

/// The end of an attempt; without a result after a panic.
struct Landed {
    endpoint: WebhookEndpointId,
    sent: Option<SentWebhook>,
}

/// Concurrent attempts, and their results until they are stored.
pub(crate) struct Flights {
    ports: Ports,
    sender: Arc<dyn WebhookSender>,
    lanes: Lanes,
    attempts: JoinSet<Landed>,
    results: Vec<SentWebhook>,
    /// Time of the first of `results`.
    first_result_at: Instant,
    /// Endpoints whose results are being stored, once for each result.
    storing: Vec<WebhookEndpointId>,
}

impl Flights {
    pub(crate) fn new(ports: Ports, sender: Arc<dyn WebhookSender>) -> Self {
        let (attempts, first_result_at) = (JoinSet::new(), Instant::now());
        let (results, storing) = (Vec::new(), Vec::new());
        Self { ports, sender, lanes: Lanes::default(), attempts, results, first_result_at, storing }
    }

    pub(crate) fn in_flight(&self) -> InFlight {
        self.lanes.in_flight()
    }

    pub(crate) fn held(&self) -> usize {
        self.lanes.held()
    }

    pub(crate) fn is_any_low(&self) -> bool {
        self.lanes.is_any_low()
    }

    /// Starts attempts of claimed deliveries, within the limit of each endpoint.
    pub(crate) fn add(&mut self, claimed: Vec<OutgoingWebhook>) {
        let ready = self.lanes.add(claimed, self.ports.clock.now());
        ready.into_iter().for_each(|outgoing| self.start(outgoing));
    }

    fn start(&mut self, outgoing: OutgoingWebhook) {
        let (ports, sender) = (self.ports.clone(), Arc::clone(&self.sender));
        let endpoint = outgoing.endpoint().clone();
        self.attempts.spawn(async move {
            let sent = AssertUnwindSafe(send_webhook(&ports, &*sender, outgoing)).catch_unwind().await;
            if sent.is_err() {
                tracing::error!(%endpoint, "a webhook attempt panicked");
            }
            Landed { endpoint, sent: sent.ok() }
        });
    }

    /// Waits for the end of an attempt, and starts the next one to that endpoint. Returns `None` without attempts.
    pub(crate) async fn land(&mut self) -> Option<()> {
        let landed = self.attempts.join_next().await?;
        self.landed(landed);
        while let Some(landed) = self.attempts.try_join_next() {
            self.landed(landed);
        }
        Some(())
    }

    fn landed(&mut self, landed: Result<Landed, tokio::task::JoinError>) {
        // Only a canceled task fails, and no task is canceled.
        let Ok(Landed { endpoint, sent }) = landed else { return };
        if let Some(next) = self.lanes.ended(&endpoint, sent.as_ref(), self.ports.clock.now()) {
            self.start(next);
        }
        if self.results.is_empty() {
            self.first_result_at = Instant::now();
        }
        self.results.extend(sent);
    }

    /// Returns the time at which the results are to be stored, if there are any.
    pub(crate) fn store_at(&self) -> Option<Instant> {
        let is_due = self.results.len() >= BATCH || self.attempts.is_empty();
        let wait = if is_due { Duration::ZERO } else { MAX_WAIT };
        (!self.results.is_empty()).then(|| self.first_result_at + wait)
    }

    /// Takes the results of one write.
    pub(crate) fn take_results(&mut self) -> Vec<SentWebhook> {
        let taken: Vec<_> = self.results.drain(..self.results.len().min(MAX_RESULTS)).collect();
        self.storing = taken.iter().map(|sent| sent.endpoint().clone()).collect();
        taken
    }

    /// Records that the write of the taken results ended.
    pub(crate) fn stored(&mut self) {
        let endpoints = std::mem::take(&mut self.storing);
        self.lanes.stored(&endpoints);
    }

    /// Removes the deliveries without an attempt.
    pub(crate) fn abandon(&mut self) {
        self.lanes.abandon();
    }
}
