use std::{collections::BTreeMap, sync::Arc};

use actix_web::{
    App,
    http::{Method, header::HeaderMap},
    test::{TestRequest, call_service, init_service, read_body},
};
use app::Ports;
use domain::{money::AmountLimits, sale::Sale};
use ports::{
    MockArtifactStore, MockBacklog, MockCredentialStore, MockCredentialVault, MockDeliveryStore, MockDocumentComposer,
    MockDocumentPrinter, MockDocumentSigner, MockEventStore, MockIdempotencyStore, MockMerchantRegistry,
    MockMerchantStore, MockNumberStore, MockSaleSearch, MockSaleStore, MockSetupStore, MockTaxAuthority,
    MockTaxpayerDirectory, MockWebhookLog, MockWebhookQueue, MockWorkQueue, Unavailable,
};
use testkit::memory::{CountingIds, TestClock};

/// What a browser gets.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

impl Page {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |it| it.to_str().unwrap())
    }
}

/// The page at `path`, where the link of each sale in `sales` opens that sale.
pub(crate) async fn get(path: &str, sales: &[Sale]) -> Page {
    let sales = sales.to_vec();
    let mut store = MockSaleStore::new();
    store
        .expect_find_by_link()
        .returning(move |link| Ok(sales.iter().find(|it| it.payment.facts.checkout_link == *link).cloned()));
    ask(Method::GET, path, store).await
}

/// The page at `path` while the store does not answer.
pub(crate) async fn get_in_an_outage(path: &str) -> Page {
    let mut store = MockSaleStore::new();
    store.expect_find_by_link().returning(|_| {
        Err(Unavailable { what: "the store", source: "FATAL: password authentication failed for user cobro".into() })
    });
    ask(Method::GET, path, store).await
}

pub(crate) async fn ask(method: Method, path: &str, store: MockSaleStore) -> Page {
    let ports = ports(store);
    let server = init_service(
        App::new().configure(|config| checkout::routes(config, ports, "https://pay.example/c/".to_owned())),
    )
    .await;
    let response = call_service(&server, TestRequest::default().method(method).uri(path).to_request()).await;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let html = String::from_utf8(read_body(response).await.to_vec()).unwrap();
    Page { status, headers, html }
}

/// Ports that panic when they are called, but for the sales.
fn ports(sales: MockSaleStore) -> Ports {
    Ports {
        sales: Arc::new(sales),
        search: Arc::new(MockSaleSearch::new()),
        events: Arc::new(MockEventStore::new()),
        work: Arc::new(MockWorkQueue::new()),
        backlog: Arc::new(MockBacklog::new()),
        webhooks: Arc::new(MockWebhookQueue::new()),
        webhook_log: Arc::new(MockWebhookLog::new()),
        idempotency: Arc::new(MockIdempotencyStore::new()),
        credentials: Arc::new(MockCredentialStore::new()),
        merchants: Arc::new(MockMerchantStore::new()),
        registry: Arc::new(MockMerchantRegistry::new()),
        setup: Arc::new(MockSetupStore::new()),
        numbers: Arc::new(MockNumberStore::new()),
        artifacts: Arc::new(MockArtifactStore::new()),
        deliveries: Arc::new(MockDeliveryStore::new()),
        providers: BTreeMap::new(),
        accounts: BTreeMap::new(),
        breakers: Arc::default(),
        catalog: Arc::default(),
        authority: Arc::new(MockTaxAuthority::new()),
        directory: Arc::new(MockTaxpayerDirectory::new()),
        composer: Arc::new(MockDocumentComposer::new()),
        signer: Arc::new(MockDocumentSigner::new()),
        printer: Arc::new(MockDocumentPrinter::new()),
        vault: Arc::new(MockCredentialVault::new()),
        clock: Arc::new(TestClock::default()),
        ids: Arc::new(CountingIds::default()),
        limits: AmountLimits::default(),
    }
}
