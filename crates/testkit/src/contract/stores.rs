use std::sync::Arc;

use domain::{Mode, fiscal::DocumentKind, sale::Sale};
use ports::{
    ArtifactStore, Backlog, Commit, Committed, CredentialStore, EmailStore, EventStore, IdempotencyStore,
    InterchangeStore, MerchantRegistry, MerchantStore, NumberLedger, NumberStore, ReferenceClock, SaleSearch,
    SaleStore, SecretStore, SetupStore, StoredCards, Tenant, Unavailable, WebhookLog, WebhookQueue, WorkQueue,
};

use crate::sample;

/// Every store port, over the same data.
#[derive(Clone)]
#[expect(missing_docs, reason = "each is the store of that name")]
pub struct Stores {
    pub sales: Arc<dyn SaleStore>,
    pub work: Arc<dyn WorkQueue>,
    pub backlog: Arc<dyn Backlog>,
    pub idempotency: Arc<dyn IdempotencyStore>,
    pub stored_cards: Arc<dyn StoredCards>,
    pub credentials: Arc<dyn CredentialStore>,
    pub merchants: Arc<dyn MerchantStore>,
    pub registry: Arc<dyn MerchantRegistry>,
    pub numbers: Arc<dyn NumberStore>,
    pub ledger: Arc<dyn NumberLedger>,
    pub artifacts: Arc<dyn ArtifactStore>,
    pub deliveries: Arc<dyn EmailStore>,
    pub search: Arc<dyn SaleSearch>,
    pub events: Arc<dyn EventStore>,
    pub interchange: Arc<dyn InterchangeStore>,
    pub setup: Arc<dyn SetupStore>,
    pub secrets: Arc<dyn SecretStore>,
    pub webhooks: Arc<dyn WebhookQueue>,
    pub webhook_log: Arc<dyn WebhookLog>,
    pub reference: Arc<dyn ReferenceClock>,
}

/// Runs `count` tasks concurrently, numbered from 1, and returns their results.
pub(super) async fn concurrently<F>(count: u32, task: impl Fn(u32) -> F) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let tasks: Vec<_> = (1..=count).map(|n| tokio::spawn(task(n))).collect();
    let mut results = Vec::new();
    for it in tasks {
        results.push(it.await.expect("no task panics"));
    }
    results
}

/// Returns the number of durable commits; panics unless the others are stale.
pub(super) fn count_done(results: Vec<Result<Committed, Unavailable>>) -> usize {
    let is_done = |it: Result<Committed, Unavailable>| match it {
        Ok(Committed::Done) => true,
        Ok(Committed::Stale) => false,
        other => panic!("{other:?}"),
    };
    results.into_iter().map(is_done).filter(|it| *it).count()
}

/// Panics unless the commit is durable.
pub fn done(committed: Result<Committed, Unavailable>, why: &str) {
    assert!(matches!(committed, Ok(Committed::Done)), "{why}: {committed:?}");
}

impl Stores {
    /// Uses `store` for every port.
    pub fn of<S>(store: S) -> Self
    where
        S: SaleStore
            + WorkQueue
            + Backlog
            + IdempotencyStore
            + StoredCards
            + CredentialStore
            + MerchantStore
            + MerchantRegistry
            + NumberStore
            + NumberLedger
            + ArtifactStore
            + EmailStore
            + SaleSearch
            + EventStore
            + InterchangeStore
            + SetupStore
            + SecretStore
            + WebhookQueue
            + WebhookLog
            + ReferenceClock
            + 'static,
    {
        let store = Arc::new(store);
        Self {
            sales: store.clone(),
            work: store.clone(),
            backlog: store.clone(),
            idempotency: store.clone(),
            stored_cards: store.clone(),
            credentials: store.clone(),
            merchants: store.clone(),
            registry: store.clone(),
            numbers: store.clone(),
            ledger: store.clone(),
            artifacts: store.clone(),
            deliveries: store.clone(),
            search: store.clone(),
            events: store.clone(),
            interchange: store.clone(),
            setup: store.clone(),
            secrets: store.clone(),
            webhooks: store.clone(),
            webhook_log: store.clone(),
            reference: store,
        }
    }

    /// Registers the merchant of the [samples](sample) with its account, and ranges of every kind.
    pub async fn register_merchant(&self) {
        let registry = &self.registry;
        let profiles = vec![sample::profile()];
        registry.add_merchant(&sample::merchant_id(1), profiles, false, sample::noon()).await.expect("a new merchant");
        registry.add_account(sample::account()).await.expect("a new account");
        for kind in DocumentKind::ALL {
            registry.add_range(&sample::tenant(), sample::range(kind), sample::noon()).await.expect("a new range");
        }
    }

    /// Two tenants without access to the sample's data: another merchant, and the same merchant in another mode.
    pub(super) fn strangers() -> [Tenant; 2] {
        [
            Tenant { merchant: sample::merchant_id(2), ..sample::tenant() },
            Tenant { mode: Mode::Live, ..sample::tenant() },
        ]
    }

    pub(super) async fn commit(&self, commit: Commit) {
        done(self.sales.commit(commit).await, "there is no conflict");
    }

    /// Returns the stored sale.
    pub(super) async fn reload(&self, sale: &Sale) -> Option<Sale> {
        self.sales.find(&sample::tenant(), &sale.payment.facts.id).await.expect("the store answers")
    }
}
