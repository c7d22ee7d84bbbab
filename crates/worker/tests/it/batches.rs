//! A backlog of an endpoint that responds at once is sent in large batches.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use app::EventRecord;
use async_trait::async_trait;
use domain::{EventId, webhook::WebhookDeliveryStatus};
use ports::{
    AttemptedDelivery, DueDelivery, MockWebhookQueue, Recipient, WebhookClaim, WebhookMessage, WebhookOutcome,
    WebhookSender,
};
use testkit::sample;
use tokio::{sync::Notify, task::yield_now, time::timeout};
use worker::{Dispatcher, Worker};

use crate::support::webhook_ports;

const EVENTS: u32 = 4000;

/// Deliveries to one endpoint.
#[derive(Default)]
struct Backlog {
    claimed: Mutex<u32>,
    leased: Mutex<BTreeMap<String, DueDelivery>>,
    delivered: AtomicUsize,
    is_empty: Notify,
    /// Number of statements: claims, reads and writes.
    statements: AtomicUsize,
}

impl Backlog {
    fn count(&self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
    }
}

impl Backlog {
    fn claim(&self, claim: &WebhookClaim) -> Vec<DueDelivery> {
        let endpoint = sample::endpoint(1).id;
        let limits = if claim.fast_endpoints.contains(&endpoint) { claim.fast } else { claim.healthy };
        let (mut claimed, mut leased) = (self.claimed.lock().unwrap(), self.leased.lock().unwrap());
        let mut due = Vec::new();
        while *claimed < EVENTS && due.len() < limits.all.into() && leased.len() < limits.each.into() {
            *claimed += 1;
            let delivery = DueDelivery {
                tenant: sample::tenant(),
                endpoint: endpoint.clone(),
                event: EventId::new(&sample::symbols(*claimed)),
                occurred_at: claim.now,
                attempts: 0,
                lease_until: claim.lease_until,
            };
            leased.insert(delivery.event.to_string(), delivery.clone());
            due.push(delivery);
        }
        due
    }

    fn finish(&self, attempted: Vec<AttemptedDelivery>) {
        for AttemptedDelivery { due, to, .. } in attempted {
            assert!(matches!(to.status, WebhookDeliveryStatus::Delivered(_)));
            assert!(self.leased.lock().unwrap().remove(due.event.as_str()).is_some(), "{} twice", due.event);
            if self.delivered.fetch_add(1, Ordering::Relaxed) + 1 == EVENTS as usize {
                self.is_empty.notify_one();
            }
        }
    }
}

/// Returns a dispatcher of the backlog. No attempt fails, so each other call of the queue is an error.
fn worker(backlog: &Arc<Backlog>, receiver: Arc<Receiver>) -> Worker {
    let mut queue = MockWebhookQueue::new();
    let it = Arc::clone(backlog);
    queue.expect_claim().returning(move |claim| {
        it.count();
        Ok(it.claim(claim))
    });
    let it = Arc::clone(backlog);
    queue.expect_recipients().returning(move |_| {
        it.count();
        let (endpoint, sealed_secret) = (sample::endpoint(1), vec![1]);
        Ok(vec![Recipient { endpoint, sealed_secret, previous: None, failing_since: None }])
    });
    let it = Arc::clone(backlog);
    queue.expect_finish().returning(move |_, attempted, health| {
        it.count();
        assert_eq!(health.len(), 1);
        it.finish(attempted);
        Ok(())
    });
    queue.expect_delete_expired_secrets().returning(|_| Ok(0));
    queue.expect_next_due().returning(|| Ok(None));
    let it = Arc::clone(backlog);
    let ports = webhook_ports(Arc::new(queue), move |_| it.count());
    let spell = Arc::new(|event: &EventRecord| event.id.to_string().into_bytes());
    Worker::new(ports.clone()).with(Dispatcher::new(ports, receiver, spell))
}

/// Receiver that accepts every event, and counts concurrent requests.
#[derive(Default)]
struct Receiver {
    concurrent: AtomicUsize,
    most: AtomicUsize,
    sent: AtomicUsize,
}

#[async_trait]
impl WebhookSender for Receiver {
    async fn send(&self, _message: WebhookMessage) -> WebhookOutcome {
        self.sent.fetch_add(1, Ordering::Relaxed);
        let concurrent = self.concurrent.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(concurrent, Ordering::Relaxed);
        yield_now().await;
        self.concurrent.fetch_sub(1, Ordering::Relaxed);
        WebhookOutcome::Answered { status: 204, retry_after: None }
    }
}

#[tokio::test]
async fn a_backlog_is_sent_in_batches_with_few_concurrent_requests() {
    let (queue, receiver) = (Arc::new(Backlog::default()), Arc::new(Receiver::default()));
    let worker = worker(&queue, receiver.clone());

    let sent = timeout(Duration::from_secs(60), worker.run(queue.is_empty.notified())).await;

    assert!(sent.is_ok());
    assert_eq!(receiver.sent.load(Ordering::Relaxed), EVENTS as usize);
    assert_eq!(receiver.most.load(Ordering::Relaxed), 32, "concurrent requests to one endpoint");
    let statements = queue.statements.load(Ordering::Relaxed);
    assert!(statements < EVENTS as usize / 10, "{statements} statements");
}

/// After the stop of a worker, every claimed delivery is attempted, and the result is stored.
#[tokio::test]
async fn a_stop_loses_no_claimed_delivery() {
    let (queue, receiver) = (Arc::new(Backlog::default()), Arc::new(Receiver::default()));
    let worker = worker(&queue, receiver.clone());
    let some = async {
        while queue.delivered.load(Ordering::Relaxed) < 500 {
            yield_now().await;
        }
    };

    worker.run(some).await;

    let claimed = usize::try_from(*queue.claimed.lock().unwrap()).unwrap();
    assert_eq!(queue.delivered.load(Ordering::Relaxed), claimed);
    assert!(queue.leased.lock().unwrap().is_empty());
}
