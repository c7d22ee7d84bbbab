use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use actix_web::{
    App,
    dev::RequestHead,
    http::{Method, header::HeaderMap},
    test::{TestRequest, call_service, init_service, read_body},
};
use app::{Browser, Ports};
use checkout::{Checkout, PublicBaseUrl, RequestGuard};
use chrono::TimeDelta;
use domain::{
    PaymentId,
    account::Provider,
    credential::{CheckoutToken, Scope, Session},
    money::AmountLimits,
    refund::RefundRecord,
    sale::Sale,
};
use ports::{
    CardProvider, MockArtifactStore, MockBacklog, MockCardProvider, MockCredentialStore, MockCredentialVault,
    MockDocumentComposer, MockDocumentPrinter, MockDocumentSigner, MockEmailStore, MockEventStore,
    MockIdempotencyStore, MockMerchantRegistry, MockMerchantStore, MockNumberStore, MockRefundStore, MockSaleSearch,
    MockSaleStore, MockSetupStore, MockTaxAuthority, MockTaxpayerDirectory, MockWebhookLog, MockWebhookQueue,
    MockWorkQueue, Setup, Unavailable,
};
use testkit::{
    memory::{CountingIds, TestClock},
    sample,
};

/// Default base URL of the pages.
pub(crate) const BASE: &str = "https://pay.example";

pub(crate) const STYLE: &str = include_str!("../../assets/checkout.css");
pub(crate) const SCRIPT: &str = include_str!("../../assets/checkout.js");

/// A response in a browser.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// The page as received.
    pub(crate) served: String,
    /// The page without style and script.
    pub(crate) html: String,
}

impl Page {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |it| it.to_str().unwrap())
    }

    /// Returns the cookie of the response, as the browser sends it back.
    pub(crate) fn cookie(&self) -> String {
        self.header("set-cookie").split(';').next().unwrap_or_default().to_owned()
    }
}

/// A checkout with some sales, and the token issued last.
pub(crate) struct World {
    pub(crate) ports: Ports,
    base: &'static str,
    token: Arc<Mutex<Option<CheckoutToken>>>,
    tokens: Arc<AtomicUsize>,
    sessions: Arc<Mutex<u64>>,
    clock: Arc<TestClock>,
}

impl World {
    pub(crate) fn knowing(sales: &[Sale]) -> Self {
        Self::at(BASE, sales)
    }

    pub(crate) fn at(base: &'static str, sales: &[Sale]) -> Self {
        let (by_link, by_name, by_receipt) = (sales.to_vec(), sales.to_vec(), sales.to_vec());
        let token: Arc<Mutex<Option<CheckoutToken>>> = Arc::default();
        let (made, known) = (token.clone(), token.clone());
        let tokens = Arc::<AtomicUsize>::default();
        let sessions = Arc::<Mutex<u64>>::default();
        let counted = tokens.clone();
        let mut store = MockSaleStore::new();
        store
            .expect_find_by_link()
            .returning(move |link| Ok(by_link.iter().find(|it| it.payment.facts.checkout_link == *link).cloned()));
        store.expect_find_by_receipt().returning(move |it| {
            Ok(by_receipt.iter().find(|sale| sale.payment.facts.checkout_reference == *it).cloned())
        });
        store.expect_find().returning(move |_, id| Ok(by_name.iter().find(|it| it.payment.facts.id == *id).cloned()));
        store.expect_commit().returning(move |commit| {
            counted.fetch_add(usize::from(commit.token.is_some()), Ordering::Relaxed);
            *made.lock().unwrap() = commit.token;
            Ok(ports::Committed::Done)
        });
        let mut credentials = MockCredentialStore::new();
        credentials.expect_find_token().returning(move |_| Ok(known.lock().unwrap().clone()));
        let others = sessions.clone();
        credentials.expect_live_sessions().returning(move |_, _, _| Ok(*others.lock().unwrap()));
        let ended = sessions.clone();
        credentials.expect_end_idle_sessions().returning(move |_, _, count| {
            *ended.lock().unwrap() -= count;
            Ok(count)
        });
        let acted = token.clone();
        credentials.expect_note_session().returning(move |it| {
            *acted.lock().unwrap() = Some(it.clone());
            Ok(())
        });
        let mut vault = MockCredentialVault::new();
        vault.expect_digest().returning(|_| sample::digest(1));
        vault.expect_mac().returning(|_, _| [0xab; 32]);
        let mut merchants = MockMerchantStore::new();
        merchants.expect_setup().returning(|_| Ok(Setup { profile: Some(sample::profile()), ..Setup::default() }));
        let mut provider = MockCardProvider::new();
        provider.expect_hold_validity().return_const(TimeDelta::days(7));
        let (merchants, provider) = (Arc::new(merchants), Arc::new(provider) as Arc<dyn CardProvider>);
        let providers = Provider::ALL.into_iter().map(|it| (it, provider.clone())).collect();
        let (credentials, vault) = (Arc::new(credentials), Arc::new(vault));
        let clock = Arc::<TestClock>::default();
        let ports = Ports { credentials, vault, merchants, providers, clock: clock.clone(), ..ports(store) };
        Self { ports, base, token, tokens, sessions, clock }
    }

