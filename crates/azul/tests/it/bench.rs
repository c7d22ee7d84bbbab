//! The adapter and the simulated acquirer, connected by mutual TLS.

use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_trait::async_trait;
use azul::{AccountUnavailable, Azul, AzulAccount, AzulAccounts, AzulConnection, Hosts};
use domain::{Currency::Dop, MerchantAccountId, Money};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, SerialNumber};
use sandbox::{
    Acquirer, AcquirerProfile, AcquirerService, AcquirerTls, Cut, Faults, Interruption, LookupFormat, RunningServer,
    issuer_result,
};
use testkit::{
    memory::TestClock,
    provider::{ProviderBackend, ProviderCall},
    sample::{account_id, attempt_id},
};

use crate::counter::account;

/// Timeout that no successful request reaches.
pub(crate) const LONG_TIMEOUT: Duration = Duration::from_secs(8);

/// Certificates for the tests.
struct Certificates {
    authority: Authority,
    server: (String, String),
    client: String,
}

pub(crate) type Authority = CertifiedIssuer<'static, KeyPair>;

static CERTIFICATES: LazyLock<Certificates> = LazyLock::new(|| {
    let authority = authority();
    let (certificate, key) = signed("127.0.0.1", 1, &authority);
    let (shown, shown_key) = signed("shop.local", 7, &authority);
    Certificates { authority, server: (certificate, key), client: shown + &shown_key }
});

pub(crate) fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Returns a certificate for `name` with this serial number, and the key.
pub(crate) fn signed(name: &str, number: u64, by: &Authority) -> (String, String) {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.serial_number = Some(SerialNumber::from(number));
    let key = KeyPair::generate().unwrap();
    (params.signed_by(&key, by).unwrap().pem(), key.serialize_pem())
}

/// Returns one store for the first account, and another store for each other account.
struct Stores(Vec<u8>);

#[async_trait]
impl AzulAccounts for Stores {
    async fn account(&self, of: &MerchantAccountId) -> Result<Arc<AzulAccount>, AccountUnavailable> {
        let is_first = *of == account_id(1);
        let other =
            AzulAccount { store: "39000000002".to_owned(), auth1: "other".to_owned().into(), ..account(&self.0) };
        Ok(Arc::new(if is_first { account(&self.0) } else { other }))
    }
}

/// Adapter and acquirer with a common clock.
pub(crate) struct Bench {
    pub(crate) azul: Arc<Azul>,
    pub(crate) acquirer: Arc<Acquirer>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) listening: RunningServer,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(LookupFormat::Documented, false).await
    }

    pub(crate) async fn with(found: LookupFormat, keeps_connections: bool) -> Self {
        let clock = Arc::new(TestClock::default());
        let acquirer = Arc::new(Acquirer::in_memory(clock.clone(), Arc::new(Faults::default())));
        let listening = listen(&acquirer, found, keeps_connections).await;
        let azul = Arc::new(azul(&[&listening], CERTIFICATES.client.as_bytes(), clock.clone()));
        Self { azul, acquirer, clock, listening }
    }

    pub(crate) fn interrupt(&self, cut: Cut, takes_effect: bool, operation: &str) {
        self.listening.interrupt(Interruption { cut, takes_effect, operation: Some(operation.to_owned()) });
    }

    fn sum(&self, kind: &str, statuses: &[&str]) -> i64 {
        let all = self.acquirer.transactions();
        let counted = all.iter().filter(|it| it.kind == kind && statuses.contains(&it.status));
        counted.map(|it| it.amount_minor_units).sum()
    }
}

/// Returns the adapter with these hosts and this client certificate.
pub(crate) fn azul(servers: &[&RunningServer], identity: &[u8], clock: Arc<TestClock>) -> Azul {
    azul_within((LONG_TIMEOUT, LONG_TIMEOUT), servers, identity, clock)
}

