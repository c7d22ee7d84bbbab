use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use app::{EventRecord, Ports};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{EventId, EventKind, FiscalDocumentId, event::Subject, fiscal::Addressee};
use ports::{
    Clock, MockArtifactStore, MockBacklog, MockCredentialStore, MockCredentialVault, MockDocumentComposer,
    MockDocumentPrinter, MockDocumentSigner, MockEmailStore, MockEventStore, MockIdempotencyStore,
    MockMerchantRegistry, MockMerchantStore, MockNumberStore, MockRefundStore, MockSaleSearch, MockSaleStore,
    MockSetupStore, MockTaxAuthority, MockTaxpayerDirectory, MockWebhookLog, MockWebhookQueue, QueuedDocument, Tenant,
    Unavailable, WebhookQueue, Work, WorkQueue,
};
use testkit::{
    memory::{CountingIds, TestClock},
    sample,
};

/// A queue with only a calendar: a claimed item is done.
#[derive(Default)]
pub(crate) struct Calendar {
    pub(crate) due: Mutex<Vec<DateTime<Utc>>>,
    /// Time of each claim by the clock of the ports, with the size of its batch.
    pub(crate) claimed_at: Mutex<Vec<DateTime<Utc>>>,
    /// Whether a claimed item is due again at once.
    pub(crate) is_endless: bool,
    /// Due time of an item that another worker has in hand.
    pub(crate) leased: Option<DateTime<Utc>>,
    /// The next claim fails.
    pub(crate) fails_once: AtomicBool,
    /// The next claim never ends.
    pub(crate) hangs_once: AtomicBool,
    /// The next claim panics.
    pub(crate) panics_once: AtomicBool,
    /// How long a claim takes.
    pub(crate) delay: Duration,
}

impl Calendar {
    /// Returns a queue with items that are due at these seconds after noon.
    pub(crate) fn of(seconds: &[i64]) -> Self {
        let due = seconds.iter().map(|&it| after_noon(it)).collect();
        Self { due: Mutex::new(due), ..Self::default() }
    }

    /// Returns the times of the claims, in seconds after noon.
    pub(crate) fn claims(&self) -> Vec<i64> {
        let claimed_at = self.claimed_at.lock().unwrap();
        claimed_at.iter().map(|it| it.signed_duration_since(sample::noon()).num_seconds()).collect()
    }
}

#[async_trait]
impl WorkQueue for Calendar {
    async fn claim(&self, now: DateTime<Utc>, _: DateTime<Utc>, limit: u16) -> Result<Vec<Work>, Unavailable> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        if self.hangs_once.swap(false, Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        if self.fails_once.swap(false, Ordering::Relaxed) {
            return Err(Unavailable { what: "the store", source: "no answer".into() });
        }
        assert!(!self.panics_once.swap(false, Ordering::Relaxed), "this panic is meant");
        let mut due = self.due.lock().unwrap();
        due.sort_unstable();
        let count = due.iter().take_while(|it| **it <= now).count().min(limit.into());
        if !self.is_endless {
            due.drain(..count);
        }
        self.claimed_at.lock().unwrap().extend(vec![now; count]);
        Ok(vec![Work::Payment(sample::tenant(), sample::payment_id(1)); count])
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        Ok(self.due.lock().unwrap().iter().copied().chain(self.leased).min())
    }

    async fn check_writable(&self) -> Result<(), Unavailable> {
        Ok(())
    }

    async fn postpone(&self, _: &Work, _: DateTime<Utc>) -> Result<(), Unavailable> {
        Ok(())
    }

    async fn end_leases(&self) -> Result<(), Unavailable> {
        Ok(())
    }

    async fn due_renders(
        &self,
        _: DateTime<Utc>,
        _: DateTime<Utc>,
        _: u16,
    ) -> Result<Vec<(Tenant, FiscalDocumentId)>, Unavailable> {
        Ok(Vec::new())
    }

    async fn head_of_queue(&self, _: &Tenant, _: &Addressee) -> Result<Option<QueuedDocument>, Unavailable> {
        Ok(None)
    }

    async fn next_in_queue(
        &self,
        _: &Tenant,
        _: &Addressee,
        _: &FiscalDocumentId,
    ) -> Result<Option<QueuedDocument>, Unavailable> {
        Ok(None)
    }
}

/// Ports around `queue`, in which no payment is found: every step is done at once.
pub(crate) fn ports(queue: Arc<Calendar>, clock: Arc<dyn Clock>) -> Ports {
    let mut sales = MockSaleStore::new();
    sales.expect_find().returning(|_, _| Ok(None));
    let mut idempotency = MockIdempotencyStore::new();
    idempotency.expect_sweep().returning(|_, _, _| Ok(0));
    let (mut events, mut webhooks) = (MockEventStore::new(), MockWebhookQueue::new());
    events.expect_sweep().returning(|_, _| Ok(0));
    let mut credentials = MockCredentialStore::new();
    credentials.expect_sweep_tokens().returning(|_, _, _| Ok(0));
    webhooks.expect_delete_expired_secrets().returning(|_| Ok(0));
    let mut refunds = MockRefundStore::new();
    refunds.expect_accounts_to_sweep().returning(|_| Ok(Vec::new()));
    Ports {
        sales: Arc::new(sales),
        search: Arc::new(MockSaleSearch::new()),
        refunds: Arc::new(refunds),
        events: Arc::new(events),
        work: queue,
        backlog: Arc::new(MockBacklog::new()),
        webhooks: Arc::new(webhooks),
        webhook_log: Arc::new(MockWebhookLog::new()),
        stored_cards: Arc::new(ports::MockStoredCards::new()),
        secrets: Arc::new(ports::MockSecretStore::new()),
        idempotency: Arc::new(idempotency),
        credentials: Arc::new(credentials),
        merchants: Arc::new(MockMerchantStore::new()),
        registry: Arc::new(MockMerchantRegistry::new()),
        setup: Arc::new(MockSetupStore::new()),
        numbers: Arc::new(MockNumberStore::new()),
        artifacts: Arc::new(MockArtifactStore::new()),
        deliveries: Arc::new(MockEmailStore::new()),
        providers: BTreeMap::new(),
        accounts: BTreeMap::new(),
        breakers: Arc::default(),
        clock_guard: Arc::default(),
        catalog: Arc::default(),
        authority: Arc::new(MockTaxAuthority::new()),
        directory: Arc::new(MockTaxpayerDirectory::new()),
        composer: Arc::new(MockDocumentComposer::new()),
        signer: Arc::new(MockDocumentSigner::new()),
        printer: Arc::new(MockDocumentPrinter::new()),
        vault: Arc::new(MockCredentialVault::new()),
        clock,
        ids: Arc::new(CountingIds::default()),
        limits: domain::money::AmountLimits::default(),
    }
}

pub(crate) fn after_noon(seconds: i64) -> DateTime<Utc> {
    sample::noon() + TimeDelta::seconds(seconds)
}

/// Returns ports around a queue of webhooks. `on_read` gets the number of events of each read.
pub(crate) fn webhook_ports(queue: Arc<dyn WebhookQueue>, on_read: impl Fn(usize) + Send + 'static) -> Ports {
    let mut events = MockEventStore::new();
    events.expect_sweep().returning(|_, _| Ok(0));
    events.expect_find_all().returning(move |_, ids| {
        on_read(ids.len());
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
