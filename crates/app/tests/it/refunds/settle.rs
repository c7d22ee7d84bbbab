use app::Error;
use chrono::TimeDelta;
use domain::{
    Conflict,
    fiscal::local_date,
    refund::{LegStatus, RefundFailureCode, RefundFinding, RefundStatus},
    refusal::Refused,
};
use ports::{KeyState, NotSubmitted, RefundLookup, RefundResponse, ReturnMethod};
use testkit::sample;

use super::{
    rows::Refusal,
    shared,
    world::{World, all, amount, approved, reference},
};
use crate::support::body_of;

fn found(amount: i64) -> RefundLookup {
    RefundLookup { finding: RefundFinding::Done { amount }, reference: reference("found-1") }
}

fn not_found(world: &World) -> RefundLookup {
    let listed_until = Some(local_date(ports::Clock::now(&*world.clock)));
    RefundFinding::NotFound { listed_until }.into()
}

/// A refund of 500.00 without a response.
async fn in_doubt() -> World {
    let world = World::of(sample::issued(1));
    world.responds([RefundResponse::Ambiguous]).create(amount(500_00)).await.unwrap();
    world
}

#[tokio::test]
async fn a_lost_response_is_looked_up_and_never_sent_again() {
    let world = in_doubt().await;

    world.finds([found(500_00)]).settle(1, 15).await;

    assert_eq!(world.events(), ["refund.succeeded", "credit_note.issuing"]);
    assert_eq!(world.attempts(), [("refund", "approved")]);
    assert_eq!(world.requests(), 1);
    let leg = world.refund(1).legs()[0].clone();
    assert_eq!(leg.state().reference, reference("found-1"));
}

#[tokio::test]
async fn a_look_up_before_its_time_is_not_made() {
    let world = in_doubt().await;

    // No look-up is scripted: one would panic.
    world.settle(1, 14).await;

    assert!(world.rows().commits.is_empty());
}

#[tokio::test]
async fn a_refund_that_is_not_found_for_an_hour_has_failed() {
    let world = in_doubt().await;
    world.finds([not_found(&world)]);

    for seconds in [15, 45, 120, 420, 1200] {
        world.settle(1, seconds).await;
        assert_eq!(world.status(1), RefundStatus::Verifying);
    }
    world.settle(1, 1800).await;

    assert_eq!(world.events(), ["refund.failed"]);
    assert_eq!(world.refund(1).failure(), Some(RefundFailureCode::NotFoundAtProvider));
    assert_eq!((world.attempts(), world.sums()), (vec![("refund", "not_happened")], (0, 0, 1_280_00)));
}

#[tokio::test]
async fn a_void_that_was_not_done_is_followed_by_a_refund() {
    let world = World::of(sample::issued(1));
    world.responds([RefundResponse::Ambiguous]).create(all()).await.unwrap();
    world.finds([RefundFinding::NotDone.into()]);

    for seconds in [15, 45, 120] {
        world.settle(1, seconds).await;
    }
    world.responds([approved(ReturnMethod::Refund)]).settle(1, 420).await;

    assert_eq!(world.attempts(), [("void", "not_happened"), ("refund", "approved")]);
    assert_eq!(world.events(), ["refund.succeeded", "credit_note.issuing"]);
    let rows = world.rows();
    assert_eq!(rows.commits[0].attempts.len(), 2, "the refund begins in the commit that settles the void");
}

#[tokio::test]
async fn look_ups_without_a_result_escalate_once() {
    let world = in_doubt().await;
    world.finds([RefundFinding::Unknown.into()]);

    let mut escalations = 0;
    for seconds in [15, 45, 120, 420, 1200, 1800, 3600] {
        world.settle(1, seconds).await;
        escalations += world.events().iter().filter(|it| **it == "refund.verification_escalated").count();
    }

    assert_eq!((escalations, world.status(1)), (1, RefundStatus::Verifying));
}

#[tokio::test]
async fn two_workers_that_look_up_at_once_count_one_look_up() {
    let world = in_doubt().await;
    world.finds([not_found(&world)]);
    world.settle(1, 15).await;
    let checks = |world: &World| {
        let refund = world.refund(1);
        let domain::refund::LegStage::Verifying(doubt) = refund.legs()[0].stage().clone() else { panic!() };
        doubt.checks
    };
    assert_eq!(checks(&world), 1);

    world.settle(1, 0).await;

    assert_eq!((checks(&world), world.commits()), (1, 0));
}

