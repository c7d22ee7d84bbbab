//! A merchant on a real store, with simulators that remember across restarts.

use std::{any::Any, collections::BTreeMap, sync::Arc};

use app::{Caller, CreatePayment, IdempotentRequest, KeyLeaseHandle, Ports, create_payment, operators, run_due_work};
use chrono::{Days, TimeDelta};
use domain::{
    Mode, PaymentId, RequestId,
    account::Provider,
    credential::{CheckoutToken, MerchantKey, Role, Scope},
    fiscal::{DocumentKind, Environment},
    money::AmountLimits,
    sale::Sale,
    text::BoundedText,
};
use ports::{CardProvider, Clock, NumberStore, SaleStore, TaxAuthority, Tenant};
use sandbox::{Acquirer, Authority, Directory, Faults};
use storage::Sqlite;
use testkit::{
    contract::Stores,
    memory::{CountingIds, TestClock},
    sample,
};
use vault::{MasterKey, Vault};
use xml_signer::XmlSigner;

use super::{
    Payer,
    crash_trigger::{CrashTrigger, CrashingPort},
};

pub(crate) struct World {
    pub(crate) stores: Stores,
    /// Guard that lives as long as the stores.
    _guard: Box<dyn Any + Send + Sync>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) acquirer: Arc<Acquirer>,
    pub(crate) authority: Arc<Authority>,
    directory: Arc<Directory>,
    pub(crate) clock: Arc<TestClock>,
    ids: Arc<CountingIds>,
    vault: Arc<Vault>,
    signer: Arc<XmlSigner>,
    pub(crate) tenant: Tenant,
}

