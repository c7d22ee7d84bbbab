//! How often anybody may ask.

mod bucket;
mod guests;
mod late;
mod standing;
mod stopwatch;
mod strikes;
#[cfg(test)]
mod tests;
mod turns;

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
    guests::{Guest, Guests},
    standing::Share,
    strikes::Strikes,
    turns::Turns,
};

pub(crate) use self::{late::Late, standing::Standing, turns::Turn};
pub use stopwatch::MonotonicClock;

const CREATION: &str = "POST /v1/payments";
const TOKEN: &str = "POST /v1/checkout_tokens";
pub(crate) const SUBMISSION: &str = "POST /v1/payments/{paymentId}/card-submissions";

/// How often those are forgotten who have not asked for long.
const TRIMMING: Duration = Duration::from_secs(60);
/// Exchanges that a process is in at once. More would only wait for each other.
const AT_ONCE: usize = 256;
/// Connections that a process holds. Further ones wait to be taken.
const CONNECTIONS: usize = 2048;

/// So many credentials of an address may be wrong within a minute.
const CREDENTIALS: u32 = 10;
/// So many links of an address may be wrong within a minute. Many payers can be behind one address of a mobile network.
const LINKS: u32 = 20;
/// So often an address of another taxpayer may ask within a minute: a supplier sends what it sold from one of them.
const EXCHANGES: u32 = 240;
/// Card submissions a minute for a payment that is not split.
const CARDS_OF_A_PAYMENT: u32 = 10;
/// Card submissions a minute for one part of a split: ten payers try at the same time.
const CARDS_OF_A_PART: u32 = 6;
/// Card submissions a minute from one address: all guests of a restaurant share one address.
const CARDS_OF_AN_ADDRESS: u32 = 240;
/// Sessions a minute that one address opens by the link of one payment. The button of its page has the same limit.
const SESSIONS: u32 = 30;

/// Whoever asks too often is told when to come back. All servers of one process share it.
#[derive(Clone)]
pub struct Limits {
    buckets: Arc<Buckets>,
    places: Arc<Semaphore>,
    payers: Guests,
    taxpayers: Guests,
    connections: usize,
}

struct Buckets {
    clock: MonotonicClock,
    test: Bucket<[u8; 32]>,
    live: Bucket<[u8; 32]>,
    operations: Option<Operations>,
    addresses: Option<Addresses>,
    lists: Turns,
    trimmed: Mutex<Instant>,
}

/// What some operations cost more of.
struct Operations {
    creations: Bucket<[u8; 32]>,
    tokens: Bucket<[u8; 32]>,
    submissions: Bucket<PaymentId>,
    part_submissions: Bucket<(PaymentId, u8)>,
}

/// What is counted before anybody is known.
struct Addresses {
    submissions: Bucket<IpAddr>,
    exchanges: Bucket<IpAddr>,
    sessions: Bucket<(IpAddr, PaymentId)>,
    started_sessions: Bucket<(IpAddr, PaymentId)>,
    strikes: Strikes,
    guesses: Strikes,
    strangers: Strikes,
}

/// Who comes without being of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visiting {
    /// With a form of a page.
    Payer,
    /// Another taxpayer, with a document.
    Taxpayer,
}

/// A place among the exchanges that a process is in. It is free again when this is dropped.
#[derive(Clone)]
pub(crate) struct Place(Arc<(OwnedSemaphorePermit, Option<Guest>)>);

impl Place {
    /// Marks the body of the request as arrived.
    pub(crate) fn arrived(&self) {
        if let Some(guest) = &self.0.1 {
            guest.arrived();
        }
    }
}

impl Limits {
    /// Those of production.
    pub fn standard(clock: MonotonicClock) -> Self {
        let (operations, addresses) = (Operations::standard(&clock), Addresses::standard(&clock));
        Self::of(number(25), number(100), Some(operations), Some(addresses), clock)
    }

    /// Those of a sandbox: one wide limit for each key, and nothing else.
    pub fn sandbox() -> Self {
        Self::of(number(1000), number(1000), None, None, MonotonicClock::default())
    }

    /// Those of a sandbox in which somebody tries limits out: `per_second` for each key, and for
    /// everything else what production has.
    pub fn sandbox_with(per_second: NonZeroU32, clock: MonotonicClock) -> Self {
        let (operations, addresses) = (Operations::standard(&clock), Addresses::standard(&clock));
        Self::of(per_second, per_second, Some(operations), Some(addresses), clock)
    }

