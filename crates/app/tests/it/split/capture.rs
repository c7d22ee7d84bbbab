use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use app::{Error, ProviderFailure, capture_split};
use chrono::TimeDelta;
use domain::{
    Conflict, EventKind,
    attempt::AttemptState,
    payment::DeclineCode,
    split::{PartState, PartStatus, Split},
};
use mockall::Sequence;
use ports::{CallOutcome, Committed, KeyState, LookUp, NotSubmitted};
use testkit::sample;

use super::{
    PAYMENT, attempt, attempts_of, is_completed, is_held, is_of, is_reopened, kinds, part_states, provider_response,
    world,
};
use crate::support::{Mocks, body_of, keyed, merchant, payer, render};

const OPEN: AttemptState = AttemptState::Open;
const DONE: AttemptState = AttemptState::Approved;

#[tokio::test]
async fn intents_are_durable_before_the_calls_and_each_outcome_is_a_commit() {
    let mut mocks = world(sample::authorized_split(1, 2));
    let mut in_order = Sequence::new();
    let intents = |it: &ports::Commit| {
        attempts_of(it) == [(1, OPEN), (2, OPEN)]
            && kinds(it) == [EventKind::PaymentCapturing]
            && is_held(it)
            && it.payment.as_ref().is_some_and(|it| it.lease_until.is_none())
    };
    mocks.sales.expect_commit().withf(intents).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let first = |it: &ports::Commit| {
        attempts_of(it) == [(1, DONE)] && kinds(it) == [EventKind::PaymentPartCaptured] && it.key.is_none()
    };
    let last = |it: &ports::Commit| {
        attempts_of(it) == [(2, DONE)]
            && kinds(it)
                == [EventKind::PaymentPartCaptured, EventKind::PaymentSucceeded, EventKind::FiscalDocumentIssuing]
            && is_completed(it)
    };
    for (ordinal, outcome) in [(1, first as fn(&ports::Commit) -> bool), (2, last)] {
        let capture = mocks.provider.expect_capture().withf(move |it| is_of(it, ordinal));
        capture.once().in_sequence(&mut in_order).returning(|_| provider_response(CallOutcome::Approved));
        mocks.sales.expect_commit().withf(outcome).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    }

    let response = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
}

#[tokio::test]
async fn at_most_four_are_with_the_provider_at_once() {
    let mut mocks = world(sample::authorized_split(1, 10));
    let open = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (in_commit, highest) = (open.clone(), most.clone());
    mocks.sales.expect_commit().times(11).returning(move |it| {
        let begun = attempts_of(&it).iter().filter(|(_, state)| *state == OPEN).count();
        let ended = attempts_of(&it).len() - begun;
        let now = in_commit.fetch_add(begun, Ordering::SeqCst) + begun - ended;
        in_commit.fetch_sub(ended, Ordering::SeqCst);
        highest.fetch_max(now, Ordering::SeqCst);
        Ok(Committed::Done)
    });
    mocks.provider.expect_capture().times(10).returning(|_| provider_response(CallOutcome::Approved));

    let response = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
    assert_eq!((open.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (0, 4));
}

#[tokio::test]
async fn an_unreachable_provider_leaves_the_sale_unchanged() {
    for (why, found, code) in [
        (NotSubmitted::Unavailable, None, ProviderFailure::ProviderUnavailable),
        (NotSubmitted::Rejected, Some(()), ProviderFailure::ProviderRejectedRequest),
    ] {
        let mut mocks = world(sample::authorized_split(1, 2));
        mocks.provider.expect_capture().times(2).returning(move |_| provider_response(CallOutcome::NotSubmitted(why)));
        if found.is_some() {
            let amount = attempt(1, 1).amount;
            mocks.provider.expect_look_up().times(2).returning(move |_| LookUp::Held { amount, reference: None });
        }
        let mut in_order = Sequence::new();
        mocks.sales.expect_commit().times(2).in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        let last = |it: &ports::Commit| {
            part_states(it) == [PartState::Authorized; 2]
                && attempts_of(it) == [(2, AttemptState::NotSubmitted)]
                && is_reopened(it)
        };
        mocks.sales.expect_commit().withf(last).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

        let error = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap_err();

        assert!(matches!(error, Error::Provider(it) if it == code), "{error:?}");
    }
}

#[tokio::test]
async fn a_partial_outcome_returns_the_state_of_all_parts() {
    let mut mocks = world(sample::authorized_split(1, 2));
    mocks.sales.expect_commit().times(3).returning(|_| Ok(Committed::Done));
    mocks.provider.expect_capture().times(2).returning(|it| {
        let is_first = is_of(&it, 1);
        provider_response(if is_first {
            CallOutcome::NotSubmitted(NotSubmitted::Unavailable)
        } else {
            CallOutcome::Approved
        })
    });

    let response = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "partially_paid");
}