impl World {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(folder.path().join("cobro.db")).await.unwrap();
        store.migrate().await.unwrap();
        Self::on(Stores::of(store), Box::new(folder)).await
    }

    /// Creates a merchant on these empty stores.
    pub(crate) async fn on(stores: Stores, guard: Box<dyn Any + Send + Sync>) -> Self {
        let clock = Arc::new(TestClock::default());
        let faults = Arc::new(Faults::default());
        let signer = Arc::new(XmlSigner::new());
        let mut world = Self {
            stores,
            _guard: guard,
            faults: faults.clone(),
            acquirer: Arc::new(Acquirer::in_memory(clock.clone(), faults.clone())),
            authority: Arc::new(Authority::in_memory(signer.clone(), clock.clone(), faults.clone())),
            directory: Arc::new(Directory::new(faults)),
            clock,
            ids: Arc::new(CountingIds::default()),
            vault: Arc::new(Vault::new(&MasterKey::from_bytes([7; 32]))),
            signer,
            tenant: sample::tenant(),
        };
        world.set_up().await;
        world
    }

    async fn set_up(&mut self) {
        let ports = self.ports(None);
        let merchant = operators::create_merchant(
            &ports,
            |id, mode, _| domain::merchant::Profile { merchant: id.clone(), mode, ..sample::profile() },
            false,
        );
        self.tenant = Tenant { merchant: merchant.await.unwrap(), mode: Mode::Test };
        operators::create_account(&ports, &self.tenant, Provider::Simulator).await.unwrap();
        for kind in [DocumentKind::Consumer, DocumentKind::CreditNote] {
            let grant = operators::Grant {
                kind,
                first: 1,
                last: 1000,
                valid_until: (kind == DocumentKind::CreditNote).then(|| sample::today() + Days::new(700)),
                environment: Environment::PreCertification,
            };
            operators::add_sequence(&ports, &self.tenant, grant).await.unwrap();
        }
        let (from, until) = (sample::noon() - TimeDelta::days(1), sample::noon() + TimeDelta::days(365));
        let generated = xml_signer::self_signed_certificate("Rosa Prueba", "IDCDO-00113918205", from, until).unwrap();
        let opened = xml_signer::read_pkcs12(&generated.pkcs12, &generated.password).unwrap();
        let offered = opened.into_iter().map(xml_signer::Pkcs12::into_offer).collect();
        operators::import_certificates(&ports, &self.tenant, offered).await.unwrap();
    }

    /// Replaces the stores by others with the same merchant. Returns the previous stores.
    pub(crate) fn restore(&mut self, stores: Stores, guard: Box<dyn Any + Send + Sync>) -> impl Any {
        (std::mem::replace(&mut self.stores, stores), std::mem::replace(&mut self._guard, guard))
    }

    /// Returns the ports of a process. With a trigger, the process crashes.
    pub(crate) fn ports(&self, trigger: Option<&CrashTrigger>) -> Ports {
        let stores = self.stores.clone();
        let mut sales: Arc<dyn SaleStore> = stores.sales;
        let mut numbers: Arc<dyn NumberStore> = stores.numbers;
        let mut provider: Arc<dyn CardProvider> = self.acquirer.clone();
        let mut authority: Arc<dyn TaxAuthority> = self.authority.clone();
        if let Some(trigger) = trigger {
            sales = Arc::new(CrashingPort { port: sales, trigger: trigger.clone() });
            numbers = Arc::new(CrashingPort { port: numbers, trigger: trigger.clone() });
            provider = Arc::new(CrashingPort { port: provider, trigger: trigger.clone() });
            authority = Arc::new(CrashingPort { port: authority, trigger: trigger.clone() });
        }
        Ports {
            sales,
            search: stores.search,
            refunds: stores.refunds,
            events: stores.events,
            setup: stores.setup,
            work: stores.work,
            backlog: stores.backlog,
            webhooks: stores.webhooks,
            webhook_log: stores.webhook_log,
            stored_cards: stores.stored_cards,
            secrets: stores.secrets,
            idempotency: stores.idempotency,
            credentials: stores.credentials,
            merchants: stores.merchants,
            registry: stores.registry,
            numbers,
            artifacts: stores.artifacts,
            deliveries: stores.deliveries,
            providers: BTreeMap::from([(Provider::Simulator, provider)]),
            accounts: BTreeMap::new(),
            breakers: Arc::default(),
            clock_guard: Arc::default(),
            catalog: Arc::default(),
            authority,
            directory: self.directory.clone(),
            composer: Arc::new(dgii::Composer),
            signer: self.signer.clone(),
            printer: Arc::new(pdf::PdfRenderer::new().unwrap()),
            vault: self.vault.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            limits: AmountLimits::default(),
        }
    }

    /// Returns a caller with the key of the merchant.
    pub(crate) fn merchant(&self) -> Caller {
        let key =
            MerchantKey { merchant: self.tenant.merchant.clone(), role: Role::Standard, ..sample::merchant_key(1) };
        Caller::Merchant { key, is_live_enabled: false }
    }

    /// Creates an unpaid sale. Returns the payment, and the payer as a caller.
    pub(crate) async fn open_sale(&self) -> (PaymentId, Caller) {
        let ports = self.ports(None);
        let merchant = self.merchant();
        let request = RequestId::new(&ports::Ids::generate(&*self.ids));
        let keyed = IdempotentRequest {
            key: request.as_str().to_owned(),
            id: request,
            fingerprint_input: Vec::new(),
            if_match: None,
            lease: KeyLeaseHandle::default(),
        };
        let mut draft = sample::draft();
        draft.document.merchant_invoice_number = BoundedText::parse("F-1").unwrap();
        let command = CreatePayment { draft, account: None, provider: None };
        let render_id = |sale: &Sale, _| app::Rendered {
            status: 201,
            etag: None,
            body: sale.payment.facts.id.as_str().as_bytes().to_vec(),
        };
        let response = create_payment(&ports, &merchant, &keyed, command, &render_id).await.unwrap();
        let payment = PaymentId::parse(std::str::from_utf8(&response.rendered.body).unwrap()).unwrap();
        let token = CheckoutToken {
            digest: [0; 32],
            merchant: self.tenant.merchant.clone(),
            mode: Mode::Test,
            payment: payment.clone(),
            scope: Scope::Pay,
            expires_at: self.clock.now() + TimeDelta::days(1),
            session: None,
        };
        (payment, Caller::Holder(token))
    }

    pub(crate) fn keyed(&self, point: usize, payer: Payer) -> IdempotentRequest {
        self.keyed_as(format!("{payer:?}-{point}"))
    }

    /// Returns a request with this idempotency key.
    pub(crate) fn keyed_as(&self, key: String) -> IdempotentRequest {
        let request = RequestId::new(&ports::Ids::generate(&*self.ids));
        IdempotentRequest {
            id: request,
            key,
            fingerprint_input: b"the card".to_vec(),
            if_match: None,
            lease: KeyLeaseHandle::default(),
        }
    }

    /// Returns the transactions of a payment at the acquirer, with their parts.
    pub(crate) async fn at_the_acquirer(&self, payment: &PaymentId) -> Vec<(Option<u8>, sandbox::TransactionView)> {
        let mut known = Vec::new();
        for it in self.acquirer.transactions().into_iter().filter(|it| it.payment_id == payment.as_str()) {
            let id = domain::AttemptId::parse(&it.attempt_id).unwrap();
            let attempt = self.stores.sales.find_attempt(&self.tenant, &id).await.unwrap();
            known.push((attempt.expect("every request has a stored attempt").part, it));
        }
        known
    }

    /// Returns the ports of a new process on the same store, after the leases of the earlier process have ended.
    pub(crate) async fn restart(&self) -> Ports {
        let ports = self.ports(None);
        ports.work.end_leases().await.unwrap();
        self.clock.advance(TimeDelta::seconds(61));
        ports
    }

    /// Runs due work until none is left.
    async fn work(ports: &Ports) {
        while run_due_work(ports, 20).await.unwrap() > 0 {}
    }

    /// Advances the clock by two hours, and runs due work at each due time.
    pub(crate) async fn pass_two_hours(clock: &TestClock, ports: &Ports) {
        Self::pass(clock, ports, TimeDelta::hours(2)).await;
    }

    /// Advances the clock by `time`, and runs due work at each due time.
    pub(crate) async fn pass(clock: &TestClock, ports: &Ports, time: TimeDelta) {
        let end = clock.now() + time;
        loop {
            Self::work(ports).await;
            match ports.work.next_due().await.unwrap() {
                Some(due) if due <= end => clock.set(due.max(clock.now() + TimeDelta::milliseconds(1))),
                _ => break,
            }
        }
        clock.set(end.max(clock.now()));
        Self::work(ports).await;
    }

    pub(crate) async fn sale(&self, payment: &PaymentId) -> Sale {
        self.stores.sales.find(&self.tenant, payment).await.unwrap().unwrap()
    }

    pub(crate) fn approved_charges(&self, payment: &PaymentId) -> usize {
        let of_payment = |it: &&sandbox::TransactionView| it.payment_id == payment.as_str() && it.status == "approved";
        self.acquirer.transactions().iter().filter(of_payment).count()
    }

    pub(crate) async fn accepted_documents(&self, sale: &Sale) -> usize {
        let domain::fiscal::DocumentStage::Issued(issued) = sale.document.stage() else { return 0 };
        let number = issued.numbered.number.as_str();
        let is_it = |it: &&sandbox::DocumentView| it.number == number && it.status == "accepted";
        self.authority.documents().await.unwrap().iter().filter(is_it).count()
    }

    /// Returns every number at the authority, in order.
    pub(crate) async fn numbers_at_authority(&self) -> Vec<String> {
        let documents = self.authority.documents().await.unwrap();
        let mut numbers: Vec<String> = documents.iter().map(|it| it.number.clone()).collect();
        numbers.sort();
        numbers
    }
}