#[tokio::test]
async fn a_crash_before_the_call_is_looked_up_after_the_life_of_the_call() {
    let world = World::of(sample::issued(1));
    // The response to the intent is lost: the process fails, and no call is made.
    world.refuses(0, Refusal::Unanswered);
    assert!(matches!(world.create(all()).await.unwrap_err(), Error::Unavailable(_)));
    assert_eq!((world.attempts(), world.methods()), (vec![("void", "open")], Vec::new()));

    // While the key is leased, the same request waits; afterwards its response shows the refund.
    let Error::Refusal(refusal) = world.create(all()).await.unwrap_err() else { panic!() };
    assert_eq!(refusal.code, Refused::Conflict(Conflict::IdempotencyRequestInProgress));
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(body_of(&world.create(all()).await.unwrap()), "processing");
    let replay = world.create(all()).await.unwrap();
    assert!(replay.is_replay);

    world.settle(1, 59).await;
    assert_eq!(world.status(1), RefundStatus::Processing);
    world.settle(1, 1).await;
    assert_eq!((world.events(), world.attempts()), (vec!["refund.verifying"], vec![("void", "unknown")]));
    world.finds([found(1_280_00)]).settle(1, 15).await;
    assert_eq!(world.status(1), RefundStatus::Succeeded);
}

#[tokio::test]
async fn a_crash_after_the_call_is_looked_up_too() {
    let world = World::of(sample::issued(1));
    world.responds([approved(ReturnMethod::Void)]).refuses(1, Refusal::Lost);
    assert!(matches!(world.create(all()).await.unwrap_err(), Error::Unavailable(_)));
    assert_eq!((world.attempts(), world.methods().len()), (vec![("void", "open")], 1));

    world.settle(1, 120).await;
    world.finds([found(1_280_00)]).settle(1, 15).await;

    assert_eq!((world.status(1), world.requests()), (RefundStatus::Succeeded, 1));
    assert!(world.note(1).is_some());
}

#[tokio::test]
async fn an_end_whose_commit_was_not_confirmed_is_replayed() {
    let world = World::of(sample::issued(1));
    world.responds([approved(ReturnMethod::Void)]).refuses(1, Refusal::Unanswered);
    assert!(matches!(world.create(all()).await.unwrap_err(), Error::Unavailable(_)));

    let response = world.create(all()).await.unwrap();

    assert!(response.is_replay);
    assert_eq!(body_of(&response), "succeeded");
    assert!(matches!(world.rows().key.as_ref().unwrap().state, KeyState::Completed(_)));
}

#[tokio::test]
async fn legs_without_a_call_are_called_by_a_worker_after_a_crash() {
    let world = World::of(shared(6));
    world.refuses(0, Refusal::Unanswered);
    world.create(all()).await.unwrap_err();
    assert_eq!(world.attempts().len(), 4);

    world.responds([approved(ReturnMethod::Void), approved(ReturnMethod::Void)]).settle(1, 120).await;

    use LegStatus::{Succeeded, Verifying};
    assert_eq!(world.legs(1), [Verifying, Verifying, Verifying, Verifying, Succeeded, Succeeded]);
    world.finds([found(213_33)]);
    world.settle(1, 15).await;
    assert!(matches!(world.status(1), RefundStatus::Succeeded | RefundStatus::Verifying));
}

#[tokio::test]
async fn a_worker_records_that_a_leg_was_not_submitted() {
    let world = World::of(shared(6));
    world.refuses(0, Refusal::Unanswered);
    world.create(all()).await.unwrap_err();
    let unavailable = RefundResponse::NotSubmitted(NotSubmitted::Unavailable);

    world.responds([unavailable.clone(), unavailable]).settle(1, 120).await;

    assert_eq!(world.legs(1)[4..], [LegStatus::Failed, LegStatus::Failed]);
    assert_eq!(world.refund(1).failure(), Some(RefundFailureCode::NotSubmitted));
}