#[tokio::test]
async fn a_refused_capture_is_followed_by_a_look_up() {
    let amount = attempt(1, 1).amount;
    let reference = || Some("tx-2".to_owned());
    let refused = AttemptState::Declined(DeclineCode::GenericDecline);
    for (found, status, state) in [
        (LookUp::Held { amount, reference: reference() }, PartStatus::Authorized, refused),
        (LookUp::Gone, PartStatus::Declined, refused),
        (LookUp::Captured { amount, reference: reference() }, PartStatus::Succeeded, DONE),
        (LookUp::NotFound, PartStatus::Verifying, AttemptState::Unknown),
        (LookUp::Unknown, PartStatus::Verifying, AttemptState::Unknown),
    ] {
        let mut mocks = world(sample::authorized_split(1, 2));
        mocks.provider.expect_capture().times(2).returning(|it| {
            let is_first = is_of(&it, 1);
            provider_response(if is_first {
                CallOutcome::Declined(DeclineCode::InsufficientFunds)
            } else {
                CallOutcome::Approved
            })
        });
        let look_up = found.clone();
        mocks.provider.expect_look_up().once().returning(move |_| look_up.clone());
        let mut in_order = Sequence::new();
        mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        let outcome = move |it: &ports::Commit| {
            let part = it.payment.as_ref().unwrap().to.split().unwrap().part(1).unwrap().status();
            part == status && attempts_of(it) == [(1, state)]
        };
        mocks.sales.expect_commit().withf(outcome).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

        capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render)
            .await
            .unwrap_or_else(|error| panic!("{found:?}: {error:?}"));
    }
}

/// A capture of another amount is no proof.
#[tokio::test]
async fn another_amount_is_no_proof() {
    let mut mocks = world(sample::authorized_split(1, 2));
    mocks
        .provider
        .expect_capture()
        .times(2)
        .returning(|_| provider_response(CallOutcome::Declined(DeclineCode::DoNotHonor)));
    let amount = sample::sale(1).payment.total_amount();
    mocks.provider.expect_look_up().times(2).returning(move |_| LookUp::Captured { amount, reference: None });
    mocks.sales.expect_commit().times(3).returning(|_| Ok(Committed::Done));

    let response = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
}

/// A process that stalled between the intent and the call makes no call.
#[tokio::test]
async fn a_call_that_was_held_up_is_not_made() {
    let mut mocks = world(sample::authorized_split(1, 2));
    let clock = mocks.clock.clone();
    mocks.sales.expect_commit().times(3).returning(move |it| {
        if attempts_of(&it).len() == 2 {
            clock.advance(Split::CALL_LIFE);
        }
        Ok(Committed::Done)
    });

    // No capture is expected of the provider: a call would panic.
    let response = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
}

#[tokio::test]
async fn a_crash_after_the_intents_is_looked_up_and_not_captured_again() {
    let mut begun = sample::authorized_split(1, 2);
    begun.capture(sample::noon()).unwrap();
    for ordinal in [1, 2] {
        begun.begin_call(ordinal, sample::part_attempt_id(1, ordinal, 2), sample::noon()).unwrap();
    }
    let mut mocks = super::knowing(Mocks::ready_for_a_sale());
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(begun.clone())));
    mocks.idempotency.expect_find().returning(|scope, digest| {
        let attempt = Some(sample::part_attempt_id(1, 1, 2));
        Ok(Some(ports::KeyRecord {
            scope: scope.clone(),
            digest: *digest,
            fingerprint: crate::support::squeeze(b"request-fingerprintthe request"),
            first_used_at: sample::noon(),
            epoch: 1,
            state: KeyState::InProgress { lease_until: sample::noon(), attempt },
        }))
    });
    let amount = attempt(1, 1).amount;
    mocks.provider.expect_look_up().times(2).returning(move |it| {
        assert!([1, 2].map(|ordinal| sample::part_attempt_id(1, ordinal, 1)).contains(&it.attempt));
        let is_first = it.attempt == sample::part_attempt_id(1, 1, 1);
        if is_first { LookUp::Captured { amount, reference: None } } else { LookUp::Held { amount, reference: None } }
    });
    let mut in_order = Sequence::new();
    let takes_over = |it: &ports::Commit| it.payment.is_none() && is_held(it);
    mocks.sales.expect_commit().withf(takes_over).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let last =
        |it: &ports::Commit| part_states(it) == [PartState::Succeeded, PartState::VerifyingCapture] && is_completed(it);
    mocks.sales.expect_commit().withf(last).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let response = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
}