    /// The same with so many exchanges at once, on so many connections.
    pub fn crowded(self, places: usize, connections: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), connections, ..self }
    }

    fn of(
        test: NonZeroU32,
        live: NonZeroU32,
        operations: Option<Operations>,
        addresses: Option<Addresses>,
        clock: MonotonicClock,
    ) -> Self {
        let [test, live] = [test, live].map(|it| Bucket::bursting("key", it, &clock));
        let trimmed = Mutex::new(clock.now());
        let lists = Turns::default();
        let buckets = Buckets { clock, test, live, operations, addresses, lists, trimmed };
        let places = Arc::new(Semaphore::new(AT_ONCE));
        Self {
            buckets: Arc::new(buckets),
            places,
            payers: Guests::payers(),
            taxpayers: Guests::taxpayers(),
            connections: CONNECTIONS,
        }
    }

    /// Connections that a process holds.
    pub(crate) const fn connections(&self) -> usize {
        self.connections
    }

    /// Lets one more exchange begin. Nobody waits in a queue that only grows.
    pub(crate) fn enter(&self) -> Result<Place, Late> {
        self.place(None)
    }

    /// The same for one that brings something along without being of the interface: it may be slow to come.
    pub(crate) fn enter_as(&self, who: Visiting, address: Option<IpAddr>) -> Result<Place, Late> {
        let address = self.counted(address).map(|(_, address)| address);
        let guests = match who {
            Visiting::Payer => &self.payers,
            Visiting::Taxpayer => &self.taxpayers,
        };
        self.place(Some(guests.admit(address)?))
    }

    fn place(&self, guest: Option<Guest>) -> Result<Place, Late> {
        let place = self.places.clone().try_acquire_owned();
        place.map(|it| Place(Arc::new((it, guest)))).map_err(|_| Late::for_at_least("process", Duration::ZERO))
    }

    /// Lets a tenant read a list, in its turn.
    pub(crate) async fn list(&self, tenant: &Tenant) -> Result<Turn, Late> {
        self.buckets.lists.take(tenant).await
    }

    /// Lets an address ask, before it is known who is behind it.
    pub(crate) fn admit(&self, address: Option<IpAddr>, operation: &str) -> Result<(), Late> {
        self.buckets.trim();
        let Some((addresses, address)) = self.counted(address) else { return Ok(()) };
        addresses.strikes.check(address, self.buckets.clock.now())?;
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
            addresses.strikes.count(address, self.buckets.clock.now());
        }
    }

    /// Response to an invalid link: refuses an address that tried too many.
    pub(crate) fn admit_link(&self, address: Option<IpAddr>) -> Result<(), Late> {
        self.buckets.trim();
        let Some((addresses, address)) = self.counted(address) else { return Ok(()) };
        addresses.guesses.check(address, self.buckets.clock.now())
    }

    /// Counts a session that an address opens by the link of the payment.
    pub(crate) fn admit_session(&self, address: Option<IpAddr>, payment: &PaymentId) -> Result<(), Late> {
        self.buckets.trim();
        let Some((addresses, address)) = self.counted(address) else { return Ok(()) };
        addresses.sessions.take(&(address, payment.clone())).map(drop)
    }

    /// Counts a session that an address starts with the button of the payment's page.
    pub(crate) fn admit_started_session(&self, address: Option<IpAddr>, payment: &PaymentId) -> Result<(), Late> {
        self.buckets.trim();
        let Some((addresses, address)) = self.counted(address) else { return Ok(()) };
        addresses.started_sessions.take(&(address, payment.clone())).map(drop)
    }

    /// Lets an address of another taxpayer ask once more: each time a signature may be verified, and one made.
    pub(crate) fn admit_exchange(&self, address: Option<IpAddr>) -> Result<(), Late> {
        self.buckets.trim();
        let Some((addresses, address)) = self.counted(address) else { return Ok(()) };
        addresses.strangers.check(address, self.buckets.clock.now())?;
        addresses.exchanges.take(&address).map(drop)
    }

    /// Remembers who tried a link that opens nothing.
    pub(crate) fn note_link(&self, address: Option<IpAddr>) {
        if let Some((addresses, address)) = self.counted(address) {
            addresses.guesses.count(address, self.buckets.clock.now());
        }
    }

    /// Remembers who came to a door for other taxpayers without a seed or a token that is good there. Payers behind the same
    /// address go on opening their links.
    pub(crate) fn note_failed_interchange(&self, address: Option<IpAddr>) {
        if let Some((addresses, address)) = self.counted(address) {
            addresses.strangers.count(address, self.buckets.clock.now());
        }
    }

    /// What somebody has left whom nobody knows.
    pub(crate) fn standing(&self, address: Option<IpAddr>) -> Standing {
        let quota = self.buckets.test.per_second();
        let address = self.counted(address).map(|(addresses, address)| {
            let (remaining, wait) = addresses.strikes.left(address, self.buckets.clock.now());
            let reset = Late::for_at_least("failures", wait).seconds;
            Share { quota: addresses.strikes.patience, window: strikes::MINUTE.as_secs(), remaining, reset }
        });
        Standing { key: Share::of_a_second(quota, quota), address }
    }

    /// Takes from what the caller has, and says what is left.
    pub(crate) fn charge(&self, caller: &Caller, operation: &str) -> (Standing, Result<(), Late>) {
        let digest = match caller {
            Caller::Merchant { key, .. } => &key.digest,
            Caller::Holder(token) => &token.digest,
        };
        let bucket = match caller.tenant().mode {
            Mode::Test => &self.buckets.test,
            Mode::Live => &self.buckets.live,
        };
        let quota = bucket.per_second();
        let standing = |remaining| Standing { key: Share::of_a_second(quota, remaining), address: None };
        match bucket.take(digest) {
            Ok(remaining) => (standing(remaining.min(quota)), self.charge_more(digest, operation)),
            Err(late) => (standing(0).after(late), Err(late)),
        }
    }

    fn charge_more(&self, digest: &[u8; 32], operation: &str) -> Result<(), Late> {
        let Some(operations) = &self.buckets.operations else { return Ok(()) };
        match operation {
            CREATION => operations.creations.take(digest).map(drop),
            TOKEN => operations.tokens.take(digest).map(drop),
            _ => Ok(()),
        }
    }

    /// Counts a card submission for the payment, or for that part of it.
    pub(crate) fn admit_submission(&self, payment: &PaymentId, part: Option<u8>) -> Result<(), Late> {
        let Some(operations) = &self.buckets.operations else { return Ok(()) };
        match part {
            Some(part) => operations.part_submissions.take(&(payment.clone(), part)).map(drop),
            None => operations.submissions.take(payment).map(drop),
        }
    }

    /// The address by which somebody is counted, where any is.
    fn counted(&self, address: Option<IpAddr>) -> Option<(&Addresses, IpAddr)> {
        Some((self.buckets.addresses.as_ref()?, household(address?)))
    }
}

