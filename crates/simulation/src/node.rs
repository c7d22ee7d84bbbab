//! One process: its ports, each of them a call that may fail.

use std::{collections::BTreeMap, sync::Arc};

use app::Ports;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    AttemptId, CheckoutReference, Currency, FiscalDocumentId, PaymentId, Symbols,
    account::Provider,
    attempt::Attempt,
    fiscal::{Addressee, DocumentKind, ExchangeRate},
    money::AmountLimits,
    payment::Payment,
    sale::{Sale, SaleContext},
};
use ports::{
    Clock, Commit, Committed, CredentialVault, IdempotencyStore, Ids, KeyLease, KeyRecord, KeyScope, KeyState,
    MerchantStore, Page, QueuedDocument, Revision, SaleFilter, SaleIdentifier, SaleSearch, SaleStore, Setup,
    StoredCertificate, Tenant, Unavailable, VaultSealed, Work, WorkQueue,
};
use testkit::sample;
use zeroize::Zeroizing;

use crate::{bug::Bug, check_refunds, executor::Process, world::World};

/// A process of the deployment.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) world: Arc<World>,
    pub(crate) process: Process,
    /// Begin of the request for a refund that the ports serve, if any.
    pub(crate) since: Option<DateTime<Utc>>,
}

impl Node {
    /// Returns a process of the world.
    pub(crate) const fn new(world: Arc<World>, process: Process) -> Self {
        Self { world, process, since: None }
    }

    /// Returns the ports of the process. Lists and set-up are not simulated: their calls panic.
    pub(crate) fn ports(&self) -> Ports {
        let node = Arc::new(self.clone());
        Ports {
            sales: node.clone(),
            search: node.clone(),
            refunds: node.clone(),
            events: node.clone(),
            work: node.clone(),
            backlog: Arc::new(ports::MockBacklog::new()),
            webhooks: node.clone(),
            webhook_log: Arc::new(ports::MockWebhookLog::new()),
            stored_cards: Arc::new(ports::MockStoredCards::new()),
            secrets: Arc::new(ports::MockSecretStore::new()),
            idempotency: node.clone(),
            credentials: Arc::new(ports::MockCredentialStore::new()),
            merchants: node.clone(),
            registry: Arc::new(ports::MockMerchantRegistry::new()),
            setup: Arc::new(ports::MockSetupStore::new()),
            numbers: node.clone(),
            artifacts: node.clone(),
            deliveries: Arc::new(ports::MockEmailStore::new()),
            providers: BTreeMap::from([(Provider::Simulator, node.clone() as _)]),
            accounts: BTreeMap::new(),
            breakers: Arc::default(),
            clock_guard: Arc::default(),
            catalog: Arc::default(),
            authority: node.clone(),
            directory: Arc::new(ports::MockTaxpayerDirectory::new()),
            composer: node.clone(),
            signer: node.clone(),
            printer: node.clone(),
            vault: node.clone(),
            clock: node.clone(),
            ids: node,
            limits: AmountLimits::default(),
        }
    }
}

#[async_trait]
impl SaleStore for Node {
    async fn find(&self, _: &Tenant, id: &PaymentId) -> Result<Option<Sale>, Unavailable> {
        self.world.ask(self.process, "find", |it| it.sale(id)).await
    }

    async fn find_by_document(&self, _: &Tenant, id: &FiscalDocumentId) -> Result<Option<Sale>, Unavailable> {
        self.world.ask(self.process, "find_by_document", |it| it.sale_of_document(id)).await
    }

    async fn find_by_reference(&self, _: &Tenant, _: &CheckoutReference) -> Result<Option<Sale>, Unavailable> {
        unreachable!("receipts are not simulated")
    }

    async fn find_by_receipt(&self, _: &CheckoutReference) -> Result<Option<Sale>, Unavailable> {
        unreachable!("receipts are not simulated")
    }

    async fn find_by_link(&self, _: &Symbols) -> Result<Option<Sale>, Unavailable> {
        unreachable!("pages are not simulated")
    }

    async fn find_challenged(&self, link: &Symbols) -> Result<Option<(Tenant, Attempt)>, Unavailable> {
        self.world.ask(self.process, "find_challenged", |it| it.challenged(link)).await
    }

