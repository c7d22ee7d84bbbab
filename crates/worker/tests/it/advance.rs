use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use app::{Ports, Unexpected};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::account::Provider;
use ports::{Clock, MockCardProvider, MockRefundStore, ReturnsUnlisted, SweptAccount};
use testkit::{memory::TestClock, sample};
use worker::Worker;

use crate::support::{Calendar, after_noon, ports};

#[tokio::test]
async fn each_step_runs_at_its_due_time() {
    let (queue, clock) = (Arc::new(Calendar::of(&[600, -5, 15, 60])), Arc::new(TestClock::default()));
    let worker = Worker::new(ports(queue.clone(), clock.clone()));

    worker.advance(&mover(&clock), after_noon(100)).await.unwrap();

    assert_eq!(queue.claims(), [0, 15, 60]);
    assert_eq!(clock.now(), after_noon(100));
}

/// A clock that runs a millisecond with each reading.
#[derive(Debug, Default)]
struct RunningClock(TestClock);

impl Clock for RunningClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.advance(TimeDelta::milliseconds(1));
        self.0.now()
    }
}

#[tokio::test]
async fn a_step_that_falls_due_while_another_runs_is_not_late() {
    let (queue, clock) = (Arc::new(Calendar::of(&[15, 60])), Arc::new(RunningClock::default()));
    let soon = (1..=40).map(|n| after_noon(15) + TimeDelta::milliseconds(n));
    queue.due.lock().unwrap().extend(soon);
    let worker = Worker::new(ports(queue.clone(), clock.clone()));

    let set = |to| {
        clock.0.set(to);
        Ok(())
    };
    worker.advance(&set, after_noon(14_400)).await.unwrap();

    let mut expected = vec![15; 41];
    expected.push(60);
    assert_eq!(queue.claims(), expected);
}

#[tokio::test]
async fn overdue_work_that_no_claim_returns_does_not_stop_the_clock() {
    let (queue, clock) = (Arc::new(Calendar::of(&[60])), Arc::new(TestClock::default()));
    let queue = Arc::new(Calendar { leased: Some(after_noon(-1)), ..Arc::into_inner(queue).unwrap() });
    let worker = Worker::new(ports(queue, clock.clone()));

    worker.advance(&mover(&clock), after_noon(100)).await.unwrap();

    assert_eq!(clock.now(), after_noon(100));
}

/// The account of the ports and its sweeps.
#[derive(Default)]
struct Returns {
    /// The next lists of the provider that fail.
    failures: AtomicUsize,
    /// Each listed day, with the time of the list.
    listed: Mutex<Vec<(DateTime<Utc>, NaiveDate)>>,
    swept: Mutex<Option<NaiveDate>>,
    lease: Mutex<Option<DateTime<Utc>>>,
}

impl Returns {
    /// Times of the sweeps, in minutes after noon.
    fn times(&self) -> Vec<i64> {
        let mut times: Vec<_> = self.listed.lock().unwrap().iter().map(|(at, _)| *at).collect();
        times.dedup();
        times.iter().map(|at| at.signed_duration_since(sample::noon()).num_minutes()).collect()
    }
}

/// Ports with one account, whose returns were never listed.
fn sweeping(returns: &Arc<Returns>, clock: &Arc<TestClock>) -> Ports {
    let mut refunds = MockRefundStore::new();
    let of = returns.clone();
    refunds.expect_accounts_to_sweep().returning(move |claim| {
        let (from, mut lease) = (*of.swept.lock().unwrap(), of.lease.lock().unwrap());
        if from >= Some(claim.day) || lease.is_some_and(|end| end > claim.now) {
            return Ok(Vec::new());
        }
        *lease = Some(claim.lease_until);
        let (tenant, account) = (sample::tenant(), sample::account_id(1));
        Ok(vec![SweptAccount { tenant, account, provider: Provider::Simulator, from }])
    });
    let of = returns.clone();
    refunds.expect_swept().returning(move |_, before| {
        *of.swept.lock().unwrap() = Some(before);
        *of.lease.lock().unwrap() = None;
        Ok(())
    });
    let mut provider = MockCardProvider::new();
    let (of, now) = (returns.clone(), clock.clone());
    provider.expect_list_returns().returning(move |_, day| {
        of.listed.lock().unwrap().push((now.now(), day));
        let is_failing = of.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if is_failing.is_ok() { Err(ReturnsUnlisted) } else { Ok(Vec::new()) }
    });
    let providers = [(Provider::Simulator, Arc::new(provider) as _)].into();
    Ports { refunds: Arc::new(refunds), providers, ..ports(Arc::new(Calendar::default()), clock.clone()) }
}

