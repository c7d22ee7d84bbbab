//! How often anybody may ask.

mod bucket;
mod strikes;

use std::{
    net::IpAddr,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use app::{Authentication, Caller, Error};
use domain::{Mode, PaymentId};

use self::{bucket::Bucket, strikes::Strikes};
use crate::problem::Problem;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit");

const CREATION: &str = "POST /v1/payments";
const TOKEN: &str = "POST /v1/checkout_tokens";
const SUBMISSION: &str = "POST /v1/payments/{paymentId}/card-submissions";

/// How often those are forgotten who have not asked for long.
const TRIMMING: Duration = Duration::from_secs(60);

/// Whoever asks too often is told when to come back. All servers of one process share it.
#[derive(Clone)]
pub struct Limits(Arc<Buckets>);

struct Buckets {
    test: Bucket<[u8; 32]>,
    live: Bucket<[u8; 32]>,
    operations: Option<Operations>,
    addresses: Option<Addresses>,
    trimmed: Mutex<Instant>,
}

/// What some operations cost more of.
struct Operations {
    creations: Bucket<[u8; 32]>,
    tokens: Bucket<[u8; 32]>,
    submissions: Bucket<PaymentId>,
}

/// What is counted before anybody is known.
struct Addresses {
    submissions: Bucket<IpAddr>,
    strikes: Strikes,
    /// Whether an address of this machine or of a private network is taken for the proxy's: to
    /// count it would lock everybody out for what one of them did.
    spares_proxies: bool,
}

/// What a caller has left, as its answer says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    quota: u32,
    remaining: u32,
}

impl Limits {
    /// Those of production.
    pub fn standard() -> Self {
        Self::of(number(25), number(100), Some(Operations::standard()), Some(Addresses::standard(true)))
    }

    /// Those of a sandbox: one wide limit for each key, and nothing else.
    pub fn sandbox() -> Self {
        Self::of(number(1000), number(1000), None, None)
    }

    /// Those of a sandbox in which somebody tries limits out: `per_second` for each key, and for
    /// everything else what production has, on this machine, too.
    pub fn sandbox_with(per_second: NonZeroU32) -> Self {
        Self::of(per_second, per_second, Some(Operations::standard()), Some(Addresses::standard(false)))
    }

    fn of(test: NonZeroU32, live: NonZeroU32, operations: Option<Operations>, addresses: Option<Addresses>) -> Self {
        let (test, live) = (Bucket::bursting(test), Bucket::bursting(live));
        Self(Arc::new(Buckets { test, live, operations, addresses, trimmed: Mutex::new(Instant::now()) }))
    }

    /// Lets an address ask, before it is known who is behind it.
    pub(crate) fn admit(&self, address: Option<IpAddr>, operation: &str) -> Result<(), Problem> {
        self.0.trim();
        let Some((addresses, address)) = self.counted(address) else { return Ok(()) };
        addresses.strikes.check(address, Instant::now())?;
        if operation == SUBMISSION {
            addresses.submissions.take(&address)?;
        }
        Ok(())
    }

    /// Remembers who tried a credential that nobody has.
    pub(crate) fn note(&self, address: Option<IpAddr>, error: &Error) {
        let guessed = [Authentication::ApiKeyInvalid, Authentication::CheckoutTokenInvalid];
        if let Error::Authentication(code) = error
            && guessed.contains(code)
            && let Some((addresses, address)) = self.counted(address)
        {
            addresses.strikes.count(address, Instant::now());
        }
    }

    /// Takes from what the caller has, and says what is left.
    pub(crate) fn charge(&self, caller: &Caller, operation: &str) -> (Standing, Result<(), Problem>) {
        let digest = match caller {
            Caller::Merchant { key, .. } => &key.digest,
            Caller::Holder(token) => &token.digest,
        };
        let bucket = match caller.tenant().mode {
            Mode::Test => &self.0.test,
            Mode::Live => &self.0.live,
        };
        let quota = bucket.per_second();
        match bucket.take(digest) {
            Ok(remaining) => (Standing { quota, remaining: remaining.min(quota) }, self.charge_more(digest, operation)),
            Err(problem) => (Standing { quota, remaining: 0 }, Err(problem)),
        }
    }

    fn charge_more(&self, digest: &[u8; 32], operation: &str) -> Result<(), Problem> {
        let Some(operations) = &self.0.operations else { return Ok(()) };
        match operation {
            CREATION => operations.creations.take(digest).map(drop),
            TOKEN => operations.tokens.take(digest).map(drop),
            _ => Ok(()),
        }
    }

    /// Lets one more card be tried on the payment.
    pub(crate) fn admit_submission(&self, payment: &PaymentId) -> Result<(), Problem> {
        match &self.0.operations {
            Some(operations) => operations.submissions.take(payment).map(drop),
            None => Ok(()),
        }
    }

    /// The address, if it is one that is counted.
    fn counted(&self, address: Option<IpAddr>) -> Option<(&Addresses, IpAddr)> {
        let addresses = self.0.addresses.as_ref()?;
        let address = address?.to_canonical();
        (!addresses.spares_proxies || !is_near(address)).then_some((addresses, address))
    }
}

impl Buckets {
    fn trim(&self) {
        let mut trimmed = self.trimmed.lock().unwrap_or_else(PoisonError::into_inner);
        if trimmed.elapsed() < TRIMMING {
            return;
        }
        *trimmed = Instant::now();
        self.test.trim();
        self.live.trim();
        if let Some(Operations { creations, tokens, submissions }) = &self.operations {
            creations.trim();
            tokens.trim();
            submissions.trim();
        }
        if let Some(Addresses { submissions, strikes, .. }) = &self.addresses {
            submissions.trim();
            strikes.trim(Instant::now());
        }
    }
}

impl Operations {
    fn standard() -> Self {
        Self {
            creations: Bucket::per_second_of(number(50)),
            tokens: Bucket::per_minute_of(number(60)),
            submissions: Bucket::per_minute_of(number(10)),
        }
    }
}

impl Addresses {
    fn standard(spares_proxies: bool) -> Self {
        Self { submissions: Bucket::per_minute_of(number(30)), strikes: Strikes::default(), spares_proxies }
    }
}

impl Standing {
    /// As the draft of the IETF's HTTP API group spells it.
    pub(crate) fn tell(self, headers: &mut HeaderMap) {
        let Self { quota, remaining } = self;
        let lines =
            [(POLICY, format!("\"default\";q={quota};w=1")), (REMAINING, format!("\"default\";r={remaining};t=1"))];
        for (name, value) in lines {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
    }
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_loopback() || it.is_private(),
        IpAddr::V6(it) => it.is_loopback() || it.is_unique_local(),
    }
}

const fn number(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).expect("a limit is not zero")
}
