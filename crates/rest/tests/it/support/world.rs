use std::{
    collections::BTreeMap,
    future::{pending, ready},
    sync::{Arc, OnceLock},
    time::Duration,
};

use actix_web::{
    dev::RequestHead,
    test::{init_service, read_body, try_call_service},
    web::Data,
};
use app::{Browser, KeyUses, Ports, issue_document, operators};
use checkout::{Checkout, DrainDeadline, PublicBaseUrl, RequestGuard};
use chrono::NaiveDate;
use dgii::Composer;
use domain::{
    FiscalDocumentId, MerchantAccountId, Mode, PaymentId,
    account::Provider,
    credential::Role,
    fiscal::{CertificateFacts, DocumentKind, Environment, OfferedCertificate, TaxId},
    merchant::Profile,
    money::AmountLimits,
};
use pdf::PdfRenderer;
use ports::{MockWorkQueue, NumberLedger, ReferenceClock, SigningIdentity, Tenant, Unavailable};
use rest::{Limits, Metrics, MonotonicClock, State, TrustedProxies};
use sandbox::{Acquirer, Authority, Directory, Faults};
use testkit::{
    memory::{CountingIds, TestClock},
    sample,
};
use vault::{MasterKey, Vault};
use wire::PublicUrls;
use xml_signer::{XmlSigner, read_pkcs12, self_signed_certificate};

use super::{
    ControlledArtifacts, ControlledProvider, ControlledSales, Request, TestResponse, card,
    stores::{Backend, Home},
    token_request,
};

/// A server with all dependencies, and two merchants.
pub(crate) struct World {
    pub(crate) ports: Ports,
    pub(crate) clock: Arc<TestClock>,
    /// Time reference of the store.
    pub(crate) reference: Arc<dyn ReferenceClock>,
    /// Ledger of fiscal numbers, for operators.
    pub(crate) ledger: Arc<dyn NumberLedger>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) acquirer: Arc<Acquirer>,
    pub(crate) authority: Arc<Authority>,
    pub(crate) sale_store: Arc<ControlledSales>,
    pub(crate) gate: Arc<ControlledProvider>,
    pub(crate) artifact_store: Arc<ControlledArtifacts>,
    pub(crate) one: Merchant,
    pub(crate) other: Merchant,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) proxies: TrustedProxies,
    pub(crate) metrics: Metrics,
    pub(crate) uses: KeyUses,
    pub(crate) lease_renewal: Duration,
    /// Whether the server is stopping, so that a page must respond soon.
    pub(crate) is_draining: bool,
    pub(crate) home: Home,
}

/// A merchant that can sell.
pub(crate) struct Merchant {
    pub(crate) tenant: Tenant,
    pub(crate) account: MerchantAccountId,
    pub(crate) key: String,
}

/// Runs `test` in a new world on each store: SQLite, and PostgreSQL if
/// `TEST_DATABASE_URL` is set.
pub(crate) async fn on_each_store(test: impl AsyncFn(World)) {
    for backend in Backend::all() {
        test(backend.world().await).await;
    }
}

impl Backend {
    /// A new world on this store.
    pub(crate) async fn world(self) -> World {
        World::begin(self).await
    }
}

/// Runs `test` in a new world on one store.
pub(crate) async fn on_one_store(test: impl AsyncFnOnce(World)) {
    test(World::begin(Backend::all().remove(0)).await).await;
}

