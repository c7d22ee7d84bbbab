//! Holds, captures and voids.

use chrono::TimeDelta;
use domain::{Currency::Dop, Money, payment::DeclineCode};
use ports::{CallOutcome, CardProvider, Hold, LookUp, NotSubmitted};
use sandbox::{Fault, Target};
use tempfile::TempDir;

use crate::till::{Till, assert_declined, held};

const GOOD: &str = "4222220000000008";
const REJECTED: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Rejected);

fn is_held(found: &LookUp) -> bool {
    matches!(found, LookUp::Held { amount, reference: Some(_) } if *amount == Money::new(118_00, Dop))
}

fn is_captured(found: &LookUp) -> bool {
    matches!(found, LookUp::Captured { amount, reference: Some(_) } if *amount == Money::new(118_00, Dop))
}

#[tokio::test]
async fn a_hold_is_taken_once_and_never_given_back_afterwards() {
    let till = Till::new();
    let held = till.hold(1, GOOD).await;
    let before = till.look_up(1).await;

    let captured = till.capture(1).await;
    let again = till.capture(1).await;
    let voided = till.void(1).await;

    assert_eq!((held.outcome, captured.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_ne!(held.reference, captured.reference);
    assert_eq!((again.outcome, voided.outcome), (REJECTED, REJECTED));
    assert!(is_held(&before));
    assert!(is_captured(&till.look_up(1).await));
    assert_eq!(till.statuses(), ["captured"]);
}

#[tokio::test]
async fn a_hold_is_given_back_and_never_taken_afterwards() {
    let till = Till::new();
    till.hold(1, GOOD).await;

    let voided = till.void(1).await;
    let again = till.void(1).await;
    let captured = till.capture(1).await;

    assert_eq!((voided.outcome.clone(), again), (CallOutcome::Approved, voided));
    assert_declined_without_name(captured.outcome);
    assert_eq!(till.look_up(1).await, LookUp::Gone);
    assert_eq!(till.statuses(), ["reversed"]);
}

#[track_caller]
fn assert_declined_without_name(outcome: CallOutcome) {
    assert_eq!(outcome, CallOutcome::Declined(DeclineCode::DoNotHonor));
}

#[tokio::test]
async fn another_amount_is_not_taken() {
    let till = Till::new();
    till.hold(1, GOOD).await;

    let answer = till.acquirer.capture(Hold { amount: Money::new(118_01, Dop), ..held(1) }).await;

    assert_eq!(answer.outcome, REJECTED);
    assert!(is_held(&till.look_up(1).await));
}

#[tokio::test]
async fn a_declined_hold_reserves_no_funds() {
    let till = Till::new();

    assert_declined(&till.hold(1, "4222220000000511").await, DeclineCode::InsufficientFunds);

    assert_eq!(till.capture(1).await.outcome, REJECTED);
    assert_eq!(till.void(1).await.outcome, REJECTED);
    assert_eq!(till.look_up(1).await, LookUp::Declined(DeclineCode::InsufficientFunds));
}

#[tokio::test]
async fn an_unclear_hold_is_found_held() {
    let till = Till::new();

    let answer = till.hold(1, "4222220005000003").await;

    assert_eq!(answer.outcome, CallOutcome::Ambiguous);
    assert!(is_held(&till.look_up(1).await));
}

#[tokio::test]
async fn a_hold_lapses() {
    for (number, days) in [(GOOD, 7), ("4222220013000003", 1)] {
        let till = Till::new();
        till.hold(1, number).await;

        till.clock.advance(TimeDelta::days(days) - TimeDelta::seconds(1));
        let just_before = till.look_up(1).await;
        till.clock.advance(TimeDelta::seconds(1));

        assert!(is_held(&just_before), "{number}");
        assert_eq!(till.look_up(1).await, LookUp::Gone, "{number}");
        assert_declined_without_name(till.capture(1).await.outcome);
        assert_eq!(till.void(1).await.outcome, CallOutcome::Approved, "{number}");
    }
}

#[tokio::test]
async fn a_magic_card_declines_the_capture() {
    let till = Till::new();
    till.hold(1, "4222220011000518").await;

    let answer = till.capture(1).await;

    assert_eq!(answer.outcome, CallOutcome::Declined(DeclineCode::InsufficientFunds));
    assert!(is_held(&till.look_up(1).await));
    assert_eq!(till.void(1).await.outcome, CallOutcome::Approved);
}

#[tokio::test]
async fn a_first_void_fails_once_even_over_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("acquirer.jsonl");
    let till = Till::with_journal(&path);
    till.hold(1, "4222220012000004").await;

    let lost = till.void(1).await;
    let still = till.look_up(1).await;
    drop(till);
    let till = Till::with_journal(&path);
    let repeated = till.void(1).await;

    assert_eq!((lost.outcome, repeated.outcome), (CallOutcome::Ambiguous, CallOutcome::Approved));
    assert!(is_held(&still));
    assert_eq!(till.look_up(1).await, LookUp::Gone);
}

#[tokio::test]
async fn captures_survive_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("acquirer.jsonl");
    let till = Till::with_journal(&path);
    till.hold(1, GOOD).await;
    till.hold(2, GOOD).await;
    till.capture(1).await;
    let listed = till.acquirer.transactions();
    drop(till);

    let till = Till::with_journal(&path);

    assert_eq!(till.acquirer.transactions(), listed);
    assert!(is_captured(&till.look_up(1).await));
    assert!(is_held(&till.look_up(2).await));
}

#[tokio::test]
async fn a_lost_capture_and_a_lost_void_have_taken_effect() {
    for fault in [Fault::AfterCommit, Fault::Delay, Fault::Drop, Fault::Status] {
        let till = Till::new();
        till.hold(1, GOOD).await;
        till.hold(2, GOOD).await;
        till.faults.inject(Target::Acquirer, fault, 2).unwrap();

        let (captured, voided) = (till.capture(1).await, till.void(2).await);

        assert_eq!((captured.outcome, voided.outcome), (CallOutcome::Ambiguous, CallOutcome::Ambiguous), "{fault:?}");
        assert!(is_captured(&till.look_up(1).await), "{fault:?}");
        assert_eq!(till.look_up(2).await, LookUp::Gone, "{fault:?}");
    }
}

#[tokio::test]
async fn a_capture_or_void_that_never_arrives_has_no_effect() {
    let till = Till::new();
    till.hold(1, GOOD).await;
    till.faults.inject(Target::Acquirer, Fault::BeforeRequest, 2).unwrap();

    let (captured, voided) = (till.capture(1).await, till.void(1).await);

    let unavailable = CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
    assert_eq!((captured.outcome, voided.outcome), (unavailable.clone(), unavailable));
    assert!(is_held(&till.look_up(1).await));
}

#[tokio::test]
async fn a_lagging_capture_is_not_found_for_five_minutes() {
    let till = Till::new();
    till.hold(1, GOOD).await;
    till.faults.inject(Target::Acquirer, Fault::VisibilityLag, 1).unwrap();

    assert_eq!(till.capture(1).await.outcome, CallOutcome::Ambiguous);

    assert_eq!(till.look_up(1).await, LookUp::NotFound);
    till.clock.advance(TimeDelta::minutes(5));
    assert!(is_captured(&till.look_up(1).await));
}
