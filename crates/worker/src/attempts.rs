use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use app::{InFlight, OutgoingWebhook, Ports, SentWebhook, WebhookSender, send_webhook};
use domain::WebhookEndpointId;
use futures_util::FutureExt;
use tokio::{task::JoinSet, time::Instant};

use crate::endpoint_queues::EndpointQueues;

/// Results that are stored at once; fewer are stored after [`MAX_WAIT`], or when no attempt is left.
const BATCH: usize = 64;
/// Maximum number of results in one write.
const MAX_RESULTS: usize = 256;
/// Maximum delay between a result and its write.
const MAX_WAIT: Duration = Duration::from_millis(10);

/// The end of an attempt; without a result after a panic.
struct Ended {
    endpoint: WebhookEndpointId,
    sent: Option<SentWebhook>,
}

/// Concurrent attempts, and their results until they are stored.
pub(crate) struct Attempts {
    ports: Ports,
    sender: Arc<dyn WebhookSender>,
    queues: EndpointQueues,
    attempts: JoinSet<Ended>,
    results: Vec<SentWebhook>,
    /// Time of the first of `results`.
    first_result_at: Instant,
    /// Endpoints whose results are being stored, once for each result.
    storing: Vec<WebhookEndpointId>,
}

impl Attempts {
    pub(crate) fn new(ports: Ports, sender: Arc<dyn WebhookSender>) -> Self {
        let (attempts, first_result_at) = (JoinSet::new(), Instant::now());
        let (results, storing) = (Vec::new(), Vec::new());
        Self { ports, sender, queues: EndpointQueues::default(), attempts, results, first_result_at, storing }
    }

    pub(crate) fn in_flight(&self) -> InFlight {
        self.queues.in_flight()
    }

    pub(crate) fn unfinished(&self) -> usize {
        self.queues.unfinished()
    }

    pub(crate) fn is_any_low(&self) -> bool {
        self.queues.is_any_low()
    }

    /// Starts attempts of claimed deliveries, within the limit of each endpoint.
    pub(crate) fn add(&mut self, claimed: Vec<OutgoingWebhook>) {
        let ready = self.queues.add(claimed, self.ports.clock.now());
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
            Ended { endpoint, sent: sent.ok() }
        });
    }

    /// Waits for the end of an attempt, and starts the next one to that endpoint. Returns `None` without attempts.
    pub(crate) async fn next_end(&mut self) -> Option<()> {
        let ended = self.attempts.join_next().await?;
        self.ended(ended);
        while let Some(ended) = self.attempts.try_join_next() {
            self.ended(ended);
        }
        Some(())
    }

    fn ended(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        // Only a canceled task fails, and no task is canceled.
        let Ok(Ended { endpoint, sent }) = ended else { return };
        if let Some(next) = self.queues.ended(&endpoint, sent.as_ref(), self.ports.clock.now()) {
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
        self.queues.stored(&endpoints);
    }

    /// Removes the deliveries without an attempt.
    pub(crate) fn abandon(&mut self) {
        self.queues.abandon();
    }
}