    /// Adds the refunds of the first sale, newest first.
    pub(crate) fn with_refunds(mut self, records: Vec<RefundRecord>) -> Self {
        let mut refunds = MockRefundStore::new();
        refunds.expect_search().returning(move |_, _, _| Ok(records.clone()));
        self.ports.refunds = Arc::new(refunds);
        self
    }

    /// Changes the scope of the token issued last.
    pub(crate) fn set_scope(&self, scope: Scope) {
        if let Some(token) = self.token.lock().unwrap().as_mut() {
            token.scope = scope;
        }
    }

    /// How many tokens were made.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens.load(Ordering::Relaxed)
    }

    /// Sets the number of live sessions of each payment.
    pub(crate) fn has_sessions(&self, count: u64) {
        *self.sessions.lock().unwrap() = count;
    }

    /// Number of live sessions now.
    pub(crate) fn sessions(&self) -> u64 {
        *self.sessions.lock().unwrap()
    }

    /// Session of the last token that was created.
    pub(crate) fn session(&self) -> Option<Session> {
        self.token.lock().unwrap().as_ref().and_then(|it| it.session)
    }

    /// Time passes.
    pub(crate) fn pass(&self, time: TimeDelta) {
        self.clock.advance(time);
    }

    /// Returns the scope of the token issued last.
    pub(crate) fn scope(&self) -> Option<Scope> {
        self.token.lock().unwrap().as_ref().map(|it| it.scope)
    }

    /// The merchant wants no bill to be shared.
    pub(crate) fn wants_no_splits(&mut self) {
        let mut merchants = MockMerchantStore::new();
        merchants.expect_setup().returning(|_| Ok(Setup::default()));
        self.ports.merchants = Arc::new(merchants);
    }

    /// Returns the response to a request.
    pub(crate) async fn send(&self, request: TestRequest) -> Page {
        let (ports, place) = (self.ports.clone(), PublicBaseUrl::new(self.base));
        let checkout = Checkout { ports, base_url: place, guard: Arc::new(Unlimited) };
        let server = init_service(App::new().configure(|config| checkout::routes(config, checkout))).await;
        let response = call_service(&server, request.to_request()).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let served = String::from_utf8(read_body(response).await.to_vec()).unwrap();
        // Line breaks and translation have their own tests.
        let html = served.replace(STYLE, "").replace(SCRIPT, "").replace('\u{a0}', " ");
        let html = html.replace("<bdi translate=\"no\">", "").replace("</bdi>", "").replace(" translate=\"no\"", "");
        Page { status, headers, served, html }
    }

    /// Returns the page of a link, after the exchange.
    pub(crate) async fn open(&self, link: &str) -> Page {
        let entered = self.send(TestRequest::get().uri(link)).await;
        assert_eq!(entered.status, 303, "{}", entered.html);
        let place = entered.header("location").to_owned();
        let path = place.strip_prefix("/shop").unwrap_or(&place).to_owned();
        self.send(TestRequest::get().uri(&path).insert_header(("cookie", entered.cookie()))).await
    }
}

/// A rate limiter that allows every request.
struct Unlimited;

impl RequestGuard for Unlimited {
    fn browser(&self, _: &RequestHead) -> Browser {
        sample::browser()
    }

    fn check_card_limit(&self, _: &RequestHead, _: &PaymentId, _: Option<u8>) -> Result<(), u64> {
        Ok(())
    }

    fn check_link_session_limit(&self, _: &RequestHead, _: &PaymentId) -> Result<(), u64> {
        Ok(())
    }

    fn check_button_session_limit(&self, _: &RequestHead, _: &PaymentId) -> Result<(), u64> {
        Ok(())
    }

    fn count_invalid_link(&self, _: &RequestHead) -> Result<(), u64> {
        Ok(())
    }
}

/// The page behind the link of the first sale.
pub(crate) async fn open(sale: &Sale) -> Page {
    World::knowing(std::slice::from_ref(sale)).open(&link(1)).await
}

/// The link of the `n`th sale.
pub(crate) fn link(n: u32) -> String {
    format!("/p/{}", sample::symbols(n).as_str())
}

/// Returns the response during an outage of the store.
pub(crate) async fn get_in_an_outage(path: &str) -> Page {
    let mut store = MockSaleStore::new();
    store.expect_find_by_link().returning(|_| {
        Err(Unavailable { what: "the store", source: "FATAL: password authentication failed for user cobro".into() })
    });
    ask(Method::GET, path, store).await
}

pub(crate) async fn ask(method: Method, path: &str, store: MockSaleStore) -> Page {
    let (token, tokens, clock) = (Arc::default(), Arc::default(), Arc::default());
    let world = World { ports: ports(store), base: BASE, token, tokens, sessions: Arc::default(), clock };
    world.send(TestRequest::default().method(method).uri(path)).await
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
        stored_cards: Arc::new(ports::MockStoredCards::new()),
        secrets: Arc::new(ports::MockSecretStore::new()),
        idempotency: Arc::new(MockIdempotencyStore::new()),
        refunds: Arc::new(MockRefundStore::new()),
        credentials: Arc::new(MockCredentialStore::new()),
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
        clock: Arc::new(TestClock::default()),
        ids: Arc::new(CountingIds::default()),
        limits: AmountLimits::default(),
    }
}