impl World {
    async fn begin(backend: Backend) -> Self {
        let (stores, home) = backend.open().await;
        let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
        let sale_store = Arc::new(ControlledSales::on(Arc::clone(&stores.sales)));
        let acquirer = Acquirer::in_memory(clock.clone(), faults.clone()).with_issuer_url("https://issuer.example");
        let acquirer = Arc::new(acquirer);
        let gate = Arc::new(ControlledProvider::before(acquirer.clone()));
        let artifact_store = Arc::new(ControlledArtifacts::of(Arc::clone(&stores.artifacts)));
        let signer = Arc::new(XmlSigner::new());
        let authority = Arc::new(Authority::in_memory(signer.clone(), clock.clone(), faults.clone()));
        let ports = Ports {
            sales: sale_store.clone(),
            refunds: stores.refunds.clone(),
            search: stores.search.clone(),
            events: stores.events.clone(),
            work: stores.work.clone(),
            backlog: stores.backlog.clone(),
            webhooks: stores.webhooks.clone(),
            webhook_log: stores.webhook_log.clone(),
            stored_cards: stores.stored_cards.clone(),
            secrets: stores.secrets.clone(),
            idempotency: stores.idempotency.clone(),
            credentials: stores.credentials.clone(),
            merchants: stores.merchants.clone(),
            registry: stores.registry.clone(),
            setup: stores.setup.clone(),
            numbers: stores.numbers.clone(),
            artifacts: artifact_store.clone(),
            deliveries: stores.deliveries.clone(),
            providers: BTreeMap::from([(Provider::Simulator, gate.clone() as _)]),
            accounts: BTreeMap::new(),
            breakers: Arc::default(),
            clock_guard: Arc::default(),
            catalog: Arc::default(),
            authority: authority.clone(),
            directory: Arc::new(Directory::new(faults.clone())),
            composer: Arc::new(Composer),
            signer,
            printer: Arc::new(PdfRenderer::new().expect("the fonts are there")),
            vault: Arc::new(Vault::new(&MasterKey::from_bytes([7; 32]))),
            clock: clock.clone(),
            ids: Arc::new(CountingIds::default()),
            limits: AmountLimits::default(),
        };
        let one = create_merchant(&ports, sample::tax_id()).await;
        let other = create_merchant(&ports, TaxId::parse(sandbox::DEMO_RNC).unwrap()).await;
        Self {
            ports,
            clock,
            reference: stores.reference.clone(),
            ledger: stores.ledger.clone(),
            faults,
            acquirer,
            authority,
            sale_store,
            gate,
            artifact_store,
            one,
            other,
            allowed_hosts: Vec::new(),
            limits: Limits::sandbox(),
            proxies: TrustedProxies::none(),
            metrics: Metrics::new(MonotonicClock::default()).unwrap(),
            uses: KeyUses::default(),
            lease_renewal: Duration::from_millis(20),
            is_draining: false,
            home,
        }
    }

    pub(crate) fn state(&self) -> State {
        let urls = PublicUrls {
            checkout_base_url: "https://pay.cobro.example".to_owned(),
            docs_url: "https://docs.cobro.example".to_owned(),
        };
        State {
            ports: self.ports.clone(),
            urls,
            allowed_hosts: self.allowed_hosts.clone(),
            allows_private_webhooks: false,
            limits: self.limits.clone(),
            proxies: self.proxies.clone(),
            metrics: self.metrics.clone(),
            uses: self.uses.clone(),
            lease_renewal: self.lease_renewal,
        }
    }

    /// Adds a merchant with that RNC.
    pub(crate) async fn merchant(&self, rnc: &str) -> Merchant {
        create_merchant(&self.ports, TaxId::parse(rnc).unwrap()).await
    }

    /// Makes the work queue unavailable.
    pub(crate) fn make_queue_unavailable(&mut self) {
        let mut queue = MockWorkQueue::new();
        queue.expect_check_writable().returning(|| Err(Unavailable { what: "the queue", source: "refused".into() }));
        self.ports.work = Arc::new(queue);
    }

    /// Returns the state of the checkout pages.
    pub(crate) fn checkout(&self) -> Checkout {
        let state = self.state();
        let base_url = PublicBaseUrl::new(state.urls.checkout_base_url.clone());
        Checkout { ports: self.ports.clone(), base_url, guard: Arc::new(PageGuard(state, self.is_draining)) }
    }

    /// Sends a request to the server in process.
    pub(crate) async fn send(&self, request: &Request) -> TestResponse {
        let checkout = self.checkout();
        let application = rest::app(Data::new(self.state()), |config| {
            checkout::routes(config, checkout);
            rest::routes(config);
        });
        let server = init_service(application).await;
        let response = match try_call_service(&server, request.in_process().to_request()).await {
            Ok(response) => response.map_into_boxed_body(),
            Err(error) => {
                let request = request.in_process().to_http_request();
                actix_web::dev::ServiceResponse::new(request, error.error_response())
            }
        };
        let status = response.status().as_u16();
        let text =
            |value: &actix_web::http::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        TestResponse { status, headers, body: read_body(response).await.to_vec() }
    }

