//! Batches of concurrent requests for fiscal numbers: one task assigns the numbers of all requests for the same ranges.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::NaiveDate;
use domain::fiscal::{DocumentKind, Environment, Numbered, TaxId};
use ports::{NumberError, NumberRequest, Tenant};
use tokio::sync::oneshot;

/// Maximum size of a batch. The transaction must end within the timeout of a statement.
const BATCH: usize = 100;

/// Queued requests of this process. A queue exists as long as the [`BatchRunner`].
#[derive(Clone, Default)]
pub(crate) struct NumberBatcher(Arc<Mutex<Vec<BatchQueue>>>);

struct BatchQueue {
    key: BatchKey,
    requests: Vec<QueuedRequest>,
}

/// Facts that select the ranges of a request, so that the requests of a batch use the same ranges: tenant, issuer,
/// environment, kind and day. The day is one of them because ranges expire.
type BatchKey = (Tenant, TaxId, Environment, DocumentKind, NaiveDate);

fn batch_key(request: &NumberRequest) -> BatchKey {
    let NumberRequest { tenant, issuer, environment, kind, today, .. } = request;
    (tenant.clone(), issuer.clone(), *environment, *kind, *today)
}

pub(crate) type NumberResult = Result<Numbered, NumberError>;

pub(crate) struct QueuedRequest {
    pub(crate) request: NumberRequest,
    pub(crate) sender: oneshot::Sender<NumberResult>,
}

impl NumberBatcher {
    /// Queues a request. For the first request of a queue, returns a runner, which the caller must run.
    pub(crate) fn join(&self, request: NumberRequest) -> (oneshot::Receiver<NumberResult>, Option<BatchRunner>) {
        let (sender, receiver) = oneshot::channel();
        let key = batch_key(&request);
        let queued = QueuedRequest { request, sender };
        let mut queues = self.lock();
        if let Some(queue) = queues.iter_mut().find(|queue| queue.key == key) {
            queue.requests.push(queued);
            return (receiver, None);
        }
        queues.push(BatchQueue { key: key.clone(), requests: vec![queued] });
        (receiver, Some(BatchRunner { batcher: self.clone(), key, is_done: false }))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<BatchQueue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The only consumer of a queue.
pub(crate) struct BatchRunner {
    batcher: NumberBatcher,
    key: BatchKey,
    is_done: bool,
}

impl BatchRunner {
    /// Returns the next batch, without requests of dropped callers. An empty batch ends the queue; the next request
    /// opens another one.
    pub(crate) fn next(&mut self) -> Vec<QueuedRequest> {
        let mut queues = self.batcher.lock();
        let Some(index) = queues.iter().position(|queue| queue.key == self.key) else { return Vec::new() };
        let requests = &mut queues[index].requests;
        requests.retain(|queued| !queued.sender.is_closed());
        let next: Vec<_> = requests.drain(..requests.len().min(BATCH)).collect();
        if next.is_empty() {
            queues.swap_remove(index);
            self.is_done = true;
        }
        next
    }
}

impl Drop for BatchRunner {
    /// Closes the queue of a runner that panicked: the callers get an error.
    fn drop(&mut self) {
        if !self.is_done {
            self.batcher.lock().retain(|queue| queue.key != self.key);
        }
    }
}
