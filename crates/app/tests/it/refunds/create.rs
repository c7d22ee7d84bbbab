use std::sync::Arc;

use app::{Error, Ports, ProviderFailure, create_refund};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Conflict,
    fiscal::DocumentStatus,
    refund::{LegMethod, LegStatus, RefundDraft, RefundSelection, RefundSettlement, RefundStatus},
    refusal::Refused,
};
use ports::{KeyState, NotSubmitted, RefundResponse, ReturnMethod};
use testkit::{memory::TestClock, sample};

use super::{
    rows::Refusal,
    shared,
    world::{DECLINED, World, admin, all, amount, approved, command, draft, render},
};
use crate::support::{body_of, keyed};

#[tokio::test]
async fn a_whole_refund_is_an_intent_a_void_and_an_end_with_the_note() {
    let world = World::of(sample::issued(1));
    world.responds([approved(ReturnMethod::Void)]);

    let response = world.create(all()).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!(world.events(), ["refund.created", "refund.succeeded", "credit_note.issuing"]);
    assert_eq!(world.attempts(), [("void", "approved")]);
    assert_eq!(world.sums(), (1_280_00, 0, 0));
    let leg = world.refund(1).legs()[0].clone();
    assert_eq!(leg.state().reference.as_ref().map(|it| it.as_str()), Some("return-1"));
    let rows = world.rows();
    let [intent, end] = rows.commits.as_slice() else { panic!("{} commits", rows.commits.len()) };
    assert!(intent.refund.as_ref().is_some_and(|it| it.based_on.is_none() && it.lease_until.is_some()));
    assert!(matches!(intent.key.as_ref().unwrap().to.state, KeyState::InProgress { attempt: Some(_), .. }));
    assert!(end.refund.as_ref().is_some_and(|it| it.lease_until.is_none()));
    assert!(matches!(end.key.as_ref().unwrap().to.state, KeyState::Completed(_)));
    assert_eq!((end.documents.len(), end.documents[0].based_on), (1, None), "the original stays");
    let request = &rows.requests[0];
    assert_eq!(request.of.attempt, sample::attempt_id(1));
    assert_eq!((request.of.reference.as_deref(), request.itbis), (Some("sale-1"), super::world::pesos(180_00)));
}

#[tokio::test]
async fn a_refused_void_is_followed_by_a_refund_in_three_commits() {
    let world = World::of(sample::issued(1));
    world.responds([DECLINED, approved(ReturnMethod::Refund)]);

    let response = world.create(all()).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!(world.methods(), [ReturnMethod::Void, ReturnMethod::Refund]);
    assert_eq!(world.attempts(), [("void", "declined"), ("refund", "approved")]);
    assert_eq!(world.events(), ["refund.created", "refund.succeeded", "credit_note.issuing"]);
    assert_eq!(world.commits(), 3);
}

#[tokio::test]
async fn after_the_void_window_or_for_a_part_the_acquirer_gets_a_refund() {
    let late = World::of(sample::issued(1));
    late.clock.advance(TimeDelta::minutes(20));
    late.responds([approved(ReturnMethod::Refund)]).create(all()).await.unwrap();
    assert_eq!(late.methods(), [ReturnMethod::Refund]);

    let part = World::of(sample::issued(1));
    part.responds([approved(ReturnMethod::Refund)]).create(amount(500_00)).await.unwrap();
    assert_eq!((part.methods(), part.sums()), (vec![ReturnMethod::Refund], (500_00, 0, 780_00)));
    assert_eq!(part.note(1).unwrap().total().minor_units(), 500_00);
}

#[tokio::test]
async fn a_refund_outside_is_one_commit_without_a_call() {
    let world = World::of(sample::issued(1));
    let outside = RefundDraft { settlement: RefundSettlement::Outside, ..all() };

    let response = world.create(outside).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!(world.events(), ["refund.created", "refund.succeeded", "credit_note.issuing"]);
    assert_eq!((world.commits(), world.attempts().len()), (1, 0));
}

#[tokio::test]
async fn an_unclear_response_leaves_the_leg_in_doubt() {
    let world = World::of(sample::issued(1));
    world.responds([RefundResponse::Ambiguous]);

    let response = world.create(all()).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
    assert_eq!(world.attempts(), [("void", "unknown")]);
    assert_eq!((world.note(1), world.sums()), (None, (0, 1_280_00, 0)));
}

#[tokio::test]
async fn a_refund_of_which_no_leg_was_submitted_is_an_error_and_the_key_starts_again() {
    let world = World::of(sample::issued(1));
    world.responds([RefundResponse::NotSubmitted(NotSubmitted::Rejected)]);

    let error = world.create(all()).await.unwrap_err();

    assert!(matches!(error, Error::Provider(ProviderFailure::ProviderRejectedRequest)), "{error:?}");
    assert_eq!((world.status(1), world.sums()), (RefundStatus::Failed, (0, 0, 1_280_00)));
    assert_eq!(world.rows().key.as_ref().unwrap().state, KeyState::Reopened);
    // The same key begins another refund; the failed one stays.
    world.responds([approved(ReturnMethod::Void)]);
    assert_eq!(body_of(&world.create(all()).await.unwrap()), "succeeded");
    assert_eq!((world.status(1), world.status(2)), (RefundStatus::Failed, RefundStatus::Succeeded));
}

