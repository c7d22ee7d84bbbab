//! Decorators that count the use of ports.

mod refunds;

use std::{sync::Arc, time::Instant};

use app::Ports;
use async_trait::async_trait;
use chrono::{NaiveDate, TimeDelta};
use domain::{
    AttemptId, CheckoutReference, EventKind, FiscalDocumentId, MerchantAccountId, PaymentId, Symbols,
    attempt::Attempt,
    fiscal::Verdict,
    refund::{RefundFinding, RefundTerms},
    sale::Sale,
};
use ports::{
    AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, Commit, Committed, Hold, Inquiry, ListedReturn,
    LookUp, Opening, ProviderResponse, RefundLookup, RefundRequest, RefundResponse, ReturnMethod, ReturnsUnlisted,
    SaleStore, Submission, TaxAuthority, Tenant, Unavailable,
};
use rest::{ExternalCall, Metrics};

/// Events that end or change a payment, with the `outcome` label of `cobro_payments_total`.
const OUTCOMES: [(EventKind, &str); 7] = [
    (EventKind::PaymentSucceeded, "succeeded"),
    (EventKind::PaymentPartiallyPaid, "partially_paid"),
    (EventKind::PaymentDeclined, "declined"),
    (EventKind::PaymentVerifying, "verifying"),
    (EventKind::PaymentVerificationEscalated, "verification_escalated"),
    (EventKind::PaymentCanceled, "canceled"),
    (EventKind::PaymentExpired, "expired"),
];

/// Returns the ports, with their use counted in `metrics`.
pub(crate) fn metered(ports: Ports, metrics: &Metrics) -> Ports {
    let providers = ports.providers.iter().map(|(name, provider)| {
        let metered = Metered { port: provider.clone(), name: Some(name.as_str()), metrics: metrics.clone() };
        (*name, Arc::new(metered) as Arc<dyn CardProvider>)
    });
    let authority = Metered { port: ports.authority.clone(), name: None, metrics: metrics.clone() };
    let sales = Metered { port: ports.sales.clone(), name: None, metrics: metrics.clone() };
    Ports { providers: providers.collect(), authority: Arc::new(authority), sales: Arc::new(sales), ..ports }
}

/// Port with metrics about its use.
struct Metered<P: ?Sized> {
    port: Arc<P>,
    /// The card provider; `None` for the tax authority.
    name: Option<&'static str>,
    metrics: Metrics,
}

impl<P: ?Sized> Metered<P> {
    async fn timed<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = T>,
        outcome: impl FnOnce(&T) -> &'static str,
    ) -> T {
        let begun = Instant::now();
        let answer = call.await;
        let duration = begun.elapsed();
        self.metrics.record_call(ExternalCall { provider: self.name, operation, outcome: outcome(&answer), duration });
        answer
    }
}

#[async_trait]
impl CardProvider for Metered<dyn CardProvider> {
    fn needs_opening(&self, opening: &Opening) -> bool {
        self.port.needs_opening(opening)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        self.timed("open", self.port.open(opening), of_answer).await
    }

    fn supports_wallets(&self) -> bool {
        self.port.supports_wallets()
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.timed("charge", self.port.charge(charge), of_answer).await
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        let call = self.port.continue_authentication(attempt_ref, reference, step);
        self.timed("continue_authentication", call, of_answer).await
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        self.port.hold_validity()
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.timed("hold", self.port.hold(charge), of_answer).await
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        self.timed("capture", self.port.capture(hold), of_answer).await
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.timed("void", self.port.void(hold), of_answer).await
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        let outcome = |found: &LookUp| if *found == LookUp::Unknown { "unknown" } else { "found" };
        self.timed("look_up", self.port.look_up(attempt), outcome).await
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        self.timed("reverse", self.port.reverse(attempt), of_answer).await
    }

    async fn refund_terms(&self, account: &MerchantAccountId) -> RefundTerms {
        self.port.refund_terms(account).await
    }

    async fn refund(&self, refund: RefundRequest) -> RefundResponse {
        let operation = match refund.method {
            ReturnMethod::Void => "void_charge",
            ReturnMethod::Refund => "refund",
        };
        self.timed(operation, self.port.refund(refund), refunds::of_response).await
    }

    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup {
        let outcome = |it: &RefundLookup| if it.finding == RefundFinding::Unknown { "unknown" } else { "found" };
        self.timed("look_up_refund", self.port.look_up_refund(refund), outcome).await
    }

    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        let outcome = |listed: &Result<_, _>| if listed.is_ok() { "found" } else { "unknown" };
        self.timed("list_returns", self.port.list_returns(account, day), outcome).await
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        let outcome = |is_gone: &bool| if *is_gone { "approved" } else { "unknown" };
        self.timed("forget", self.port.delete_token(account, card), outcome).await
    }
}

#[async_trait]
impl TaxAuthority for Metered<dyn TaxAuthority> {
    async fn submit(&self, submission: Submission) -> Verdict {
        self.timed("submit", self.port.submit(submission), of_verdict).await
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        self.timed("inquire", self.port.inquire(inquiry), of_verdict).await
    }
}

#[async_trait]
impl SaleStore for Metered<dyn SaleStore> {
    async fn find(&self, tenant: &Tenant, id: &PaymentId) -> Result<Option<Sale>, Unavailable> {
        self.port.find(tenant, id).await
    }

    async fn find_by_document(&self, tenant: &Tenant, id: &FiscalDocumentId) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_document(tenant, id).await
    }

    async fn find_by_reference(
        &self,
        tenant: &Tenant,
        reference: &CheckoutReference,
    ) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_reference(tenant, reference).await
    }

    async fn find_by_link(&self, link: &Symbols) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_link(link).await
    }

    async fn find_by_receipt(&self, reference: &CheckoutReference) -> Result<Option<Sale>, Unavailable> {
        self.port.find_by_receipt(reference).await
    }

    async fn find_challenged(&self, link: &Symbols) -> Result<Option<(Tenant, Attempt)>, Unavailable> {
        self.port.find_challenged(link).await
    }

    async fn find_attempt(&self, tenant: &Tenant, id: &AttemptId) -> Result<Option<Attempt>, Unavailable> {
        self.port.find_attempt(tenant, id).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, Unavailable> {
        let outcome = |kind| OUTCOMES.iter().find(|(it, _)| *it == kind).map(|(_, outcome)| *outcome);
        let outcomes: Vec<_> = commit.events.iter().filter_map(|event| outcome(event.kind)).collect();
        let refunds = refunds::RefundOutcomes::of(&commit);
        let committed = self.port.commit(commit).await;
        if matches!(committed, Ok(Committed::Done)) {
            outcomes.into_iter().for_each(|it| self.metrics.payment(it));
            refunds.count(&self.metrics);
        }
        committed
    }
}

fn of_answer(answer: &ProviderResponse) -> &'static str {
    match answer.outcome {
        CallOutcome::Opened => "opened",
        CallOutcome::Approved => "approved",
        CallOutcome::Declined(_) => "declined",
        CallOutcome::ActionRequired(_) => "action_required",
        CallOutcome::Ambiguous => "ambiguous",
        CallOutcome::NotSubmitted(_) => "not_submitted",
    }
}

const fn of_verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted(_) => "accepted",
        Verdict::Rejected { .. } => "rejected",
        Verdict::InProcess { .. } => "in_process",
        Verdict::Duplicate => "duplicate",
        Verdict::NotFound => "not_found",
        Verdict::Unknown => "unknown",
        Verdict::Unavailable => "unavailable",
        Verdict::Blocked(_) => "barred",
    }
}
