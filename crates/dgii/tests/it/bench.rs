//! The adapter, the simulated authority, and a signer. xmlsec1 verifies the signatures.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use dgii::{Dgii, DgiiConnection};
use domain::fiscal::{DocumentKind, Environment, Route, TaxId};
use ports::{DocumentSigner, NoSignature, SignedXml, Tenant, TenantSigner};
use sandbox::{
    Authority, AuthorityBehavior, AuthorityService, Cut, Faults, Interruption, RunningServer, Schemas, Xmlsec,
};
use testkit::{
    authority::{AuthorityBackend, AuthorityHarness},
    memory::TestClock,
    sample::{noon, tenant},
};
use xml_signer::{Pkcs12, XmlSigner, read_pkcs12, self_signed_certificate};

/// Timeout that no successful request reaches.
pub(crate) const LONG_TIMEOUT: Duration = Duration::from_secs(8);

/// Last second of the validity of Ana's certificate.
pub(crate) static ANA_ENDS: LazyLock<DateTime<Utc>> = LazyLock::new(|| noon() + TimeDelta::days(3000));

/// A signer with a valid certificate.
static ANA: LazyLock<Pkcs12> = LazyLock::new(|| {
    let begins = noon() - TimeDelta::days(30);
    let file = self_signed_certificate("ANA PRUEBA", "IDCDO-00100000017", begins, *ANA_ENDS).unwrap();
    read_pkcs12(&file.pkcs12, &file.password).unwrap().remove(0)
});

pub(crate) async fn signed(xml: &str) -> SignedXml {
    XmlSigner::new().sign(&ANA.identity, xml.to_owned()).await.unwrap()
}

/// Signs and counts, or returns the error in `refuses`.
#[derive(Default)]
pub(crate) struct CountingSigner {
    pub(crate) signed: AtomicUsize,
    pub(crate) refuses: Mutex<Option<NoSignature>>,
}

#[async_trait]
impl TenantSigner for CountingSigner {
    async fn sign_for(&self, _tenant: &Tenant, document: String) -> Result<SignedXml, NoSignature> {
        if let Some(why) = self.refuses.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(why);
        }
        self.signed.fetch_add(1, Ordering::SeqCst);
        Ok(signed(&document).await)
    }
}

/// Adapter and authority with a common clock.
pub(crate) struct Bench {
    pub(crate) dgii: Arc<Dgii>,
    pub(crate) authority: Authority,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) signer: Arc<CountingSigner>,
    pub(crate) listening: RunningServer,
}

impl Bench {
    pub(crate) async fn new() -> Arc<Self> {
        Self::with(AuthorityBehavior::default()).await
    }

    pub(crate) async fn with(manner: AuthorityBehavior) -> Arc<Self> {
        Self::open(manner, None).await
    }

    /// Returns an authority that validates documents with the schemas in a folder.
    pub(crate) async fn with_schemas(folder: &Path) -> Arc<Self> {
        ecf_schemas::write_all(folder).unwrap();
        Self::open(AuthorityBehavior::default(), Some(Schemas::at(folder).unwrap())).await
    }

    async fn open(manner: AuthorityBehavior, schemas: Option<Schemas>) -> Arc<Self> {
        // The generation of a key blocks the thread, and with it the server.
        LazyLock::force(&ANA);
        let clock = Arc::new(TestClock::default());
        let verifier = Arc::new(Xmlsec::find().expect("xmlsec1 is installed"));
        let authority = Authority::in_memory(verifier, clock.clone(), Arc::new(Faults::default()));
        let authority = match schemas {
            Some(schemas) => authority.with_schemas(schemas),
            None => authority,
        };
        let service = AuthorityService {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            // A pooled connection would be cut later.
            keeps_connections: false,
            behavior: manner,
            clock: None,
        };
        let listening = authority.listen(service).await.unwrap();
        let signer = Arc::new(CountingSigner::default());
        let dgii = Arc::new(dgii(&format!("http://{}", listening.address()), signer.clone(), clock.clone()));
        Arc::new(Self { dgii, authority, clock, signer, listening })
    }

    pub(crate) fn counter(self: &Arc<Self>) -> AuthorityHarness {
        let (authority, clock) = (self.dgii.clone(), self.clock.clone());
        AuthorityHarness { authority, ranges: self.dgii.clone(), clock, backend: Box::new(Desk(Arc::clone(self))) }
    }

    /// Obtains a token, if none is cached.
    pub(crate) async fn enter(&self) {
        self.dgii.sign_in(&tenant(), Environment::PreCertification).await.unwrap();
    }

    pub(crate) fn interrupt(&self, cut: Cut, takes_effect: bool, operation: &str) {
        self.listening.interrupt(Interruption { cut, takes_effect, operation: Some(operation.to_owned()) });
    }

    pub(crate) async fn control(&self, method: reqwest::Method, what: &str, body: &str) {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let address = format!("http://{}/simulator/{what}", self.listening.address());
        let answer = client.request(method, address).body(body.to_owned()).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{what}");
    }

    pub(crate) fn signatures(&self) -> usize {
        self.signer.signed.load(Ordering::SeqCst)
    }
}

pub(crate) fn dgii(host: &str, signer: Arc<CountingSigner>, clock: Arc<TestClock>) -> Dgii {
    let connection =
        DgiiConnection { connect_timeout: LONG_TIMEOUT, timeout: LONG_TIMEOUT, ..DgiiConnection::to(host) };
    Dgii::new(connection, signer, clock).unwrap()
}

/// Returns the name of the reception service in interruptions.
pub(crate) const fn reception(route: Route) -> &'static str {
    match route {
        Route::Full => "recepcion",
        Route::Summary => "recepcionfc",
    }
}

struct Desk(Arc<Bench>);

#[async_trait]
impl AuthorityBackend for Desk {
    fn drop_next_request(&self, route: Route) {
        self.0.interrupt(Cut::AfterRequest, false, reception(route));
    }

    fn lose_next_response(&self, route: Route) {
        self.0.interrupt(Cut::AfterRequest, true, reception(route));
    }

    fn lose_next_annulment_response(&self) {
        self.0.interrupt(Cut::AfterRequest, true, "anulacionrangos");
    }

    fn grant(&self, issuer: &TaxId, kind: DocumentKind, first: u64, last: u64) {
        self.0.authority.grant(issuer, Environment::PreCertification, kind, first, last);
    }

    async fn sign(&self, xml: &str) -> SignedXml {
        signed(xml).await
    }

    async fn received(&self) -> usize {
        self.0.authority.documents().await.unwrap().len()
    }
}

pub(crate) async fn counter() -> AuthorityHarness {
    Bench::new().await.counter()
}