    /// Creates a payment of the first merchant.
    pub(crate) async fn sale(&self, body: &str) -> TestResponse {
        let created = self.send(&Request::post("/v1/payments", &self.one.key, body)).await;
        assert_eq!(created.status, 201, "{}", created.text());
        created
    }

    /// Creates a token of the first merchant for the payment in `created`.
    pub(crate) async fn token(&self, created: &TestResponse, purpose: &str) -> String {
        let body = token_request(&created.field("/checkoutReference"), purpose);
        let made = self.send(&Request::post("/v1/checkout_tokens", &self.one.key, body)).await;
        assert_eq!(made.status, 201, "{}", made.text());
        made.field("/token")
    }

    /// Returns a request that pays `created` with a card.
    pub(crate) async fn submission(&self, created: &TestResponse, number: &str) -> Request {
        let token = self.token(created, "pay").await;
        Request::post(format!("/v1/payments/{}/card-submissions", created.field("/id")), &token, card(number))
    }

    /// Creates and pays a payment, and issues the document.
    pub(crate) async fn issued(&self, body: &str, number: &str) -> TestResponse {
        let created = self.sale(body).await;
        let paid = self.send(&self.submission(&created, number).await).await;
        assert_eq!(paid.field("/status"), "succeeded");
        self.issue(&created).await;
        created
    }

    /// Issues the document of `created`.
    pub(crate) async fn issue(&self, created: &TestResponse) {
        let document = FiscalDocumentId::parse(&created.field("/fiscalDocument/id")).unwrap();
        issue_document(&self.ports, &self.one.tenant, &document).await.unwrap();
    }
}

/// Guard of the checkout pages.
struct PageGuard(State, bool);

impl RequestGuard for PageGuard {
    fn browser(&self, head: &RequestHead) -> Browser {
        self.0.browser(head)
    }

    fn check_card_limit(&self, head: &RequestHead, payment: &PaymentId, part: Option<u8>) -> Result<(), u64> {
        self.0.admits_card(head, payment, part)
    }

    fn check_link_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.0.admits_session(head, payment)
    }

    fn check_button_session_limit(&self, head: &RequestHead, payment: &PaymentId) -> Result<(), u64> {
        self.0.admits_started_session(head, payment)
    }

    fn count_invalid_link(&self, head: &RequestHead) -> Result<(), u64> {
        self.0.note_link(head)
    }

    fn draining(&self) -> DrainDeadline {
        if self.1 { Box::pin(ready(())) } else { Box::pin(pending()) }
    }
}

/// Creates a merchant as an operator does.
async fn create_merchant(ports: &Ports, rnc: TaxId) -> Merchant {
    let profile = |merchant: &domain::MerchantId, mode, _| Profile {
        merchant: merchant.clone(),
        mode,
        rnc: Some(rnc.clone()),
        ..sample::profile()
    };
    let merchant = operators::create_merchant(ports, profile, false).await.unwrap();
    let tenant = Tenant { merchant, mode: Mode::Test };
    let account = operators::create_account(ports, &tenant, Provider::Simulator).await.unwrap();
    for kind in DocumentKind::ALL {
        let environment = Environment::of(Mode::Test);
        let valid_until = NaiveDate::from_ymd_opt(2027, 12, 31);
        let grant = operators::Grant { kind, first: 1, last: 1000, valid_until, environment };
        operators::add_sequence(ports, &tenant, grant).await.unwrap();
    }
    operators::import_certificates(ports, &tenant, vec![certificate()]).await.unwrap();
    let key = operators::create_key(ports, &tenant, Role::Standard).await.unwrap();
    Merchant { tenant, account, key }
}

/// Returns the certificate that all worlds share, because generating and opening a key is slow.
fn certificate() -> (OfferedCertificate, SigningIdentity) {
    static MADE: OnceLock<(OfferedCertificate, SigningIdentity)> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let CertificateFacts { not_before, not_after, .. } = sample::certificate();
        let made = self_signed_certificate("Rosa Prueba", "IDCDO-00100000008", not_before, not_after).unwrap();
        read_pkcs12(&made.pkcs12, &made.password).unwrap().remove(0).into_offer()
    });
    made.clone()
}
