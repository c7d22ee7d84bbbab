//! Due work of a split.

use app::settle_payment;
use chrono::TimeDelta;
use domain::{
    EventKind,
    attempt::{AttemptKind, AttemptState},
    payment::DeclineCode,
    sale::Sale,
    split::{AuthorizationOutcome, CaptureOutcome, PartState, Split},
};
use mockall::Sequence;
use ports::{CallOutcome, Commit, Committed, LookUp};
use testkit::sample;

use super::{attempt, attempts_of, is_of, kinds, part_states, provider_response, world};
use crate::support::Mocks;

async fn settle(mocks: Mocks) {
    settle_payment(&mocks.into_ports(), &sample::tenant(), &sample::payment_id(1)).await.unwrap();
}

/// A card for the first of two shares, without a response.
fn in_flight() -> Sale {
    let mut sale = sample::split_sale(1, 2);
    sale.submit_part(1, sample::part_attempt_id(1, 1, 1), sample::card(), sample::noon()).unwrap();
    sale
}

fn in_doubt() -> Sale {
    let mut sale = in_flight();
    let attempt = sample::part_attempt_id(1, 1, 1);
    sale.apply_authorization(&attempt, AuthorizationOutcome::Ambiguous, sample::noon()).unwrap();
    sale
}

#[tokio::test]
async fn a_card_without_a_response_is_in_doubt_and_not_repeated() {
    let mut mocks = world(in_flight());
    mocks.clock.advance(Split::CALL_LIFE);
    let doubted = |it: &Commit| {
        part_states(it) == [PartState::VerifyingAuthorization, PartState::Unpaid]
            && attempts_of(it) == [(1, AttemptState::Unknown)]
            && it.key.is_none()
    };
    mocks.sales.expect_commit().withf(doubted).once().returning(|_| Ok(Committed::Done));

    settle(mocks).await;
}

#[tokio::test]
async fn an_abandoned_challenge_is_looked_up_and_orphans_its_attempt() {
    let mut sale = in_flight();
    let attempt = sample::part_attempt_id(1, 1, 1);
    let challenge_outcome = AuthorizationOutcome::ChallengeRequired(sample::symbols(7), sample::challenge());
    sale.apply_authorization(&attempt, challenge_outcome, sample::noon()).unwrap();
    let mut mocks = world(sale);
    mocks.clock.advance(TimeDelta::minutes(15));
    mocks.provider.expect_look_up().once().returning(|_| LookUp::Unfinished);
    let failed = AttemptState::Declined(DeclineCode::AuthenticationFailed);
    let abandoned =
        move |it: &Commit| kinds(it) == [EventKind::PaymentPartDeclined] && attempts_of(it) == [(1, failed)];
    mocks.sales.expect_commit().withf(abandoned).once().returning(|_| Ok(Committed::Done));

    settle(mocks).await;
}

#[tokio::test]
async fn a_doubt_is_looked_up_by_the_attempt_that_reserved_the_funds() {
    let amount = attempt(1, 1).amount;
    let found = LookUp::Held { amount, reference: Some("tx-9".to_owned()) };
    for (look_up, standing, state) in [
        (found, PartState::Authorized, AttemptState::Approved),
        (
            LookUp::Declined(DeclineCode::DoNotHonor),
            PartState::Declined,
            AttemptState::Declined(DeclineCode::DoNotHonor),
        ),
        (LookUp::Gone, PartState::Unpaid, AttemptState::NotExecuted),
        (LookUp::NotFound, PartState::VerifyingAuthorization, AttemptState::Unknown),
        (LookUp::Unknown, PartState::VerifyingAuthorization, AttemptState::Unknown),
        (LookUp::Approved { amount, reference: None }, PartState::VerifyingAuthorization, AttemptState::Unknown),
    ] {
        let mut mocks = world(in_doubt());
        mocks.clock.advance(TimeDelta::seconds(15));
        let look_up_result = look_up.clone();
        let by_name = mocks.provider.expect_look_up().withf(|it| it.attempt == sample::part_attempt_id(1, 1, 1));
        by_name.once().return_once(move |_| look_up_result);
        let outcome = move |it: &Commit| part_states(it).first() == Some(&standing) && attempts_of(it) == [(1, state)];
        mocks.sales.expect_commit().withf(outcome).once().returning(|_| Ok(Committed::Done));

        settle(mocks).await;
    }
}

