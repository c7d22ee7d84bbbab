//! Ports that panic when they are called, until a test sets an expectation.

use std::{collections::BTreeMap, sync::Arc};

use app::{Caller, IdempotentRequest, KeyLeaseHandle, Ports, Rendered};
use chrono::{DateTime, Utc};
use domain::{
    Mode,
    account::Provider,
    credential::{CheckoutToken, Scope},
    money::AmountLimits,
    sale::Sale,
};
use ports::{
    MockArtifactStore, MockBacklog, MockCardProvider, MockCredentialStore, MockCredentialVault, MockDocumentComposer,
    MockDocumentPrinter, MockDocumentSigner, MockEmailStore, MockEventStore, MockIdempotencyStore,
    MockMerchantRegistry, MockMerchantStore, MockNumberStore, MockRefundStore, MockSaleSearch, MockSaleStore,
    MockSetupStore, MockTaxAuthority, MockTaxpayerDirectory, MockWebhookLog, MockWebhookQueue, MockWorkQueue, Setup,
    Signatory,
};
use testkit::{
    memory::{CountingIds, TestClock},
    sample,
};
use zeroize::Zeroizing;

#[derive(Default)]
pub(crate) struct Mocks {
    pub(crate) sales: MockSaleStore,
    pub(crate) search: MockSaleSearch,
    pub(crate) refunds: MockRefundStore,
    pub(crate) work: MockWorkQueue,
    pub(crate) idempotency: MockIdempotencyStore,
    pub(crate) credentials: MockCredentialStore,
    pub(crate) merchants: MockMerchantStore,
    pub(crate) numbers: MockNumberStore,
    pub(crate) artifacts: MockArtifactStore,
    pub(crate) deliveries: MockEmailStore,
    pub(crate) provider: MockCardProvider,
    pub(crate) authority: MockTaxAuthority,
    pub(crate) directory: MockTaxpayerDirectory,
    pub(crate) composer: MockDocumentComposer,
    pub(crate) signer: MockDocumentSigner,
    pub(crate) printer: MockDocumentPrinter,
    pub(crate) clock: Arc<TestClock>,
}

impl Mocks {
    pub(crate) fn into_ports(self) -> Ports {
        Ports {
            sales: Arc::new(self.sales),
            search: Arc::new(self.search),
            refunds: Arc::new(self.refunds),
            events: Arc::new(MockEventStore::new()),
            setup: Arc::new(MockSetupStore::new()),
            work: Arc::new(self.work),
            backlog: Arc::new(MockBacklog::new()),
            webhooks: Arc::new(MockWebhookQueue::new()),
            webhook_log: Arc::new(MockWebhookLog::new()),
            stored_cards: Arc::new(ports::MockStoredCards::new()),
            secrets: Arc::new(ports::MockSecretStore::new()),
            idempotency: Arc::new(self.idempotency),
            credentials: Arc::new(self.credentials),
            merchants: Arc::new(self.merchants),
            registry: Arc::new(MockMerchantRegistry::new()),
            numbers: Arc::new(self.numbers),
            artifacts: Arc::new(self.artifacts),
            deliveries: Arc::new(self.deliveries),
            providers: BTreeMap::from([(Provider::Simulator, Arc::new(self.provider) as _)]),
            accounts: BTreeMap::new(),
            breakers: Arc::default(),
            clock_guard: Arc::default(),
            catalog: Arc::default(),
            authority: Arc::new(self.authority),
            directory: Arc::new(self.directory),
            composer: Arc::new(self.composer),
            signer: Arc::new(self.signer),
            printer: Arc::new(self.printer),
            vault: Arc::new(open_vault()),
            clock: self.clock,
            ids: Arc::new(CountingIds::default()),
            limits: AmountLimits::default(),
        }
    }

    /// The merchant of the samples is set up, and the key was never used.
    pub(crate) fn ready_for_a_sale() -> Self {
        let mut mocks = Self::default();
        mocks.merchants.expect_setup().returning(|_| {
            let domain::sale::SaleContext { profile, accounts, issuer, .. } = sample::sale_context();
            Ok(Setup { profile: Some(profile), accounts, issuer, ..Setup::default() })
        });
        mocks.provider.expect_needs_opening().return_const(false);
        mocks
    }

    pub(crate) fn with_unused_key(mut self) -> Self {
        self.idempotency.expect_find().returning(|_, _| Ok(None));
        self
    }
}

/// A vault without encryption, so that a test can read its content.
fn open_vault() -> MockCredentialVault {
    let mut vault = MockCredentialVault::new();
    vault.expect_seal().returning(|_, secret| Ok(secret.to_vec()));
    vault.expect_open().returning(|_, sealed| Ok(Zeroizing::new(sealed.to_vec())));
    vault.expect_mac().returning(|purpose, message| squeeze(&[purpose.as_bytes(), message].concat()));
    vault.expect_digest().returning(squeeze);
    vault
}

/// Not a digest, but different for different short messages.
pub(crate) fn squeeze(message: &[u8]) -> [u8; 32] {
    let mut squeezed = [0_u8; 32];
    for (index, byte) in message.iter().enumerate() {
        squeezed[index % 32] = squeezed[index % 32].wrapping_mul(31).wrapping_add(*byte);
    }
    squeezed
}

/// The signatory of the samples' certificate.
pub(crate) fn signatory() -> Signatory {
    let (not_before, not_after) = (sample::noon(), sample::noon());
    let certificate = sample::stored_certificate(1).certificate;
    Signatory { subject: "CN=Rosa".to_owned(), certificate, not_before, not_after }
}

pub(crate) fn merchant() -> Caller {
    Caller::Merchant { key: sample::merchant_key(1), is_live_enabled: false }
}

/// The payer of that payment.
pub(crate) fn payer_of(tenant: &ports::Tenant, payment: &domain::PaymentId) -> Caller {
    Caller::Holder(CheckoutToken {
        digest: [0; 32],
        merchant: tenant.merchant.clone(),
        mode: tenant.mode,
        payment: payment.clone(),
        scope: Scope::Pay,
        expires_at: sample::noon() + chrono::TimeDelta::days(1),
        session: None,
    })
}

/// The payer of the `n`th sale.
pub(crate) fn payer(n: u32) -> Caller {
    Caller::Holder(CheckoutToken {
        digest: sample::digest(n),
        merchant: sample::merchant_id(1),
        mode: Mode::Test,
        payment: sample::payment_id(n),
        scope: Scope::Pay,
        expires_at: sample::noon() + chrono::TimeDelta::days(1),
        session: None,
    })
}

pub(crate) fn keyed() -> IdempotentRequest {
    IdempotentRequest {
        if_match: None,
        id: sample::request_id(1),
        key: "key-1".to_owned(),
        fingerprint_input: b"the request".to_vec(),
        lease: KeyLeaseHandle::default(),
    }
}

/// Response with the status only.
pub(crate) fn render(sale: &Sale, _: DateTime<Utc>) -> Rendered {
    Rendered { status: 201, etag: None, body: sale.payment.status().as_str().as_bytes().to_vec() }
}

pub(crate) fn body_of(response: &app::Response) -> &str {
    std::str::from_utf8(&response.rendered.body).unwrap()
}
