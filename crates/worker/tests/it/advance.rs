use std::sync::Arc;

use app::Unexpected;
use chrono::{DateTime, Utc};
use ports::Clock;
use testkit::memory::TestClock;
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
