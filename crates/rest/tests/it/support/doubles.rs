//! Ports that record, block or fail.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
};

use async_trait::async_trait;
use chrono::{NaiveDate, TimeDelta};
use domain::{
    AttemptId, CheckoutReference, FiscalDocumentId, MerchantAccountId, PaymentId, Symbols, attempt::Attempt,
    refund::RefundTerms, sale::Sale,
};
use ports::{
    Artifact, ArtifactKind, ArtifactStore, AttemptRef, AuthStep, CardProvider, CardToken, Charge, Commit, Committed,
    Hold, ListedReturn, LookUp, Opening, ProviderResponse, RefundLookup, RefundRequest, RefundResponse,
    ReturnsUnlisted, SaleStore, Tenant, Unavailable,
};
use tokio::sync::Semaphore;

/// Injected fault of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StoreFault {
    #[default]
    None,
    /// The store does not respond.
    Down,
    /// The store panics with a secret in the message.
    Panicking,
}

/// Store of sales that counts commits, blocks one, or fails.
pub(crate) struct ControlledSales {
    inner: Arc<dyn SaleStore>,
    fault: Mutex<StoreFault>,
    commits: AtomicUsize,
    opened: AtomicUsize,
    stale: AtomicUsize,
    blocks_next: AtomicBool,
    blocked: Semaphore,
    passes: Semaphore,
}

impl ControlledSales {
    pub(crate) fn on(inner: Arc<dyn SaleStore>) -> Self {
        Self {
            inner,
            fault: Mutex::default(),
            commits: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            stale: AtomicUsize::new(0),
            blocks_next: AtomicBool::new(false),
            blocked: Semaphore::new(0),
            passes: Semaphore::new(0),
        }
    }

    /// Blocks the next commit until [`let_commit_pass`](Self::let_commit_pass).
    pub(crate) fn block_next_commit(&self) {
        self.blocks_next.store(true, SeqCst);
    }

    /// Waits until a commit is blocked.
    pub(crate) async fn until_blocked(&self) {
        self.blocked.acquire().await.unwrap().forget();
    }

    pub(crate) fn let_commit_pass(&self) {
        self.passes.add_permits(1);
    }

    /// Number of stale commits.
    pub(crate) fn stale_commits(&self) -> usize {
        self.stale.load(SeqCst)
    }

    /// Number of commits.
    pub(crate) fn commits(&self) -> usize {
        self.commits.load(SeqCst)
    }

    /// Number of commits that created a payment.
    pub(crate) fn payments(&self) -> usize {
        self.opened.load(SeqCst)
    }

    pub(crate) fn fail(&self) {
        self.set(StoreFault::Down);
    }

    pub(crate) fn panic(&self) {
        self.set(StoreFault::Panicking);
    }

    pub(crate) fn recover(&self) {
        self.set(StoreFault::None);
    }

    fn set(&self, fault: StoreFault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    fn check_fault(&self) -> Result<(), Unavailable> {
        let fault = *self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match fault {
            StoreFault::None => Ok(()),
            StoreFault::Down => {
                Err(Unavailable { what: "the database", source: "FATAL: host=10.0.0.7 refused".into() })
            }
            StoreFault::Panicking => panic!("secret=4222220000000008"),
        }
    }
}

#[async_trait]
impl SaleStore for ControlledSales {
    async fn find(&self, tenant: &Tenant, id: &PaymentId) -> Result<Option<Sale>, Unavailable> {
        self.check_fault()?;
        self.inner.find(tenant, id).await
    }

