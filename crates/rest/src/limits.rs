//! Rate limits and concurrency limits.

mod address_counts;
mod bucket;
mod clock;
mod concurrency;
mod failed_attempts;
mod list_permits;
mod operation_limits;
mod rate_limited;
mod status;
#[cfg(test)]
mod tests;

use std::{
    net::IpAddr,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use app::{Authentication, Caller, Error, Tenant};
use domain::{Mode, PaymentId};
use governor::clock::Clock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::{
    bucket::Bucket,
    concurrency::{ConnectionPermit, PAYERS, PerAddressConcurrency, TAXPAYERS},
    failed_attempts::FailedAttemptLimiter,
    list_permits::ListPermits,
    operation_limits::OperationLimits,
    status::LimitStatus,
};

pub use self::clock::MonotonicClock;
pub(crate) use self::{
    address_counts::{AddressCounts, CountedAddress},
    list_permits::ListPermit,
    rate_limited::RateLimited,
    status::RateLimitStatus,
};

pub(crate) const SUBMISSION: &str = "submitCard";

/// Interval at which addresses and keys without recent requests are removed.
const TRIM_INTERVAL: Duration = Duration::from_secs(60);
/// Requests that a process serves at once. More would only wait for each other.
const CONCURRENT_REQUESTS: usize = 256;
const _: () = assert!(PAYERS + TAXPAYERS < CONCURRENT_REQUESTS, "merchants have permits left");
/// Connections that a process accepts. Further ones stay in the listener's backlog.
const CONNECTIONS: usize = 2048;

/// Invalid credentials a minute from one address.
const CREDENTIALS: u32 = 10;
/// Invalid links a minute from one address. Many payers can be behind one address of a mobile network.
const LINKS: u32 = 20;
/// Requests a minute from one address of another taxpayer: a supplier sends all documents from one address.
const INTERCHANGES: u32 = 240;
/// Card submissions a minute from one address: all guests of a restaurant share one address.
const CARDS_OF_AN_ADDRESS: u32 = 240;
/// Sessions a minute that one address opens by the link of one payment. The button of its page has the same limit.
const SESSIONS: u32 = 30;

/// Limits of a process, shared by all servers. A refusal states when to retry.
#[derive(Clone)]
pub struct Limits {
    buckets: Arc<Buckets>,
    requests: Arc<Semaphore>,
    payers: PerAddressConcurrency,
    taxpayers: PerAddressConcurrency,
    connections: usize,
}

struct Buckets {
    clock: MonotonicClock,
    test: Bucket<[u8; 32]>,
    live: Bucket<[u8; 32]>,
    operations: Option<OperationLimits>,
    addresses: Option<AddressLimits>,
    lists: ListPermits,
    trimmed: Mutex<Instant>,
}

/// Limits by address, which apply before authentication.
struct AddressLimits {
    submissions: Bucket<IpAddr>,
    interchanges: Bucket<IpAddr>,
    sessions: Bucket<(IpAddr, PaymentId)>,
    started_sessions: Bucket<(IpAddr, PaymentId)>,
    failed_credentials: FailedAttemptLimiter,
    failed_links: FailedAttemptLimiter,
    failed_interchanges: FailedAttemptLimiter,
}

/// Sender of a body outside the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodySender {
    /// A payer, with a form of a page.
    Payer,
    /// Another taxpayer, with a document.
    Taxpayer,
}

/// Permit of one of the concurrent requests, freed on drop.
#[derive(Clone)]
pub(crate) struct RequestPermit(Arc<(OwnedSemaphorePermit, Option<ConnectionPermit>)>);

impl RequestPermit {
    /// Marks the body of the request as complete.
    pub(crate) fn body_arrived(&self) {
        if let Some(permit) = &self.0.1 {
            permit.release_address();
        }
    }
}

impl Limits {
    /// Limits of production.
    pub fn standard(clock: MonotonicClock) -> Self {
        Self::with_all(number(25), number(100), clock)
    }

    /// Limits of a sandbox: one wide limit for each key.
    pub fn sandbox() -> Self {
        Self::of(number(1000), number(1000), None, None, MonotonicClock::default())
    }

    /// Limits of a sandbox for tests of limits: `per_second` for each key, and all other limits of production.
    pub fn sandbox_with(per_second: NonZeroU32, clock: MonotonicClock) -> Self {
        Self::with_all(per_second, per_second, clock)
    }

    /// Replaces the number of concurrent requests and of connections.
    pub fn with_concurrency(self, requests: usize, connections: usize) -> Self {
        Self { requests: Arc::new(Semaphore::new(requests)), connections, ..self }
    }

    fn with_all(test: NonZeroU32, live: NonZeroU32, clock: MonotonicClock) -> Self {
        let (operations, addresses) = (OperationLimits::standard(&clock), AddressLimits::standard(&clock));
        Self::of(test, live, Some(operations), Some(addresses), clock)
    }