    async fn find_attempt(&self, _: &Tenant, id: &AttemptId) -> Result<Option<Attempt>, Unavailable> {
        self.world.ask(self.process, "find_attempt", |it| it.attempts.get(id.as_str()).cloned()).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, Unavailable> {
        let Node { world, process, .. } = self;
        let transaction = |tables: &mut crate::tables::Tables| {
            let mut findings = Vec::new();
            let refund = commit.refund.as_ref().map(|change| &change.to);
            let before = refund.and_then(|refund| tables.refunds.find(&refund.facts.id)).cloned();
            let result = tables.commit(&commit, world.bug, &mut findings);
            if let Some(refund) = refund.filter(|_| result == Committed::Done) {
                let legs = (before.as_ref(), refund);
                check_refunds::ended_legs(tables, &world.bank.lock(), legs, world.now(), &mut findings);
            }
            world.report(*process, || describe(&commit, result));
            world.findings.lock().append(&mut findings);
            result
        };
        let result = world.ask(*process, "commit", transaction).await?;
        if world.bug == Some(Bug::CommitsInHalves) && result == Committed::Done {
            world.ask(*process, "commit, second half", |it| it.commit_rest(&commit)).await?;
        }
        Ok(result)
    }
}

/// Describes a commit for the report of a failure.
fn describe(commit: &Commit, result: Committed) -> String {
    let kinds: Vec<&str> = commit.events.iter().map(|it| it.kind.as_str()).collect();
    let attempts: Vec<String> =
        commit.attempts.iter().map(|it| format!("{} {:?}", it.kind.as_str(), it.state)).collect();
    let key = commit.key.as_ref().map(|it| match it.to.state {
        KeyState::InProgress { .. } => "held",
        KeyState::Reopened => "reopened",
        KeyState::Completed(_) => "completed",
        KeyState::Expired => "expired",
    });
    let refund = commit.refund.as_ref().map(|it| it.to.status());
    format!("commits {kinds:?} {attempts:?} refund {refund:?} key {key:?} about {}: {result:?}", commit.about)
}

#[async_trait]
impl SaleSearch for Node {
    /// Answers one question only: whether another payment paid the same bill.
    async fn search(&self, _: &Tenant, _: &SaleFilter, _: &Page) -> Result<Vec<Sale>, Unavailable> {
        self.world.ask(self.process, "search", |_| Vec::new()).await
    }

    async fn revisions(&self, _: &Tenant, id: &FiscalDocumentId, page: &Page) -> Result<Vec<Revision>, Unavailable> {
        self.world.ask(self.process, "revisions", |it| it.documents.revisions(id, page.limit)).await
    }

    async fn attempts(&self, _: &Tenant, _: &Payment) -> Result<Vec<Attempt>, Unavailable> {
        Ok(Vec::new())
    }

    async fn by_clue(&self, _: &Tenant, _: &SaleIdentifier, _: u16) -> Result<Vec<PaymentId>, Unavailable> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl IdempotencyStore for Node {
    async fn find(&self, scope: &KeyScope, digest: &[u8; 32]) -> Result<Option<KeyRecord>, Unavailable> {
        self.world.ask(self.process, "find_key", |it| it.key(scope, digest)).await
    }

    async fn renew(&self, hold: &KeyLease, lease_until: DateTime<Utc>) -> Result<bool, Unavailable> {
        self.world.ask(self.process, "renew", |it| it.renew(hold, lease_until)).await
    }

    async fn sweep(&self, _: DateTime<Utc>, _: DateTime<Utc>, _: u16) -> Result<u64, Unavailable> {
        Ok(0)
    }
}

#[async_trait]
impl WorkQueue for Node {
    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<Work>, Unavailable> {
        self.world.ask(self.process, "claim", |it| it.claim(now, lease_until, limit)).await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        Ok(self.world.tables.lock().next_due())
    }

    async fn check_writable(&self) -> Result<(), Unavailable> {
        Ok(())
    }

    async fn postpone(&self, work: &Work, until: DateTime<Utc>) -> Result<(), Unavailable> {
        self.world.ask(self.process, "postpone", |it| it.postpone(work, until)).await
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

#[async_trait]
impl MerchantStore for Node {
    async fn setup(&self, _: &Tenant) -> Result<Setup, Unavailable> {
        let SaleContext { profile, accounts, mut issuer, .. } = sample::sale_context();
        issuer.ranges.push(sample::range(DocumentKind::CreditNote));
        Ok(Setup { profile: Some(profile), accounts, issuer, ..Setup::default() })
    }

    async fn certificate(&self, _: &Tenant, _: DateTime<Utc>) -> Result<Option<StoredCertificate>, Unavailable> {
        Ok(Some(sample::stored_certificate(1)))
    }

    async fn exchange_rate(&self, _: &Tenant, _: Currency, _: NaiveDate) -> Result<Option<ExchangeRate>, Unavailable> {
        Ok(None)
    }
}

impl Clock for Node {
    fn now(&self) -> DateTime<Utc> {
        self.world.now()
    }
}

impl Ids for Node {
    fn generate(&self) -> Symbols {
        sample::symbols(self.world.fresh())
    }

    fn secret(&self) -> Symbols {
        self.generate()
    }
}

/// No secrets: equal input gives equal output.
impl CredentialVault for Node {
    fn seal(&self, _: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed> {
        Ok(secret.to_vec())
    }

    fn open(&self, _: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed> {
        Ok(Zeroizing::new(sealed.to_vec()))
    }

    fn reseal(&self, _: &str, _: &[u8]) -> Result<Option<Vec<u8>>, VaultSealed> {
        Ok(None)
    }

    fn mac(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        self.digest(&[purpose.as_bytes(), message].concat())
    }

    fn digest(&self, message: &[u8]) -> [u8; 32] {
        let mut digest = [0_u8; 32];
        for (place, byte) in message.iter().enumerate() {
            let at = place % 32;
            digest[at] = digest[at].wrapping_mul(31).wrapping_add(*byte).wrapping_add(1);
        }
        digest
    }
}
