//! Ports that crash the process, as far as a test can: the task panics and drops its state.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use chrono::{NaiveDate, TimeDelta};
use domain::{
    AttemptId, CheckoutReference, FiscalDocumentId, MerchantAccountId, PaymentId, Symbols,
    attempt::Attempt,
    fiscal::{Numbered, Verdict},
    refund::RefundTerms,
    sale::Sale,
};
use ports::{
    AttemptRef, AuthStep, CardProvider, CardToken, Charge, Commit, Committed, Hold, Inquiry, ListedReturn, LookUp,
    NumberError, NumberRequest, NumberStore, Opening, ProviderResponse, RefundLookup, RefundRequest, RefundResponse,
    ReturnsUnlisted, SaleStore, Submission, TaxAuthority, Tenant, Unavailable,
};

/// Counts effects, and crashes at one of them.
#[derive(Clone)]
pub(crate) struct CrashTrigger {
    point: usize,
    /// Whether the process crashes again after each further `point` effects.
    repeats: bool,
    passed: Arc<AtomicUsize>,
}

impl CrashTrigger {
    /// Returns a trigger that crashes at the `point`th effect.
    pub(crate) fn at_effect(point: usize) -> Self {
        Self { point, repeats: false, passed: Arc::new(AtomicUsize::new(0)) }
    }

    /// Returns a trigger that crashes at every `point`th effect.
    pub(crate) fn every_effect(point: usize) -> Self {
        Self { repeats: true, ..Self::at_effect(point) }
    }

    /// Returns whether the process has crashed.
    pub(crate) fn has_fired(&self) -> bool {
        self.passed.load(Ordering::SeqCst) >= self.point
    }

    fn pass(&self) {
        let passed = self.passed.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        if passed == self.point || (self.repeats && passed.is_multiple_of(self.point)) {
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
pub(crate) struct CrashingPort<T: ?Sized> {
    pub(crate) port: Arc<T>,
    pub(crate) trigger: CrashTrigger,
}

macro_rules! with_crash_points {
    ($crashing:expr, $effect:expr) => {{
        $crashing.trigger.pass();
        let result = $effect.await;
        $crashing.trigger.pass();
        result
    }};
}

#[async_trait]
impl SaleStore for CrashingPort<dyn SaleStore> {
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
        with_crash_points!(self, self.port.commit(commit))
    }
}

#[async_trait]
impl NumberStore for CrashingPort<dyn NumberStore> {
    async fn assign(&self, request: NumberRequest) -> Result<Numbered, NumberError> {
        with_crash_points!(self, self.port.assign(request))
    }
}

#[async_trait]
impl CardProvider for CrashingPort<dyn CardProvider> {
    fn needs_opening(&self, opening: &Opening) -> bool {
        self.port.needs_opening(opening)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        with_crash_points!(self, self.port.open(opening))
    }

    fn supports_wallets(&self) -> bool {
        self.port.supports_wallets()
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        with_crash_points!(self, self.port.charge(charge))
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        with_crash_points!(self, self.port.continue_authentication(attempt_ref, reference, step))
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        self.port.hold_validity()
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        with_crash_points!(self, self.port.hold(charge))
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        with_crash_points!(self, self.port.capture(hold))
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        with_crash_points!(self, self.port.void(hold))
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        with_crash_points!(self, self.port.look_up(attempt))
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        with_crash_points!(self, self.port.reverse(attempt))
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        with_crash_points!(self, self.port.delete_token(account, card))
    }

    async fn refund_terms(&self, account: &MerchantAccountId) -> RefundTerms {
        with_crash_points!(self, self.port.refund_terms(account))
    }

    async fn refund(&self, refund: RefundRequest) -> RefundResponse {
        with_crash_points!(self, self.port.refund(refund))
    }

    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup {
        with_crash_points!(self, self.port.look_up_refund(refund))
    }

    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        with_crash_points!(self, self.port.list_returns(account, day))
    }
}

#[async_trait]
impl TaxAuthority for CrashingPort<dyn TaxAuthority> {
    async fn submit(&self, submission: Submission) -> Verdict {
        with_crash_points!(self, self.port.submit(submission))
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        with_crash_points!(self, self.port.inquire(inquiry))
    }
}
