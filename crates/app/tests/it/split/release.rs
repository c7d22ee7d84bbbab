use app::{Error, ProviderFailure, cancel_payment, release_split};
use domain::{
    Conflict, EventKind,
    attempt::AttemptState,
    payment::{DeclineCode, PaymentStatus},
    split::PartState,
};
use mockall::Sequence;
use ports::{CallOutcome, Committed, NotSubmitted};
use testkit::sample;

use super::{
    PAYMENT, attempts_of, is_completed, is_held, is_of, is_reopened, kinds, part_states, provider_response, world,
};
use crate::support::{Mocks, body_of, keyed, merchant, payer, render};

/// The first of three shares is reserved, the others are unpaid.
fn partly_reserved() -> domain::sale::Sale {
    let mut sale = sample::split_sale(1, 3);
    let attempt = sample::part_attempt_id(1, 1, 1);
    let valid_until = sample::noon() + chrono::TimeDelta::days(7);
    sale.submit_part(1, attempt.clone(), sample::card(), sample::noon()).unwrap();
    let approved = domain::split::AuthorizationOutcome::Approved { valid_until, is_card_stored: false };
    sale.apply_authorization(&attempt, approved, sample::noon()).unwrap();
    sale
}

#[tokio::test]
async fn reserved_funds_are_released_between_two_commits() {
    for is_cancellation in [true, false] {
        let mut mocks = world(partly_reserved());
        let mut in_order = Sequence::new();
        let intents = |it: &ports::Commit| {
            attempts_of(it) == [(1, AttemptState::Open)]
                && part_states(it) == [PartState::Releasing, PartState::Released, PartState::Released]
                && is_held(it)
        };
        mocks.sales.expect_commit().withf(intents).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        let void = mocks.provider.expect_void().withf(|it| is_of(it, 1));
        void.once().in_sequence(&mut in_order).returning(|_| provider_response(CallOutcome::Approved));
        let outcome = |it: &ports::Commit| {
            attempts_of(it) == [(1, AttemptState::Approved)]
                && kinds(it)
                    == [EventKind::PaymentPartReleased, EventKind::PaymentCanceled, EventKind::FiscalDocumentCanceled]
                && is_completed(it)
        };
        mocks.sales.expect_commit().withf(outcome).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        let ports = mocks.into_ports();

        let response = if is_cancellation {
            cancel_payment(&ports, &merchant(), &keyed(), PAYMENT, &render).await
        } else {
            release_split(&ports, &merchant(), &keyed(), PAYMENT, &render).await
        };

        assert_eq!(body_of(&response.unwrap()), "canceled");
    }
}

#[tokio::test]
async fn a_release_without_reserved_funds_is_one_commit() {
    let mut mocks = world(sample::split_sale(1, 2));
    let at_once = |it: &ports::Commit| it.attempts.is_empty() && is_completed(it);
    mocks.sales.expect_commit().withf(at_once).once().returning(|_| Ok(Committed::Done));

    let response = release_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "canceled");
}

#[tokio::test]
async fn an_unreachable_provider_leaves_the_sale_unchanged() {
    let mut mocks = world(partly_reserved());
    let before = partly_reserved().payment.split().unwrap().clone();
    mocks
        .provider
        .expect_void()
        .once()
        .returning(|_| provider_response(CallOutcome::NotSubmitted(NotSubmitted::Unavailable)));
    let mut in_order = Sequence::new();
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let undone = move |it: &ports::Commit| {
        it.payment.as_ref().is_some_and(|it| it.to.split() == Some(&before))
            && attempts_of(it) == [(1, AttemptState::NotSubmitted)]
            && is_reopened(it)
    };
    mocks.sales.expect_commit().withf(undone).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let error = release_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap_err();

    assert!(matches!(error, Error::Provider(ProviderFailure::ProviderUnavailable)));
}

/// A cancellation is not undone: the worker releases the funds that could not be released at once.
#[tokio::test]
async fn a_cancellation_stays_while_the_provider_is_unreachable() {
    let mut mocks = world(partly_reserved());
    mocks
        .provider
        .expect_void()
        .once()
        .returning(|_| provider_response(CallOutcome::NotSubmitted(NotSubmitted::Unavailable)));
    let mut in_order = Sequence::new();
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let going_on = |it: &ports::Commit| {
        part_states(it).first() == Some(&PartState::Releasing)
            && attempts_of(it) == [(1, AttemptState::NotSubmitted)]
            && is_completed(it)
    };
    mocks.sales.expect_commit().withf(going_on).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let response = cancel_payment(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "releasing");
}

/// The next look-up finds the reason; until then the release is not repeated.
#[tokio::test]
async fn a_release_that_was_refused_is_in_doubt() {
    for refusal in [CallOutcome::NotSubmitted(NotSubmitted::Rejected), CallOutcome::Declined(DeclineCode::DoNotHonor)] {
        let mut mocks = world(partly_reserved());
        mocks.provider.expect_void().once().return_once(move |_| provider_response(refusal));
        let mut in_order = Sequence::new();
        mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        let in_doubt = |it: &ports::Commit| {
            part_states(it).first() == Some(&PartState::VerifyingRelease)
                && attempts_of(it) == [(1, AttemptState::Unknown)]
        };
        mocks
            .sales
            .expect_commit()
            .withf(in_doubt)
            .once()
            .in_sequence(&mut in_order)
            .returning(|_| Ok(Committed::Done));

        let response = release_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

        assert_eq!(body_of(&response), "verifying");
    }
}

#[tokio::test]
async fn the_loser_of_a_race_decides_again_and_is_refused() {
    let mut mocks = super::knowing(Mocks::ready_for_a_sale().with_unused_key());
    let mut in_order = Sequence::new();
    mocks
        .sales
        .expect_find()
        .once()
        .in_sequence(&mut in_order)
        .returning(|_, _| Ok(Some(sample::authorized_split(1, 2))));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Stale));
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(|_, _| {
        let mut sale = sample::authorized_split(1, 2);
        sale.capture(sample::noon()).unwrap();
        Ok(Some(sale))
    });

    // A provider call would panic.
    let error = release_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap_err();

    assert!(matches!(error, Error::Refusal(it) if it.code == Conflict::PaymentSplitLocked.into()));
}

#[tokio::test]
async fn a_payer_may_not_release_or_cancel() {
    let released = release_split(&Mocks::default().into_ports(), &payer(1), &keyed(), PAYMENT, &render).await;
    let canceled = cancel_payment(&Mocks::default().into_ports(), &payer(1), &keyed(), PAYMENT, &render).await;

    assert!(matches!(released, Err(Error::Permission(..))) && matches!(canceled, Err(Error::Permission(..))));
    assert_eq!(partly_reserved().payment.status(), PaymentStatus::PartiallyAuthorized);
}
