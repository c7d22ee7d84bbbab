//! A backlog of an endpoint that responds at once is sent in large batches.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use app::{EventRecord, Ports};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    event::Subject,
    webhook::{EndpointDisabledEmail, WebhookDeliveryStatus},
};
use ports::{
    AttemptedDelivery, Committed, DueDelivery, EndpointHealth, MockCredentialVault, MockEventStore, Recipient, Tenant,
    Unavailable, WebhookClaim, WebhookMessage, WebhookOutcome, WebhookQueue, WebhookSender,
};
use testkit::{memory::TestClock, sample};
use tokio::{sync::Notify, task::yield_now, time::timeout};
use worker::{Dispatcher, Worker};

use crate::support::{Calendar, ports};

const EVENTS: u32 = 4000;

/// Deliveries to one endpoint.
#[derive(Default)]
struct Backlog {
    claimed: Mutex<u32>,
    leased: Mutex<BTreeMap<String, DueDelivery>>,
    delivered: AtomicUsize,
    is_empty: Notify,
    /// Number of statements: claims, reads and writes.
    statements: Arc<AtomicUsize>,
}

impl Backlog {
    fn count(&self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
    }
}

#[async_trait]
impl WebhookQueue for Backlog {
    async fn claim(&self, claim: &WebhookClaim) -> Result<Vec<DueDelivery>, Unavailable> {
        self.count();
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
        Ok(due)
    }

    async fn recipients(&self, _: &Tenant) -> Result<Vec<Recipient>, Unavailable> {
        self.count();
        let (endpoint, sealed_secret) = (sample::endpoint(1), vec![1]);
        Ok(vec![Recipient { endpoint, sealed_secret, previous: None, failing_since: None }])
    }

    async fn finish(
        &self,
        _: &Tenant,
        attempted: Vec<AttemptedDelivery>,
        health: Vec<EndpointHealth>,
    ) -> Result<(), Unavailable> {
        self.count();
        assert_eq!(health.len(), 1);
        for AttemptedDelivery { due, to, .. } in attempted {
            assert!(matches!(to.status, WebhookDeliveryStatus::Delivered(_)));
            assert!(self.leased.lock().unwrap().remove(due.event.as_str()).is_some(), "{} twice", due.event);
            if self.delivered.fetch_add(1, Ordering::Relaxed) + 1 == EVENTS as usize {
                self.is_empty.notify_one();
            }
        }
        Ok(())
    }

    async fn record_health(
        &self,
        _: &Tenant,
        _: &[WebhookEndpointId],
        _: Option<DateTime<Utc>>,
    ) -> Result<(), Unavailable> {
        panic!("no attempt fails")
    }

    async fn disable(&self, _: &EndpointDisabledEmail, _: u32, _: &EventRecord) -> Result<Committed, Unavailable> {
        panic!("no attempt fails")
    }

    async fn delete_expired_secrets(&self, _: DateTime<Utc>) -> Result<u64, Unavailable> {
        Ok(0)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        Ok(None)
    }
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
    let ports = around(queue.clone());
    let spell = Arc::new(|event: &EventRecord| event.id.to_string().into_bytes());
    let worker = Worker::new(ports.clone()).with(Dispatcher::new(ports, receiver.clone(), spell));

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
    let ports = around(queue.clone());
    let spell = Arc::new(|event: &EventRecord| event.id.to_string().into_bytes());
    let worker = Worker::new(ports.clone()).with(Dispatcher::new(ports, receiver.clone(), spell));
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

fn around(queue: Arc<Backlog>) -> Ports {
    let mut events = MockEventStore::new();
    events.expect_sweep().returning(|_, _| Ok(0));
    let statements = queue.statements.clone();
    events.expect_find_all().returning(move |_, ids| {
        statements.fetch_add(1, Ordering::Relaxed);
        Ok(ids.iter().map(event_record).collect())
    });
    let mut vault = MockCredentialVault::new();
    vault.expect_open().returning(|_, _| Ok(b"whsec_AAECAwQFBgcICQoLDA0ODw==".to_vec().into()));
    vault.expect_digest().returning(|_| [0; 32]);
    Ports {
        webhooks: queue,
        events: Arc::new(events),
        vault: Arc::new(vault),
        ..ports(Arc::new(Calendar::default()), Arc::new(TestClock::default()))
    }
}

fn event_record(id: &EventId) -> EventRecord {
    EventRecord {
        id: id.clone(),
        kind: EventKind::WebhookEndpointTest,
        created_at: sample::noon(),
        request: None,
        subject: Subject::Endpoint(Box::new(sample::endpoint(1))),
    }
}