    async fn find_by_document(&self, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Option<Sale>, Unavailable> {
        self.check_fault()?;
        self.inner.find_by_document(tenant, id).await
    }

    async fn find_by_reference(
        &self,
        tenant: &Tenant,
        reference: &CheckoutReference,
    ) -> Result<Option<Sale>, Unavailable> {
        self.check_fault()?;
        self.inner.find_by_reference(tenant, reference).await
    }

    async fn find_by_receipt(&self, reference: &CheckoutReference) -> Result<Option<Sale>, Unavailable> {
        self.check_fault()?;
        self.inner.find_by_receipt(reference).await
    }

    async fn find_by_link(&self, link: &Symbols) -> Result<Option<Sale>, Unavailable> {
        self.check_fault()?;
        self.inner.find_by_link(link).await
    }

    async fn find_challenged(&self, link: &Symbols) -> Result<Option<(Tenant, Attempt)>, Unavailable> {
        self.check_fault()?;
        self.inner.find_challenged(link).await
    }

    async fn find_attempt(&self, tenant: &Tenant, id: &AttemptId) -> Result<Option<Attempt>, Unavailable> {
        self.check_fault()?;
        self.inner.find_attempt(tenant, id).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, Unavailable> {
        self.check_fault()?;
        let is_new = commit.payment.as_ref().is_some_and(|it| it.based_on.is_none());
        if self.blocks_next.swap(false, SeqCst) {
            self.blocked.add_permits(1);
            self.passes.acquire().await.unwrap().forget();
        }
        let done = self.inner.commit(commit).await;
        self.stale.fetch_add(matches!(done, Ok(Committed::Stale)).into(), SeqCst);
        if matches!(done, Ok(Committed::Done)) {
            self.commits.fetch_add(1, SeqCst);
            self.opened.fetch_add(is_new.into(), SeqCst);
        }
        done
    }
}

/// A provider that can be blocked.
pub(crate) struct ControlledProvider {
    inner: Arc<dyn CardProvider>,
    blocks_calls: AtomicBool,
    blocks_responses: AtomicBool,
    /// Transaction that every response to a charge names in place of the real one.
    repeated: Mutex<Option<String>>,
    /// Charges whose voids and refunds have this response in place of a call.
    returns: Mutex<Option<(Vec<String>, RefundResponse)>>,
    arrived: Semaphore,
    passes: Semaphore,
}

impl ControlledProvider {
    pub(crate) fn before(inner: Arc<dyn CardProvider>) -> Self {
        let (blocks_calls, blocks_responses) = (AtomicBool::new(false), AtomicBool::new(false));
        let (arrived, passes) = (Semaphore::new(0), Semaphore::new(0));
        let (repeated, returns) = (Mutex::default(), Mutex::default());
        Self { inner, blocks_calls, blocks_responses, repeated, returns, arrived, passes }
    }

    /// Blocks each charge, hold and authentication step until [`let_one_pass`](Self::let_one_pass).
    pub(crate) fn block_calls(&self) {
        self.blocks_calls.store(true, SeqCst);
    }

    /// Blocks each response to a charge or a refund until [`let_one_pass`](Self::let_one_pass).
    pub(crate) fn block_responses(&self) {
        self.blocks_responses.store(true, SeqCst);
    }

    /// Makes every response to a charge name this transaction.
    pub(crate) fn repeat_transaction(&self, transaction: &str) {
        *self.repeated.lock().unwrap() = Some(transaction.to_owned());
    }

    /// Responds so to each void and refund of these charges, which never reach the acquirer; `None` ends this.
    pub(crate) fn intercept_returns(&self, returns: Option<(Vec<String>, RefundResponse)>) {
        *self.returns.lock().unwrap() = returns;
    }

    /// Blocks no further call or response.
    pub(crate) fn stop_blocking(&self) {
        self.blocks_calls.store(false, SeqCst);
        self.blocks_responses.store(false, SeqCst);
    }

    /// Waits until a call or response is blocked.
    pub(crate) async fn until_blocked(&self) {
        self.arrived.acquire().await.unwrap().forget();
    }

    pub(crate) fn let_one_pass(&self) {
        self.passes.add_permits(1);
    }

    async fn wait_if(&self, blocks: &AtomicBool) {
        if blocks.load(SeqCst) {
            self.arrived.add_permits(1);
            self.passes.acquire().await.unwrap().forget();
        }
    }
}

#[async_trait]
impl CardProvider for ControlledProvider {
    fn needs_opening(&self, opening: &Opening) -> bool {
        self.inner.needs_opening(opening)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        self.inner.open(opening).await
    }

    fn supports_wallets(&self) -> bool {
        self.inner.supports_wallets()
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.wait_if(&self.blocks_calls).await;
        let response = self.inner.charge(charge).await;
        self.wait_if(&self.blocks_responses).await;
        let repeated = self.repeated.lock().unwrap().clone();
        ProviderResponse { reference: repeated.or(response.reference), ..response }
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        self.wait_if(&self.blocks_calls).await;
        self.inner.continue_authentication(attempt_ref, reference, step).await
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        self.inner.hold_validity()
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.wait_if(&self.blocks_calls).await;
        let response = self.inner.hold(charge).await;
        self.wait_if(&self.blocks_responses).await;
        response
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        self.inner.capture(hold).await
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.inner.void(hold).await
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        self.inner.look_up(attempt).await
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        self.inner.reverse(attempt).await
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        self.inner.delete_token(account, card).await
    }

    async fn refund_terms(&self, account: &MerchantAccountId) -> RefundTerms {
        self.inner.refund_terms(account).await
    }

    async fn refund(&self, refund: RefundRequest) -> RefundResponse {
        let returns = self.returns.lock().unwrap().clone();
        match returns.filter(|(charges, _)| charges.iter().any(|it| it == refund.of.attempt.as_str())) {
            Some((_, response)) => response,
            None => {
                let response = self.inner.refund(refund).await;
                self.wait_if(&self.blocks_responses).await;
                response
            }
        }
    }

    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup {
        self.inner.look_up_refund(refund).await
    }

    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        self.inner.list_returns(account, day).await
    }
}

/// A store of artifacts that can corrupt them.
pub(crate) struct ControlledArtifacts {
    inner: Arc<dyn ArtifactStore>,
    is_corrupting: AtomicBool,
}

impl ControlledArtifacts {
    pub(crate) fn of(inner: Arc<dyn ArtifactStore>) -> Self {
        Self { inner, is_corrupting: AtomicBool::new(false) }
    }

    /// Changes a byte of each artifact from now on.
    pub(crate) fn corrupt(&self) {
        self.is_corrupting.store(true, SeqCst);
    }
}

#[async_trait]
impl ArtifactStore for ControlledArtifacts {
    async fn find(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
        revision: u32,
        kind: ArtifactKind,
    ) -> Result<Option<Artifact>, Unavailable> {
        let mut found = self.inner.find(tenant, document, revision, kind).await?;
        if let Some(artifact) = found.as_mut().filter(|_| self.is_corrupting.load(SeqCst)) {
            let middle = artifact.bytes.len() / 2;
            artifact.bytes[middle] ^= 1;
        }
        Ok(found)
    }
}