impl Buckets {
    fn trim(&self) {
        let now = self.clock.now();
        let mut trimmed = self.trimmed.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(*trimmed) < TRIMMING {
            return;
        }
        *trimmed = now;
        self.test.trim();
        self.live.trim();
        if let Some(Operations { creations, tokens, submissions, part_submissions }) = &self.operations {
            creations.trim();
            tokens.trim();
            submissions.trim();
            part_submissions.trim();
        }
        if let Some(addresses) = &self.addresses {
            let Addresses { submissions, exchanges, sessions, started_sessions, strikes, guesses, strangers } =
                addresses;
            submissions.trim();
            exchanges.trim();
            sessions.trim();
            started_sessions.trim();
            strikes.trim(now);
            guesses.trim(now);
            strangers.trim(now);
        }
        self.lists.trim();
    }
}

impl Operations {
    fn standard(clock: &MonotonicClock) -> Self {
        Self {
            creations: Bucket::per_second_of("creations", number(50), clock),
            tokens: Bucket::per_minute_of("tokens", number(60), clock),
            submissions: Bucket::per_minute_of("cards_of_a_payment", number(CARDS_OF_A_PAYMENT), clock),
            part_submissions: Bucket::per_minute_of("cards_of_a_part", number(CARDS_OF_A_PART), clock),
        }
    }
}

impl Addresses {
    fn standard(clock: &MonotonicClock) -> Self {
        let submissions = Bucket::per_minute_of("cards_of_an_address", number(CARDS_OF_AN_ADDRESS), clock);
        let strikes = Strikes::of("failures", CREDENTIALS);
        let exchanges = Bucket::per_minute_of("exchanges", number(EXCHANGES), clock);
        let [sessions, started_sessions] =
            ["sessions", "started_sessions"].map(|it| Bucket::per_minute_of(it, number(SESSIONS), clock));
        let [guesses, strangers] = ["guesses", "strangers"].map(|it| Strikes::of(it, LINKS));
        Self { submissions, exchanges, sessions, started_sessions, strikes, guesses, strangers }
    }
}

/// Whoever has one address of IPv6 has at least the 2^64 of its network.
fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(it) => IpAddr::V6((it.to_bits() & !u128::from(u64::MAX)).into()),
        it => it,
    }
}

const fn number(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).expect("a limit is not zero")
}