/// Returns the adapter with other timeouts of requests and of look-ups.
pub(crate) fn azul_within(
    (timeout, query_timeout): (Duration, Duration),
    servers: &[&RunningServer],
    identity: &[u8],
    clock: Arc<TestClock>,
) -> Azul {
    let mut hosts = servers.iter().map(|it| format!("https://{}/WebServices/JSON/Default.aspx", it.address()));
    let hosts = Hosts { primary: hosts.next().unwrap(), secondary: hosts.next() };
    let ca_certificates = Some(CERTIFICATES.authority.pem().into_bytes());
    let connection = AzulConnection {
        ca_certificates,
        connect_timeout: LONG_TIMEOUT,
        timeout,
        query_timeout,
        ..AzulConnection::to(hosts)
    };
    Azul::new(connection, Arc::new(Stores(identity.to_vec())), clock)
}

/// Returns a certificate that the acquirer trusts, but that is not the merchant's.
pub(crate) fn certificate_of_another(number: u64) -> (String, String) {
    signed("other.local", number, &CERTIFICATES.authority)
}

pub(crate) fn client() -> &'static [u8] {
    CERTIFICATES.client.as_bytes()
}

pub(crate) async fn listen(acquirer: &Acquirer, found: LookupFormat, keeps_connections: bool) -> RunningServer {
    listen_for(acquirer, (found, keeps_connections), false).await
}

/// Starts the acquirer for an enabled or a disabled merchant.
pub(crate) async fn listen_for(
    acquirer: &Acquirer,
    (found, keeps_connections): (LookupFormat, bool),
    is_disabled: bool,
) -> RunningServer {
    let authority = CERTIFICATES.authority.pem().into_bytes();
    let (certificate, key) = &CERTIFICATES.server;
    let tls = AcquirerTls {
        certificates: certificate.clone().into_bytes(),
        key: key.clone().into_bytes(),
        client_ca: Some(authority),
    };
    let profile = AcquirerProfile {
        store: "39000000001".to_owned(),
        channel: "EC".to_owned(),
        auth1: "first-secret".to_owned(),
        auth2: "second-secret".to_owned(),
        certificate_serial: Some("07".to_owned()),
        may_hold: true,
        may_store_cards: true,
        has_3ds: true,
        is_disabled,
    };
    let other = AcquirerProfile { store: "39000000002".to_owned(), auth1: "other".to_owned(), ..profile.clone() };
    let service = AcquirerService {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        profiles: vec![profile, other],
        tls: Some(tls),
        keeps_connections,
        lookup_format: found,
        clock: None,
    };
    acquirer.listen(service).await.unwrap()
}

impl ProviderBackend for Bench {
    fn drop_next_request(&self) {
        self.interrupt(Cut::AtConnect, false, "");
    }

    fn lose_next_response(&self, to: ProviderCall) {
        let operation = match to {
            ProviderCall::Charge => "Sale",
            ProviderCall::Hold => "Hold",
            ProviderCall::Capture => "Post",
            ProviderCall::Void | ProviderCall::Reverse => "Void",
            ProviderCall::Refund => "Refund",
            ProviderCall::Looked => "ThreeDSMethod",
            ProviderCall::Answered => "ThreeDSChallenge",
        };
        self.interrupt(Cut::AfterRequest, true, operation);
    }

    fn authentication_result(&self, request: &str, is_authenticated: bool) -> String {
        issuer_result(request, is_authenticated).unwrap()
    }

    fn return_at_portal(&self, n: u32, minor_units: i64) {
        let amount = Money::new(minor_units, Dop);
        self.acquirer.refund_at_portal("39000000001", attempt_id(n).as_str(), amount).unwrap();
    }

    fn captured(&self) -> i64 {
        self.sum("sale", &["approved"]) + self.sum("hold", &["captured"]) - self.sum("refund", &["approved"])
    }

    fn authorized(&self) -> i64 {
        self.sum("hold", &["held"])
    }
}