#[tokio::test]
async fn the_returns_of_every_day_on_the_way_are_listed_at_half_past_three() {
    let (returns, clock) = (Arc::new(Returns::default()), Arc::new(TestClock::default()));
    let worker = Worker::new(sweeping(&returns, &clock));

    worker.advance(&mover(&clock), sample::noon() + TimeDelta::days(30)).await.unwrap();

    // Noon is that of UTC: 03:30 in Santo Domingo is at 07:30.
    let nights: Vec<i64> = (0..30).map(|night| (19 * 60 + 30) + night * 24 * 60).collect();
    assert_eq!(returns.times(), [&[15], &nights[..]].concat());
    let mut days: Vec<_> = returns.listed.lock().unwrap().iter().map(|(_, day)| *day).collect();
    days.dedup();
    days.sort_unstable();
    days.dedup();
    let first = sample::noon().date_naive() - chrono::Days::new(7);
    assert_eq!(days, first.iter_days().take(38).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_failed_list_of_returns_is_repeated_on_the_way() {
    let (returns, clock) = (Arc::new(Returns::default()), Arc::new(TestClock::default()));
    let worker = Worker::new(sweeping(&returns, &clock));
    returns.failures.store(3, Ordering::Relaxed);

    worker.advance(&mover(&clock), sample::noon() + TimeDelta::days(1)).await.unwrap();

    assert_eq!(returns.times(), [15, 30, 45, 60, 19 * 60 + 30]);
    assert_eq!(*returns.swept.lock().unwrap(), Some(sample::noon().date_naive().succ_opt().unwrap()));
}

#[tokio::test]
async fn work_due_at_the_end_is_done() {
    let (queue, clock) = (Arc::new(Calendar::of(&[100, 101])), Arc::new(TestClock::default()));
    let worker = Worker::new(ports(queue.clone(), clock.clone()));

    worker.advance(&mover(&clock), after_noon(100)).await.unwrap();

    assert_eq!(queue.claims(), [100]);
}

#[tokio::test]
async fn the_clock_is_never_set_back() {
    let (queue, clock) = (Arc::new(Calendar::of(&[])), Arc::new(TestClock::default()));
    let worker = Worker::new(ports(queue, clock.clone()));

    worker.advance(&mover(&clock), after_noon(-100)).await.unwrap();

    assert_eq!(clock.now(), after_noon(0));
}

#[tokio::test]
async fn draining_runs_due_work_only() {
    let (queue, clock) = (Arc::new(Calendar::of(&[-1; 45])), Arc::new(TestClock::default()));
    queue.due.lock().unwrap().push(after_noon(1));
    let worker = Worker::new(ports(queue.clone(), clock));

    worker.drain().await.unwrap();

    assert_eq!(queue.claims().len(), 45);
    assert_eq!(*queue.due.lock().unwrap(), [after_noon(1)]);
}

#[tokio::test]
async fn endless_work_is_an_error() {
    let queue = Arc::new(Calendar { is_endless: true, ..Calendar::of(&[0]) });
    let worker = Worker::new(ports(queue, Arc::new(TestClock::default())));

    assert!(worker.drain().await.is_err());
}

fn mover(clock: &TestClock) -> impl Fn(DateTime<Utc>) -> Result<(), Unexpected> + '_ {
    |to| {
        clock.set(to);
        Ok(())
    }
}