/// A capture and its reservation have one reference at the provider: the reservation's.
#[tokio::test]
async fn a_doubtful_capture_is_looked_up_by_its_reservation() {
    let mut sale = sample::authorized_split(1, 2);
    sale.capture(sample::noon()).unwrap();
    for ordinal in [1, 2] {
        let capture = sample::part_attempt_id(1, ordinal, 2);
        sale.begin_call(ordinal, capture.clone(), sample::noon()).unwrap();
        sale.apply_capture(&capture, CaptureOutcome::Ambiguous, sample::noon()).unwrap();
    }
    let mut mocks = world(sale);
    mocks.clock.advance(TimeDelta::seconds(15));
    let amount = attempt(1, 1).amount;
    let by_hold = mocks
        .provider
        .expect_look_up()
        .withf(|it| [1, 2].map(|ordinal| sample::part_attempt_id(1, ordinal, 1)).contains(&it.attempt));
    by_hold.times(2).returning(move |_| LookUp::Captured { amount, reference: None });
    let mut in_order = Sequence::new();
    let first = |it: &Commit| {
        attempts_of(it) == [(1, AttemptState::Approved)]
            && it.attempts.iter().all(|it| it.kind == AttemptKind::Capture)
            && kinds(it) == [EventKind::PaymentPartCaptured]
    };
    mocks.sales.expect_commit().withf(first).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let last = |it: &Commit| kinds(it).contains(&EventKind::FiscalDocumentIssuing);
    mocks.sales.expect_commit().withf(last).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    settle(mocks).await;
}

#[tokio::test]
async fn the_end_of_the_window_releases_reserved_funds() {
    let mut mocks = world(sample::authorized_split(1, 2));
    mocks.clock.advance(TimeDelta::hours(2));
    let mut in_order = Sequence::new();
    let closed = |it: &Commit| part_states(it) == [PartState::Releasing; 2] && it.attempts.is_empty();
    mocks.sales.expect_commit().withf(closed).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let intents = |it: &Commit| attempts_of(it) == [(1, AttemptState::Open), (2, AttemptState::Open)];
    mocks.sales.expect_commit().withf(intents).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    for ordinal in [1, 2] {
        let void = mocks.provider.expect_void().withf(move |it| is_of(it, ordinal));
        void.once().in_sequence(&mut in_order).returning(|_| provider_response(CallOutcome::Approved));
        let gone = move |it: &Commit| attempts_of(it) == [(ordinal, AttemptState::Approved)];
        mocks.sales.expect_commit().withf(gone).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    }

    settle(mocks).await;
}

#[tokio::test]
async fn captures_without_a_call_are_made() {
    let mut sale = sample::authorized_split(1, 2);
    sale.capture(sample::noon()).unwrap();
    sale.begin_call(1, sample::part_attempt_id(1, 1, 2), sample::noon()).unwrap();
    let mut mocks = world(sale);
    let mut in_order = Sequence::new();
    let intent = |it: &Commit| attempts_of(it) == [(2, AttemptState::Open)];
    mocks.sales.expect_commit().withf(intent).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let second = mocks.provider.expect_capture().withf(|it| is_of(it, 2));
    second.once().in_sequence(&mut in_order).returning(|_| provider_response(CallOutcome::Approved));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    settle(mocks).await;
}

/// Due captures do not wait for a late approval.
#[tokio::test]
async fn captures_are_made_although_an_orphan_cannot_be_reconciled() {
    let mut sale = sample::authorized_split(1, 2);
    sale.capture(sample::noon()).unwrap();
    // The store has no such attempt.
    let unknown = sample::part_attempt_id(1, 2, 9);
    assert!(sale.payment.approved_late(&unknown, sample::noon(), sample::noon()));
    let mut mocks = world(sale);
    mocks.provider.expect_capture().times(2).returning(|_| provider_response(CallOutcome::Approved));
    mocks.sales.expect_commit().times(3).returning(|_| Ok(Committed::Done));

    let settled = settle_payment(&mocks.into_ports(), &sample::tenant(), &sample::payment_id(1)).await;

    assert!(settled.is_err(), "an error about the orphan is returned");
}

#[tokio::test]
async fn a_slower_worker_repeats_no_call() {
    let mut sale = sample::authorized_split(1, 2);
    sale.capture(sample::noon()).unwrap();
    let mut begun = sale.clone();
    for ordinal in [1, 2] {
        begun.begin_call(ordinal, sample::part_attempt_id(1, ordinal, 2), sample::noon()).unwrap();
    }
    let mut mocks = super::knowing(Mocks::default());
    let mut in_order = Sequence::new();
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(move |_, _| Ok(Some(sale.clone())));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Stale));
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(move |_, _| Ok(Some(begun.clone())));

    // No capture is expected of the provider: a call would panic.
    settle(mocks).await;
}

#[tokio::test]
async fn a_split_without_due_work_is_unchanged() {
    for sale in [sample::split_sale(1, 2), sample::authorized_split(1, 2), in_flight(), in_doubt()] {
        settle(world(sale)).await;
    }
}