#[tokio::test]
async fn four_legs_are_called_at_once_and_each_outcome_begins_the_next() {
    let world = World::of(shared(6));
    world.responds((0..6).map(|_| approved(ReturnMethod::Void)));

    let response = world.create(all()).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    let rows = world.rows();
    assert_eq!(rows.commits[0].attempts.len(), 4);
    assert_eq!(rows.commits.len(), 7, "the intent, and one commit for each leg");
    let open = |commit: &ports::Commit| {
        let of = |attempt: &&domain::attempt::Attempt| attempt.state == domain::attempt::AttemptState::Open;
        commit.attempts.iter().filter(of).count()
    };
    assert_eq!(rows.commits.iter().map(open).collect::<Vec<_>>(), [4, 1, 1, 0, 0, 0, 0]);
    let charges: Vec<_> = rows.requests.iter().map(|it| it.of.attempt.clone()).collect();
    assert!((1..=6).all(|ordinal| charges.contains(&sample::part_attempt_id(1, ordinal, 1))), "{charges:?}");
    assert_eq!(rows.requests[0].of.reference.as_deref(), Some("capture-1"));
}

#[tokio::test]
async fn a_failed_leg_is_retried_by_a_refund_of_its_own() {
    let world = World::of(shared(2));
    world.clock.advance(TimeDelta::minutes(30));
    world.responds([approved(ReturnMethod::Refund), DECLINED]);
    assert_eq!(body_of(&world.create(all()).await.unwrap()), "partially_succeeded");
    assert_eq!(world.note(1).unwrap().total().minor_units(), 640_00);
    assert_eq!(world.sums(), (640_00, 0, 640_00));

    world.rows().key = None;
    world.responds([approved(ReturnMethod::Refund)]);
    let retried = Some(world.refund(1).facts.id.as_str().to_owned());
    let retry = app::CreateRefund { retried, ..command(draft(RefundSelection::Retry)) };
    let response = world.send(retry).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!((world.note(2).unwrap().total().minor_units(), world.sums()), (640_00, (1_280_00, 0, 0)));
    assert_eq!(world.refund(2).legs()[0].ordinal, Some(2));
}

#[tokio::test]
async fn a_call_that_was_delayed_for_two_minutes_is_never_made() {
    let world = World::of(sample::issued(1));
    let clock = world.clock.clone();
    // The intent is durable, and the process sleeps.
    let ports = Ports { clock: Arc::new(Sleeping(clock)), ..world.ports.clone() };

    let response = create_refund(&ports, &admin(), &keyed(), command(all()), &render).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
    assert_eq!((world.methods(), world.legs(1)), (Vec::new(), vec![LegStatus::Verifying]));
}

/// A clock that advances by two minutes each time that it is read.
struct Sleeping(Arc<TestClock>);

impl ports::Clock for Sleeping {
    fn now(&self) -> DateTime<Utc> {
        let now = self.0.now();
        self.0.advance(TimeDelta::minutes(2));
        now
    }
}

#[tokio::test]
async fn an_outcome_is_decided_again_after_a_concurrent_change() {
    let world = World::of(sample::issued(1));
    // Meanwhile another worker took the long silence for a lost response.
    world.responds([approved(ReturnMethod::Void)]).refuses(1, Refusal::Raced);

    let response = world.create(all()).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!(world.events(), ["refund.created", "refund.succeeded", "credit_note.issuing"]);
    let rows = world.rows();
    assert_eq!(rows.commits[1].events[0].previous_status, Some("verifying"));
}

#[tokio::test]
async fn two_refunds_of_a_payment_are_never_open_at_once() {
    let world = World::of(sample::issued(1));
    world.responds([RefundResponse::Ambiguous]).create(amount(500_00)).await.unwrap();
    world.rows().key = None;

    let error = world.create(amount(500_00)).await.unwrap_err();

    let Error::Refusal(refusal) = error else { panic!("{error:?}") };
    assert_eq!(refusal.code, Refused::Conflict(Conflict::RefundInProgress));
}

#[tokio::test]
async fn an_approval_by_the_transaction_of_another_attempt_is_verified() {
    let world = World::of(sample::issued(1));
    world.responds([approved(ReturnMethod::Void)]).refuses(1, Refusal::KnownTransaction);

    let response = world.create(all()).await.unwrap();

    assert_eq!((body_of(&response), world.legs(1)), ("verifying", vec![LegStatus::Verifying]));
}

#[tokio::test]
async fn an_approval_of_a_refund_may_report_that_the_earlier_void_was_done() {
    let world = World::of(sample::issued(1));
    world.responds([DECLINED, approved(ReturnMethod::Void)]);

    let response = world.create(all()).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!(world.refund(1).legs()[0].state().method, LegMethod::Void);
    assert_eq!(world.attempts(), [("void", "approved"), ("refund", "declined")]);
}

#[tokio::test]
async fn the_note_of_a_document_in_progress_waits_and_the_original_is_touched() {
    let world = World::of(sample::paid(1));
    let before = world.rows().sale.sale.document.version();
    world.responds([approved(ReturnMethod::Void)]);

    world.create(all()).await.unwrap();

    assert_eq!(world.note(1).unwrap().status(), DocumentStatus::Requested);
    assert_eq!(world.events(), ["refund.created", "refund.succeeded", "credit_note.requested"]);
    // A concurrent acceptance of the original is decided again, and begins the note.
    assert_eq!(world.rows().sale.sale.document.version(), before + 1);
    let rows = world.rows();
    let end = rows.commits.last().unwrap();
    assert_eq!(end.documents.iter().map(|it| it.based_on.is_some()).collect::<Vec<_>>(), [false, true]);
    assert!(end.documents[1].lease_until.is_some(), "the worker of the original keeps its lease");
}