#[tokio::test]
async fn an_outcome_is_decided_again_after_a_conflict() {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    let mut in_order = Sequence::new();
    mocks
        .sales
        .expect_find()
        .once()
        .in_sequence(&mut in_order)
        .returning(|_, _| Ok(Some(sample::authorized_split(1, 2))));
    let after_intents = Arc::new(std::sync::Mutex::new(None));
    let snapshot = after_intents.clone();
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(move |it| {
        *snapshot.lock().unwrap() = it.snapshot;
        Ok(Committed::Done)
    });
    mocks.provider.expect_capture().times(2).returning(|_| provider_response(CallOutcome::Approved));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Stale));
    mocks.sales.expect_find().once().in_sequence(&mut in_order).returning(move |_, _| {
        // Meanwhile the reconciler treated the long silence as an unknown outcome.
        let mut sale = *after_intents.lock().unwrap().clone().unwrap();
        sale.expire_due(sample::noon() + Split::CALL_LIFE).unwrap();
        Ok(Some(sale))
    });
    mocks.sales.expect_commit().times(2).in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let ports = super::knowing(mocks).into_ports();
    let response = capture_split(&ports, &merchant(), &keyed(), PAYMENT, &render).await.unwrap();

    assert_eq!(body_of(&response), "succeeded");
}

/// Validity and window have ended, and no worker ran: due work is done first, and no hold counts as released without a
/// look-up.
#[tokio::test]
async fn a_capture_after_the_validity_is_refused_and_due_work_is_done() {
    let mut mocks = world(sample::authorized_split(1, 2));
    mocks.clock.advance(TimeDelta::days(7));
    mocks.provider.expect_void().times(2).returning(|_| provider_response(CallOutcome::Approved));
    let committed = Arc::new(Mutex::new(Vec::new()));
    let seen = committed.clone();
    mocks.sales.expect_commit().returning(move |it| {
        seen.lock().unwrap().push(it);
        Ok(Committed::Done)
    });

    let error = capture_split(&mocks.into_ports(), &merchant(), &keyed(), PAYMENT, &render).await.unwrap_err();

    assert!(matches!(error, Error::Refusal(it) if it.code == Conflict::PaymentSplitNotCapturable.into()));
    let committed = committed.lock().unwrap();
    assert!(committed.iter().all(|it| it.key.is_none()));
    let event_kinds: Vec<EventKind> = committed.iter().flat_map(kinds).collect();
    assert_eq!(event_kinds.iter().filter(|it| **it == EventKind::PaymentPartExpired).count(), 2, "{event_kinds:?}");
}

#[tokio::test]
async fn captures_without_permission_or_reservation_are_refused() {
    let paying = capture_split(&Mocks::default().into_ports(), &payer(1), &keyed(), PAYMENT, &render).await;
    let whole = capture_split(&world(sample::sale(1)).into_ports(), &merchant(), &keyed(), PAYMENT, &render).await;
    let open =
        capture_split(&world(sample::split_sale(1, 2)).into_ports(), &merchant(), &keyed(), PAYMENT, &render).await;

    assert!(matches!(paying, Err(Error::Permission(..))));
    assert!(matches!(whole, Err(Error::NotFound(app::NotFound::PaymentSplitNotFound, None))));
    assert!(matches!(open, Err(Error::Refusal(it)) if it.code == Conflict::PaymentSplitNotCapturable.into()));
}
