use std::{borrow::Borrow, sync::Arc};

use domain::{Mode, fiscal::DocumentKind, sale::Sale};
use ports::{Commit, Committed, Tenant, Unavailable};
use tokio::task::JoinHandle;

use crate::sample;

/// Declares the stores, each with its port.
macro_rules! stores {
    ($($field:ident: $port:ident,)+) => {
        /// Every store port, over the same data.
        #[derive(Clone)]
        #[expect(missing_docs, reason = "each is the store of that name")]
        pub struct Stores { $(pub $field: Arc<dyn ports::$port>,)+ }

        impl Stores {
            /// Uses `store` for every port.
            pub fn of(store: impl $(ports::$port +)+ 'static) -> Self {
                let store = Arc::new(store);
                Self { $($field: store.clone(),)+ }
            }
        }
    };
}

stores! {
    sales: SaleStore,
    refunds: RefundStore,
    work: WorkQueue,
    backlog: Backlog,
    idempotency: IdempotencyStore,
    stored_cards: StoredCards,
    credentials: CredentialStore,
    merchants: MerchantStore,
    registry: MerchantRegistry,
    numbers: NumberStore,
    ledger: NumberLedger,
    artifacts: ArtifactStore,
    deliveries: EmailStore,
    search: SaleSearch,
    events: EventStore,
    interchange: InterchangeStore,
    setup: SetupStore,
    secrets: SecretStore,
    webhooks: WebhookQueue,
    webhook_log: WebhookLog,
    reference: ReferenceClock,
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

/// Panics unless the commit is refused as stale.
pub(super) fn stale(committed: Result<Committed, Unavailable>) {
    assert!(matches!(committed, Ok(Committed::Stale)), "{committed:?}");
}

impl Stores {
    /// Registers the merchant of the [samples](sample) with its account, and ranges of every kind.
    pub async fn register_merchant(&self) {
        self.register_without_ranges().await;
        for kind in DocumentKind::SALE {
            let added = self.registry.add_range(&sample::tenant(), sample::range(kind), sample::noon()).await;
            added.expect("a new range");
        }
    }

    /// Registers the merchant of the [samples](sample) with its account.
    pub(super) async fn register_without_ranges(&self) {
        let (merchant, profiles) = (sample::merchant_id(1), vec![sample::profile()]);
        self.registry.add_merchant(&merchant, profiles, false, sample::noon()).await.expect("a new merchant");
        self.registry.add_account(sample::account()).await.expect("a new account");
    }

    /// Two tenants without access to the sample's data: another merchant, and the same merchant in another mode.
    pub(super) fn strangers() -> [Tenant; 2] {
        [
            Tenant { merchant: sample::merchant_id(2), ..sample::tenant() },
            Tenant { mode: Mode::Live, ..sample::tenant() },
        ]
    }

    /// Starts `count` tasks, numbered from 1.
    pub(super) fn start<F>(&self, count: u32, task: impl Fn(Self, u32) -> F) -> Vec<JoinHandle<F::Output>>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        (1..=count).map(|n| tokio::spawn(task(self.clone(), n))).collect()
    }

    /// Runs `count` tasks concurrently, numbered from 1, and returns their results.
    pub(super) async fn concurrently<F>(&self, count: u32, task: impl Fn(Self, u32) -> F) -> Vec<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let mut results = Vec::new();
        for it in self.start(count, task) {
            results.push(it.await.expect("no task panics"));
        }
        results
    }

    pub(super) async fn commit(&self, commit: Commit) {
        done(self.sales.commit(commit).await, "there is no conflict");
    }

    /// Panics unless the commit is refused as stale.
    pub(super) async fn refuse(&self, commit: Commit) {
        stale(self.sales.commit(commit).await);
    }

    /// Commits each sale as new.
    pub(super) async fn create(&self, sales: impl IntoIterator<Item: Borrow<Sale>>) {
        for sale in sales {
            self.commit(sample::creation(sale.borrow())).await;
        }
    }

    /// Returns the stored sale.
    pub(super) async fn reload(&self, sale: &Sale) -> Option<Sale> {
        self.sales.find(&sample::tenant(), &sale.payment.facts.id).await.expect("the store answers")
    }
}
