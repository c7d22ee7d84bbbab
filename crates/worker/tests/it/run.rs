use std::{
    future::{pending, ready},
    sync::Arc,
    time::Duration,
};

use testkit::memory::TestClock;
use tokio::time::{sleep, timeout};
use worker::Worker;

use crate::support::{Calendar, after_noon, ports};

#[tokio::test]
async fn a_worker_that_is_stopped_finishes_the_batch_in_hand() {
    let queue = Arc::new(Calendar { delay: Duration::from_millis(50), ..Calendar::of(&[0, 0]) });
    let worker = Worker::new(ports(queue.clone(), Arc::new(TestClock::default())));

    worker.run(ready(())).await;

    assert_eq!(queue.claims(), [0, 0]);
}

#[tokio::test]
async fn a_worker_notices_due_work_within_a_second() {
    let (queue, clock) = (Arc::new(Calendar::of(&[3600])), Arc::new(TestClock::default()));
    let worker = Worker::new(ports(queue.clone(), clock.clone()));

    let moved = async {
        sleep(Duration::from_millis(100)).await;
        clock.set(after_noon(3600));
        sleep(Duration::from_millis(1500)).await;
    };
    worker.run(moved).await;

    assert_eq!(queue.claims(), [3600]);
}

#[tokio::test]
async fn a_failed_query_is_retried() {
    let queue = Arc::new(Calendar { fails_once: true.into(), ..Calendar::of(&[0]) });
    let worker = Worker::new(ports(queue.clone(), Arc::new(TestClock::default())));

    let never = timeout(Duration::from_millis(1500), worker.run(pending())).await;

    assert!(never.is_err());
    assert_eq!(queue.claims(), [0]);
}

#[tokio::test]
async fn a_step_that_panics_does_not_end_the_worker() {
    let queue = Arc::new(Calendar { panics_once: true.into(), ..Calendar::of(&[0]) });
    let worker = Worker::new(ports(queue.clone(), Arc::new(TestClock::default())));

    let never = timeout(Duration::from_millis(1500), worker.run(pending())).await;

    assert!(never.is_err());
    assert_eq!(queue.claims(), [0]);
}

/// One lane waits for a provider that does not respond; the other lane continues.
#[tokio::test]
async fn a_slow_step_in_one_lane_does_not_delay_the_other() {
    let queue = Arc::new(Calendar { hangs_once: true.into(), ..Calendar::of(&[0, 0, 0]) });
    let worker = Worker::new(ports(queue.clone(), Arc::new(TestClock::default())));

    let never = timeout(Duration::from_millis(300), worker.run(pending())).await;

    assert!(never.is_err());
    assert_eq!(queue.claims(), [0, 0, 0]);
}
