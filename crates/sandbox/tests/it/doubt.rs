//! Look-ups, reversals, and what faults do to both.

use chrono::TimeDelta;
use ports::{AttemptRef, CallOutcome, CardProvider, LookUp, NotSubmitted};
use sandbox::{Fault, Target};
use testkit::sample::account_id;

use crate::till::{Till, attempt, is_approved};

const GOOD: &str = "4222220000000008";

#[tokio::test]
async fn a_late_card_is_not_found_for_five_minutes() {
    let till = Till::new();

    let answer = till.charge(1, "4222220008000000").await;

    assert_eq!(answer.outcome, CallOutcome::Ambiguous);
    till.clock.advance(TimeDelta::seconds(299));
    assert_eq!(till.look_up(1).await, LookUp::NotFound);
    till.clock.advance(TimeDelta::seconds(1));
    assert!(is_approved(&till.look_up(1).await));
}

#[tokio::test]
async fn what_was_never_submitted_is_not_found() {
    let till = Till::new();
    till.charge(1, GOOD).await;

    let other_attempt = till.look_up(2).await;
    let other_account = AttemptRef { account: account_id(2), ..attempt(1) };
    let other_account = till.acquirer.look_up(other_account).await;

    assert_eq!(other_attempt, LookUp::NotFound);
    assert_eq!(other_account, LookUp::NotFound);
}

#[tokio::test]
async fn an_attempt_submitted_twice_is_charged_twice() {
    let till = Till::new();

    let first = till.charge(1, GOOD).await;
    let second = till.charge(1, GOOD).await;

    assert_eq!((first.outcome, second.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_ne!(first.reference, second.reference);
    assert_eq!(till.statuses(), ["approved", "approved"]);
}

#[tokio::test]
async fn of_several_the_newest_is_found() {
    let till = Till::new();
    till.charge(1, GOOD).await;
    till.charge(1, "4222220000000511").await;

    let found = till.look_up(1).await;

    assert_eq!(found, LookUp::Declined(domain::payment::DeclineCode::InsufficientFunds));
}

#[tokio::test]
async fn an_approval_is_reversed_once() {
    let till = Till::new();
    let approved = till.charge(1, GOOD).await;

    let reversed = till.reverse(1).await;
    let again = till.reverse(1).await;

    assert_eq!(reversed.outcome, CallOutcome::Approved);
    assert_ne!(reversed.reference, approved.reference);
    assert_eq!(again, reversed);
    assert_eq!(till.look_up(1).await, LookUp::NotFound);
    assert_eq!(till.statuses(), ["reversed"]);
}

#[tokio::test]
async fn there_is_nothing_to_reverse_where_no_money_moved() {
    let till = Till::new();
    till.charge(1, "4222220000000511").await;

    let declined = till.reverse(1).await;
    let never_submitted = till.reverse(2).await;

    assert_eq!(declined.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!(never_submitted.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
}

#[tokio::test]
async fn a_charge_that_never_arrives_leaves_no_trace() {
    let till = Till::new();
    till.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();

    let answer = till.charge(1, GOOD).await;

    assert_eq!(answer.outcome, CallOutcome::NotSubmitted(NotSubmitted::Unavailable));
    assert!(till.statuses().is_empty());
    assert_eq!(till.charge(2, GOOD).await.outcome, CallOutcome::Approved);
}

#[tokio::test]
async fn a_lost_answer_has_taken_effect() {
    for fault in [Fault::AfterCommit, Fault::Delay, Fault::Drop, Fault::Status] {
        let till = Till::new();
        till.faults.inject(Target::Acquirer, fault, 1).unwrap();

        let answer = till.charge(1, GOOD).await;

        assert_eq!((answer.outcome, answer.reference), (CallOutcome::Ambiguous, None), "{fault:?}");
        assert!(is_approved(&till.look_up(1).await), "{fault:?}");
    }
}

#[tokio::test]
async fn a_lagging_charge_is_found_after_five_minutes() {
    let till = Till::new();
    till.faults.inject(Target::Acquirer, Fault::VisibilityLag, 1).unwrap();

    let answer = till.charge(1, GOOD).await;

    assert_eq!(answer.outcome, CallOutcome::Ambiguous);
    assert_eq!(till.look_up(1).await, LookUp::NotFound);
    till.clock.advance(TimeDelta::minutes(5));
    assert!(is_approved(&till.look_up(1).await));
}

#[tokio::test]
async fn a_lagging_look_up_hides_what_it_asks_for() {
    let till = Till::new();
    till.charge(1, GOOD).await;
    till.faults.inject(Target::Acquirer, Fault::VisibilityLag, 1).unwrap();

    assert_eq!(till.look_up(1).await, LookUp::NotFound);
    assert_eq!(till.look_up(1).await, LookUp::NotFound);
    till.clock.advance(TimeDelta::minutes(5));
    assert!(is_approved(&till.look_up(1).await));
}

#[tokio::test]
async fn a_look_up_that_fails_says_so_once() {
    let till = Till::new();
    till.charge(1, GOOD).await;
    till.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();

    assert_eq!(till.look_up(1).await, LookUp::Unknown);
    assert!(is_approved(&till.look_up(1).await));
}

#[tokio::test]
async fn a_lost_reversal_has_taken_effect_and_one_that_never_arrives_has_not() {
    let till = Till::new();
    till.charge(1, GOOD).await;
    till.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();
    till.faults.inject(Target::Acquirer, Fault::Drop, 1).unwrap();

    let unavailable = till.reverse(1).await;
    let before = till.statuses();
    let lost = till.reverse(1).await;

    assert_eq!(unavailable.outcome, CallOutcome::NotSubmitted(NotSubmitted::Unavailable));
    assert_eq!(before, ["approved"]);
    assert_eq!(lost.outcome, CallOutcome::Ambiguous);
    assert_eq!(till.statuses(), ["reversed"]);
}
