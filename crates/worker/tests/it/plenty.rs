//! The number of concurrent webhook attempts stays within its limits, however long the queue is.

use std::{
    collections::BTreeMap,
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use app::EventRecord;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    EventId, WebhookEndpointId,
    webhook::{EndpointDisabledEmail, WebhookEndpoint},
};
use ports::{
    AttemptedDelivery, ClaimLimits, Committed, DueDelivery, EndpointHealth, Recipient, Tenant, Unavailable,
    WebhookClaim, WebhookMessage, WebhookOutcome, WebhookQueue, WebhookSender,
};
use testkit::sample;
use tokio::time::timeout;
use worker::{Dispatcher, Worker};

use crate::support::webhook_ports;

/// Every fourth endpoint is failing.
const ENDPOINTS: u32 = 40;
const EACH: u32 = 25_000;

/// Maximum number of concurrent attempts of one process, to healthy and to failing endpoints. Other memory must not
/// grow with the queue.
const HEALTHY: usize = 384;
const FAILING: usize = 4 * 10;

/// A queue of a million events, of which only the count is stored.
#[derive(Default)]
struct Million {
    /// Number of claimed events of each endpoint. No result returns.
    given: Mutex<BTreeMap<u32, u32>>,
    /// The most that was handed out at once.
    most: AtomicUsize,
}

impl Million {
    fn of(n: u32) -> Recipient {
        let endpoint = WebhookEndpoint { version: n, ..sample::endpoint(n) };
        let failing_since = n.is_multiple_of(4).then(sample::noon);
        Recipient { endpoint, sealed_secret: vec![1], previous: None, failing_since }
    }

    fn left(&self) -> u32 {
        ENDPOINTS * EACH - self.given.lock().unwrap().values().sum::<u32>()
    }
}

#[async_trait]
impl WebhookQueue for Million {
    async fn claim(&self, claim: &WebhookClaim) -> Result<Vec<DueDelivery>, Unavailable> {
        let mut given = self.given.lock().unwrap();
        let (mut healthy, mut failing) = (claim.healthy, claim.failing);
        let mut claimed = Vec::new();
        for n in 1..=ENDPOINTS {
            let room: &mut ClaimLimits = if n.is_multiple_of(4) { &mut failing } else { &mut healthy };
            let held = given.entry(n).or_default();
            while room.all > 0 && *held < u32::from(room.each) {
                room.all -= 1;
                *held += 1;
                claimed.push(DueDelivery {
                    tenant: sample::tenant(),
                    endpoint: sample::endpoint(n).id,
                    event: EventId::new(&sample::symbols(n * EACH + *held)),
                    occurred_at: claim.now,
                    attempts: 0,
                    lease_until: claim.lease_until,
                });
            }
        }
        self.most.fetch_max(claimed.len(), Ordering::Relaxed);
        Ok(claimed)
    }

    async fn recipients(&self, _: &Tenant) -> Result<Vec<Recipient>, Unavailable> {
        Ok((1..=ENDPOINTS).map(Self::of).collect())
    }

    async fn finish(&self, _: &Tenant, _: Vec<AttemptedDelivery>, _: Vec<EndpointHealth>) -> Result<(), Unavailable> {
        panic!("no response was expected")
    }

    async fn record_health(
        &self,
        _: &Tenant,
        _: &[WebhookEndpointId],
        _: Option<DateTime<Utc>>,
    ) -> Result<(), Unavailable> {
        panic!("no response was expected")
    }

    async fn disable(&self, _: &EndpointDisabledEmail, _: u32, _: &EventRecord) -> Result<Committed, Unavailable> {
        panic!("no response was expected")
    }

    async fn delete_expired_secrets(&self, _: DateTime<Utc>) -> Result<u64, Unavailable> {
        Ok(0)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        Ok(Some(sample::noon()))
    }
}

/// A sender that never returns, and counts its events.
#[derive(Default)]
struct Silence(AtomicUsize);

#[async_trait]
impl WebhookSender for Silence {
    async fn send(&self, _message: WebhookMessage) -> WebhookOutcome {
        self.0.fetch_add(1, Ordering::Relaxed);
        pending().await
    }
}

#[tokio::test]
async fn memory_does_not_grow_with_the_queue() {
    let (queue, sender, read) =
        (Arc::new(Million::default()), Arc::new(Silence::default()), Arc::<AtomicUsize>::default());
    let count = Arc::clone(&read);
    let ports = webhook_ports(queue.clone(), move |events| {
        count.fetch_add(events, Ordering::Relaxed);
    });
    let spell = Arc::new(|event: &EventRecord| event.id.to_string().into_bytes());
    let dispatcher = Dispatcher::new(ports.clone(), sender.clone(), spell);
    let worker = Worker::new(ports).with(dispatcher);

    let never = timeout(Duration::from_millis(500), worker.run(pending())).await;

    assert!(never.is_err());
    let held = sender.0.load(Ordering::Relaxed);
    assert_eq!(held, HEALTHY + FAILING, "all that it may have in flight, and it asked for more many times");
    assert_eq!(queue.left(), ENDPOINTS * EACH - u32::try_from(held).unwrap());
    assert_eq!(queue.most.load(Ordering::Relaxed), held);
    assert_eq!(read.load(Ordering::Relaxed), held, "no event was read that was not sent");
}