    fn of(
        test: NonZeroU32,
        live: NonZeroU32,
        operations: Option<OperationLimits>,
        addresses: Option<AddressLimits>,
        clock: MonotonicClock,
    ) -> Self {
        let [test, live] = [test, live].map(|per_second| Bucket::bursting("key", per_second, &clock));
        let trimmed = Mutex::new(clock.now());
        let lists = ListPermits::default();
        Self {
            buckets: Arc::new(Buckets { clock, test, live, operations, addresses, lists, trimmed }),
            requests: Arc::new(Semaphore::new(CONCURRENT_REQUESTS)),
            payers: PerAddressConcurrency::of(PAYERS),
            taxpayers: PerAddressConcurrency::of(TAXPAYERS),
            connections: CONNECTIONS,
        }
    }

    /// Connections that a process accepts.
    pub(crate) const fn connections(&self) -> usize {
        self.connections
    }

    /// Returns a permit for a request, or a refusal at once: a queue of requests could grow without end.
    pub(crate) fn admit_request(&self) -> Result<RequestPermit, RateLimited> {
        self.permit(None)
    }

    /// Returns a permit for a request outside the API with a body, which may arrive slowly.
    pub(crate) fn admit_body(&self, sender: BodySender, address: Option<IpAddr>) -> Result<RequestPermit, RateLimited> {
        let address = self.by_address(address).map(|(_, address)| address);
        let senders = match sender {
            BodySender::Payer => &self.payers,
            BodySender::Taxpayer => &self.taxpayers,
        };
        self.permit(Some(senders.admit(address)?))
    }

    fn permit(&self, sender: Option<ConnectionPermit>) -> Result<RequestPermit, RateLimited> {
        let permit = self.requests.clone().try_acquire_owned();
        permit
            .map(|permit| RequestPermit(Arc::new((permit, sender))))
            .map_err(|_| RateLimited::after("process", Duration::ZERO))
    }

    /// Waits for a permit to read a list.
    pub(crate) async fn list(&self, tenant: &Tenant) -> Result<ListPermit, RateLimited> {
        self.buckets.lists.acquire(tenant).await
    }

    /// Checks the limits of an address before authentication, and counts a card submission.
    pub(crate) fn admit(&self, address: Option<IpAddr>, operation: &str) -> Result<(), RateLimited> {
        self.check(address, |limits, address, now| {
            limits.failed_credentials.check(address, now)?;
            if operation == SUBMISSION { limits.submissions.take(&address).map(drop) } else { Ok(()) }
        })
    }

    /// Counts an authentication that failed because the credential does not exist.
    pub(crate) fn record_failure(&self, address: Option<IpAddr>, error: &Error) {
        let unknown = [Authentication::ApiKeyInvalid, Authentication::CheckoutTokenInvalid];
        if matches!(error, Error::Authentication(code) if unknown.contains(code)) {
            self.record(address, |limits| &limits.failed_credentials);
        }
    }

    /// Checks that an address has not tried too many invalid links.
    pub(crate) fn admit_link(&self, address: Option<IpAddr>) -> Result<(), RateLimited> {
        self.check(address, |limits, address, now| limits.failed_links.check(address, now))
    }

    /// Counts a session that an address opens by the link of the payment.
    pub(crate) fn admit_session(&self, address: Option<IpAddr>, payment: &PaymentId) -> Result<(), RateLimited> {
        self.check(address, |limits, address, _| limits.sessions.take(&(address, payment.clone())).map(drop))
    }

    /// Counts a session that an address starts with the button of the payment's page.
    pub(crate) fn admit_started_session(
        &self,
        address: Option<IpAddr>,
        payment: &PaymentId,
    ) -> Result<(), RateLimited> {
        self.check(address, |limits, address, _| limits.started_sessions.take(&(address, payment.clone())).map(drop))
    }

    /// Counts a request of another taxpayer: each may cost the verification of a signature and a new one.
    pub(crate) fn admit_interchange(&self, address: Option<IpAddr>) -> Result<(), RateLimited> {
        self.check(address, |limits, address, now| {
            limits.failed_interchanges.check(address, now)?;
            limits.interchanges.take(&address).map(drop)
        })
    }

    /// Counts an invalid link.
    pub(crate) fn record_invalid_link(&self, address: Option<IpAddr>) {
        self.record(address, |limits| &limits.failed_links);
    }

    /// Counts an invalid seed or token of another taxpayer. Payers behind the same address can still open their links.
    pub(crate) fn record_failed_interchange(&self, address: Option<IpAddr>) {
        self.record(address, |limits| &limits.failed_interchanges);
    }

    /// Returns the status of the limits for a client that is not authenticated.
    pub(crate) fn unauthenticated_status(&self, address: Option<IpAddr>) -> RateLimitStatus {
        let quota = self.buckets.test.quota();
        let address = self.by_address(address).map(|(limits, address)| {
            let FailedAttemptLimiter { quota, .. } = limits.failed_credentials;
            let (remaining, wait) = limits.failed_credentials.remaining(address, self.buckets.clock.now());
            let reset = RateLimited::after("failures", wait).retry_after;
            LimitStatus { quota, window: failed_attempts::WINDOW.as_secs(), remaining, reset }
        });
        RateLimitStatus { key: LimitStatus::per_second(quota, quota), address }
    }

