use super::*;

/// Limits of production, with a clock that `advance` moves.
struct Timed {
    now: Arc<Mutex<Instant>>,
    limits: Limits,
}

impl Timed {
    fn new() -> Self {
        let now = Arc::new(Mutex::new(Instant::now()));
        let read = now.clone();
        let clock = MonotonicClock::of(move || *read.lock().unwrap_or_else(PoisonError::into_inner));
        Self { now, limits: Limits::standard(clock) }
    }

    fn advance(&self, by: Duration) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

fn address(n: u8) -> Option<IpAddr> {
    Some(IpAddr::from([203, 0, 113, n]))
}

/// Numbers of counted keys and addresses.
fn counted(limits: &Limits) -> [usize; 4] {
    let Buckets { test, operations, addresses, .. } = limits.buckets.as_ref();
    let (operations, addresses) = (operations.as_ref().expect("they count"), addresses.as_ref().expect("they count"));
    [test.len(), operations.creations.len(), addresses.submissions.len(), addresses.failed_credentials.len()]
}

#[test]
fn keys_and_addresses_without_recent_requests_are_removed() {
    let timed = Timed::new();
    let limits = &timed.limits;
    for n in 0..20 {
        let operations = limits.buckets.operations.as_ref().expect("production has them");
        operations.creations.take(&[n; 32]).expect("the first is accepted");
        limits.buckets.test.take(&[n; 32]).expect("the first is accepted");
        limits.admit(address(n), SUBMISSION).expect("the first is accepted");
        limits.record_failure(address(n), &Authentication::ApiKeyInvalid.into());
    }
    assert_eq!(counted(limits), [20; 4]);

    timed.advance(TRIM_INTERVAL - Duration::from_millis(1));
    limits.admit(None, "").expect("no address is counted");
    assert_eq!(counted(limits), [20; 4], "the interval has not ended");

    limits.record_failure(address(7), &Authentication::ApiKeyInvalid.into());
    limits.buckets.test.take(&[7; 32]).expect("the bucket is full");
    timed.advance(Duration::from_millis(1));
    limits.admit(None, "").expect("no address is counted");

    assert_eq!(counted(limits), [1, 0, 0, 0], "the window of failures begins with the first");
}

#[test]
fn requests_of_another_taxpayer_are_limited_by_address() {
    let timed = Timed::new();

    let admitted = (0..=INTERCHANGES).filter(|_| timed.limits.admit_interchange(address(1)).is_ok()).count();

    assert_eq!(admitted, INTERCHANGES as usize);
    assert!(timed.limits.admit_interchange(address(2)).is_ok(), "each address has its own limit");
    timed.advance(Duration::from_secs(1));
    assert!(timed.limits.admit_interchange(address(1)).is_ok(), "a second later some are accepted");
}

#[test]
fn other_taxpayers_do_not_use_up_the_permits_of_payers() {
    let limits = Limits::standard(MonotonicClock::default());

    let permits: Vec<RequestPermit> =
        (0..=255).filter_map(|n| limits.admit_body(BodySender::Taxpayer, address(n)).ok()).collect();

    assert_eq!(permits.len(), TAXPAYERS);
    assert!(limits.admit_body(BodySender::Payer, address(1)).is_ok());
}

#[test]
fn failed_interchanges_do_not_block_links_of_the_same_address() {
    let limits = Limits::standard(MonotonicClock::default());

    (0..LINKS).for_each(|_| limits.record_failed_interchange(address(1)));

    assert!(limits.admit_interchange(address(1)).is_err());
    assert!(limits.admit_link(address(1)).is_ok());
}

#[test]
fn the_number_of_counted_addresses_is_bounded() {
    let (limiter, now) = (FailedAttemptLimiter::of("failures", 10), Instant::now());
    let address = |n: u32| IpAddr::V4(n.into());

    for n in 0..200_000 {
        limiter.record(address(n), now);
    }

    assert_eq!(limiter.len(), 100_000);
    for _ in 0..9 {
        limiter.record(address(5), now);
    }
    assert!(limiter.check(address(5), now).is_err(), "counted addresses still count");
    limiter.trim(now + failed_attempts::WINDOW);
    assert_eq!(limiter.len(), 0);
}
