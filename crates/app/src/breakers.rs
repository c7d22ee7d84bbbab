//! Circuit breakers of provider accounts.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    MerchantAccountId,
    breaker::Breaker,
    refund::{RefundFinding, RefundTerms},
};
use ports::{
    AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, Clock, Hold, ListedReturn, LookUp,
    NotSubmitted, Opening, ProviderResponse, RefundLookup, RefundRequest, RefundResponse, ReturnsUnlisted,
};

/// Maximum number of watched accounts. Further accounts have no breaker: their calls are always made.
const WATCHED: usize = 4096;

/// The breakers of this process, one for each account after a call that did not reach the provider.
///
/// They are not durable: each process has its own.
#[derive(Debug, Default)]
pub struct Breakers(Mutex<BTreeMap<MerchantAccountId, Breaker>>);

impl Breakers {
    /// Whether the breaker of the account admits a call now.
    pub fn admits(&self, account: &MerchantAccountId, now: DateTime<Utc>) -> bool {
        self.all().get(account).is_none_or(|it| it.admits(now))
    }

    /// How many accounts are left alone.
    pub fn open(&self) -> usize {
        self.all().values().filter(|it| it.is_open()).count()
    }

    /// Begins a call, if the breaker admits one.
    fn begin(&self, account: &MerchantAccountId, now: DateTime<Utc>) -> bool {
        let mut all = self.all();
        let Some(breaker) = all.get_mut(account) else { return true };
        let begun = breaker.begin(now);
        *breaker = begun.unwrap_or(*breaker);
        begun.is_some()
    }

    fn reached(&self, account: &MerchantAccountId) {
        if self.all().remove(account).is_some_and(Breaker::is_open) {
            tracing::info!(%account, "the provider is reached again");
        }
    }

    fn missed(&self, account: &MerchantAccountId, now: DateTime<Utc>) {
        let mut all = self.all();
        let before = all.get(account).copied();
        if before.is_none() && all.len() >= WATCHED {
            return;
        }
        let after = before.unwrap_or_default().failed(now);
        if after.is_open() && !before.is_some_and(Breaker::is_open) {
            tracing::error!(%account, "the provider is unreachable: its circuit breaker opens for a while");
        }
        all.insert(account.clone(), after);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<MerchantAccountId, Breaker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A provider behind circuit breakers.
pub(crate) struct Guarded {
    pub(crate) provider: Arc<dyn CardProvider>,
    pub(crate) breakers: Arc<Breakers>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Guarded {
    /// Makes a call that moves money, unless the breaker is open. With an open breaker the call was provably not
    /// submitted.
    async fn call<T: FinancialResponse>(&self, account: MerchantAccountId, call: impl Future<Output = T> + Send) -> T {
        if !self.breakers.begin(&account, self.clock.now()) {
            return T::unreached();
        }
        let response = call.await;
        match response.is_reached() {
            Some(false) => self.breakers.missed(&account, self.clock.now()),
            // The response may have been lost after the provider was reached.
            None => {}
            Some(true) => self.breakers.reached(&account),
        }
        response
    }
}

/// Response to a call that moves money.
trait FinancialResponse {
    /// Returns the response of a provider that cannot be reached.
    fn unreached() -> Self;

    /// Whether the provider was reached; `None` if the response does not show this.
    fn is_reached(&self) -> Option<bool>;
}

impl FinancialResponse for ProviderResponse {
    fn unreached() -> Self {
        let outcome = CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
        Self { outcome, reference: None, token: None }
    }

    fn is_reached(&self) -> Option<bool> {
        match self.outcome {
            CallOutcome::NotSubmitted(NotSubmitted::Unavailable) => Some(false),
            CallOutcome::Ambiguous => None,
            _ => Some(true),
        }
    }
}

impl FinancialResponse for RefundResponse {
    fn unreached() -> Self {
        Self::NotSubmitted(NotSubmitted::Unavailable)
    }

    fn is_reached(&self) -> Option<bool> {
        match self {
            Self::NotSubmitted(NotSubmitted::Unavailable) => Some(false),
            Self::Ambiguous => None,
            _ => Some(true),
        }
    }
}

#[async_trait]
impl CardProvider for Guarded {
    fn needs_opening(&self, opening: &Opening) -> bool {
        self.provider.needs_opening(opening)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        self.call(opening.attempt.account.clone(), self.provider.open(opening)).await
    }

    fn supports_wallets(&self) -> bool {
        self.provider.supports_wallets()
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.call(charge.attempt.account.clone(), self.provider.charge(charge)).await
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        self.call(attempt_ref.account.clone(), self.provider.continue_authentication(attempt_ref, reference, step))
            .await
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        self.provider.hold_validity()
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.call(charge.attempt.account.clone(), self.provider.hold(charge)).await
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        self.call(hold.attempt.account.clone(), self.provider.capture(hold)).await
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.call(hold.attempt.account.clone(), self.provider.void(hold)).await
    }

    /// Looks an attempt up, also while the breaker is open.
    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        let account = attempt.account.clone();
        let found = self.provider.look_up(attempt).await;
        if found != LookUp::Unknown {
            self.breakers.reached(&account);
        }
        found
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        self.call(attempt.account.clone(), self.provider.reverse(attempt)).await
    }

    async fn refund_terms(&self, account: &MerchantAccountId) -> RefundTerms {
        self.provider.refund_terms(account).await
    }

    async fn refund(&self, refund: RefundRequest) -> RefundResponse {
        self.call(refund.attempt.account.clone(), self.provider.refund(refund)).await
    }

    /// Looks a void or a refund up, also while the breaker is open.
    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup {
        let account = refund.attempt.account.clone();
        let found = self.provider.look_up_refund(refund).await;
        if found.finding != RefundFinding::Unknown {
            self.breakers.reached(&account);
        }
        found
    }

    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        self.provider.list_returns(account, day).await
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        self.provider.delete_token(account, card).await
    }
}