    /// Charges the limits of the caller's credential. Returns their status, whether or not they refuse the request.
    pub(crate) fn charge(&self, caller: &Caller, operation: &str) -> (RateLimitStatus, Result<(), RateLimited>) {
        let digest = match caller {
            Caller::Merchant { key, .. } => &key.digest,
            Caller::Holder(token) => &token.digest,
        };
        let bucket = match caller.tenant().mode {
            Mode::Test => &self.buckets.test,
            Mode::Live => &self.buckets.live,
        };
        let quota = bucket.quota();
        let status = |remaining| RateLimitStatus { key: LimitStatus::per_second(quota, remaining), address: None };
        match bucket.take(digest) {
            Ok(remaining) => {
                let charged = self.of_operations(|limits| limits.charge(digest, operation));
                (status(remaining.min(quota)), charged)
            }
            Err(refused_by) => (status(0).exhausted(refused_by), Err(refused_by)),
        }
    }

    /// Counts a card submission for the payment or one part of it.
    pub(crate) fn admit_submission(&self, payment: &PaymentId, part: Option<u8>) -> Result<(), RateLimited> {
        self.of_operations(|limits| limits.admit_submission(payment, part))
    }

    /// Counts a refund of the payment, or an attribution.
    pub(crate) fn admit_refund(&self, payment: &PaymentId) -> Result<(), RateLimited> {
        self.of_operations(|limits| limits.admit_refund(payment))
    }

    /// Counts a preview of a refund of the payment.
    pub(crate) fn admit_preview(&self, payment: &PaymentId) -> Result<(), RateLimited> {
        self.of_operations(|limits| limits.admit_preview(payment))
    }

    fn of_operations(
        &self,
        check: impl FnOnce(&OperationLimits) -> Result<(), RateLimited>,
    ) -> Result<(), RateLimited> {
        self.buckets.operations.as_ref().map_or(Ok(()), check)
    }

    /// Checks the limits of an address, if addresses are limited and the address is known.
    fn check(
        &self,
        address: Option<IpAddr>,
        check: impl FnOnce(&AddressLimits, IpAddr, Instant) -> Result<(), RateLimited>,
    ) -> Result<(), RateLimited> {
        self.buckets.trim();
        let Some((limits, address)) = self.by_address(address) else { return Ok(()) };
        check(limits, address, self.buckets.clock.now())
    }

    /// Counts a failed attempt of an address.
    fn record(&self, address: Option<IpAddr>, limiter: fn(&AddressLimits) -> &FailedAttemptLimiter) {
        if let Some((limits, address)) = self.by_address(address) {
            limiter(limits).record(address, self.buckets.clock.now());
        }
    }

    /// Returns the limits by address with the address to count, if addresses are limited.
    fn by_address(&self, address: Option<IpAddr>) -> Option<(&AddressLimits, IpAddr)> {
        Some((self.buckets.addresses.as_ref()?, ipv6_prefix_64(address?)))
    }
}

impl Buckets {
    fn trim(&self) {
        let now = self.clock.now();
        let mut trimmed = self.trimmed.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(*trimmed) < TRIM_INTERVAL {
            return;
        }
        *trimmed = now;
        self.test.trim();
        self.live.trim();
        if let Some(limits) = &self.operations {
            limits.trim();
        }
        if let Some(limits) = &self.addresses {
            limits.submissions.trim();
            limits.interchanges.trim();
            limits.sessions.trim();
            limits.started_sessions.trim();
            limits.failed_credentials.trim(now);
            limits.failed_links.trim(now);
            limits.failed_interchanges.trim(now);
        }
        self.lists.trim();
    }
}

impl AddressLimits {
    // The names are values of the label `limit` of the metrics.
    fn standard(clock: &MonotonicClock) -> Self {
        let [sessions, started_sessions] =
            ["sessions", "started_sessions"].map(|name| Bucket::per_minute(name, number(SESSIONS), clock));
        Self {
            submissions: Bucket::per_minute("cards_of_an_address", number(CARDS_OF_AN_ADDRESS), clock),
            interchanges: Bucket::per_minute("exchanges", number(INTERCHANGES), clock),
            sessions,
            started_sessions,
            failed_credentials: FailedAttemptLimiter::of("failures", CREDENTIALS),
            failed_links: FailedAttemptLimiter::of("guesses", LINKS),
            failed_interchanges: FailedAttemptLimiter::of("strangers", LINKS),
        }
    }
}

/// Returns the /64 network of an IPv6 address, the smallest that a customer is assigned; an IPv4 address unchanged.
pub(crate) fn ipv6_prefix_64(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
        address @ IpAddr::V4(_) => address,
    }
}

const fn number(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).expect("a limit is above zero")
}
