//! Ports that crash the process, as far as a test can: the task panics and drops its state.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    AttemptId, CheckoutReference, FiscalDocumentId, MerchantAccountId, PaymentId, Symbols,
    attempt::Attempt,
    fiscal::{Numbered, Verdict},
    sale::Sale,
};
use ports::{
    AttemptRef, AuthStep, CardProvider, CardToken, Charge, Commit, Committed, Hold, Inquiry, LookUp, NumberError,
    NumberRequest, NumberStore, Opening, ProviderResponse, SaleStore, Submission, TaxAuthority, Tenant, Unavailable,
};

/// Counts effects, and crashes at one of them.
#[derive(Clone)]
pub(crate) struct Fuse {
    point: usize,
    /// Whether the fuse burns again after the same number of effects.
    is_renewed: bool,
    passed: Arc<AtomicUsize>,
}

impl Fuse {
    pub(crate) fn burning_at(point: usize) -> Self {
        Self { point, is_renewed: false, passed: Arc::new(AtomicUsize::new(0)) }
    }

    /// A fuse that burns at every so manieth effect.
    pub(crate) fn burning_every(point: usize) -> Self {
        Self { is_renewed: true, ..Self::burning_at(point) }
    }

    pub(crate) fn is_burnt(&self) -> bool {
        self.passed.load(Ordering::SeqCst) >= self.point
    }

    fn pass(&self) {
        let passed = self.passed.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        if passed == self.point || (self.is_renewed && passed.is_multiple_of(self.point)) {
            // Unwinds without a panic message, as a process ends.
            std::panic::resume_unwind(Box::new("the process ends here"));
        }
    }
}

/// Runs `process`, and returns whether it completed.
pub(crate) async fn survives(process: impl Future<Output = ()> + Send + 'static) -> bool {
    tokio::spawn(process).await.is_ok()
}

/// A port with crash points: one before and one after each effect.
pub(crate) struct Fused<T: ?Sized> {
    pub(crate) port: Arc<T>,
    pub(crate) fuse: Fuse,
}

macro_rules! burning {
    ($fused:expr, $effect:expr) => {{
        $fused.fuse.pass();
        let result = $effect.await;
        $fused.fuse.pass();
        result
    }};
}

#[async_trait]
impl SaleStore for Fused<dyn SaleStore> {
    async fn find(&self, tenant: &Tenant, id: &PaymentId) -> Result<Option<Sale>, Unavailable> {
        self.port.find(tenant, id).await
    }

    async fn find_by_document(&self, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_document(tenant, id).await
    }

    async fn find_by_reference(&self, tenant: &Tenant, it: &CheckoutReference) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_reference(tenant, it).await
    }

    async fn find_by_receipt(&self, it: &CheckoutReference) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_receipt(it).await
    }

    async fn find_by_link(&self, link: &Symbols) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_link(link).await
    }

    async fn find_challenged(&self, link: &Symbols) -> Result<Option<(Tenant, Attempt)>, Unavailable> {
        self.port.find_challenged(link).await
    }

    async fn find_attempt(&self, tenant: &Tenant, id: &AttemptId) -> Result<Option<Attempt>, Unavailable> {
        self.port.find_attempt(tenant, id).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, Unavailable> {
        burning!(self, self.port.commit(commit))
    }
}

#[async_trait]
impl NumberStore for Fused<dyn NumberStore> {
    async fn assign(&self, request: NumberRequest) -> Result<Numbered, NumberError> {
        burning!(self, self.port.assign(request))
    }
}

#[async_trait]
impl CardProvider for Fused<dyn CardProvider> {
    fn needs_opening(&self, opening: &Opening) -> bool {
        self.port.needs_opening(opening)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        burning!(self, self.port.open(opening))
    }

    fn supports_wallets(&self) -> bool {
        self.port.supports_wallets()
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        burning!(self, self.port.charge(charge))
    }

    async fn continue_authentication(
        &self,
        of: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        burning!(self, self.port.continue_authentication(of, reference, step))
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        self.port.hold_validity()
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        burning!(self, self.port.hold(charge))
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        burning!(self, self.port.capture(hold))
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        burning!(self, self.port.void(hold))
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        burning!(self, self.port.look_up(attempt))
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        burning!(self, self.port.reverse(attempt))
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        burning!(self, self.port.delete_token(account, card))
    }
}

#[async_trait]
impl TaxAuthority for Fused<dyn TaxAuthority> {
    async fn submit(&self, submission: Submission) -> Verdict {
        burning!(self, self.port.submit(submission))
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        burning!(self, self.port.inquire(inquiry))
    }
}
