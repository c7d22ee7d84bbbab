use app::{Error, NotFound, ProviderFailure, SubmitCard, submit_card};
use chrono::TimeDelta;
use domain::{
    Card, Conflict, EventKind, Refusal,
    attempt::{AttemptKind, AttemptState},
    payment::{DeclineCode, PaymentStatus},
    sale::Sale,
    split::{PartState, PartStatus},
};
use mockall::Sequence;
use ports::{CallOutcome, Commit, Committed, LookUp, NotSubmitted};
use testkit::sample;
use zeroize::Zeroizing;

use super::{PAYMENT, attempts_of, is_completed, is_held, is_reopened, kinds, part_states, provider_response, world};
use crate::support::{body_of, keyed, payer, render};

fn command(part_ordinal: Option<u8>) -> SubmitCard {
    let number = Zeroizing::new("4222220000000008".to_owned());
    let card = Card::new(number, Zeroizing::new("123".to_owned()), 12, 2030, None).unwrap();
    SubmitCard {
        payment: PAYMENT.to_owned(),
        instrument: card.into(),
        part_ordinal,
        expected_amount: None,
        browser: sample::browser(),
        challenge_base_url: "https://pay.example/c/".to_owned(),
    }
}

/// The second of three payers submits a card, with `outcome` at the provider.
async fn paid(
    outcome: CallOutcome,
    expected: impl Fn(&Commit) -> bool + Send + 'static,
) -> Result<app::Response, Error> {
    let mut mocks = world(sample::split_sale(1, 3));
    let mut in_order = Sequence::new();
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks.provider.expect_hold().once().in_sequence(&mut in_order).return_once(move |_| provider_response(outcome));
    mocks.sales.expect_commit().withf(expected).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(Some(2)), &render).await
}

#[tokio::test]
async fn a_share_is_reserved_without_a_charge() {
    let mut mocks = world(sample::split_sale(1, 3));
    let share = sample::split_sale(1, 3).payment.split().unwrap().part(2).unwrap().share;
    let mut in_order = Sequence::new();
    let intent = move |it: &Commit| {
        let is_of_share = |it: &domain::attempt::Attempt| {
            (it.part, it.kind, it.number, it.amount) == (Some(2), AttemptKind::Authorization, 1, share.amount)
        };
        // Another part may be due while this card is away.
        it.payment.as_ref().is_some_and(|it| it.lease_until.is_none())
            && it.attempts.iter().all(is_of_share)
            && attempts_of(it) == [(2, AttemptState::Open)]
            && is_held(it)
    };
    mocks.sales.expect_commit().withf(intent).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let hold =
        mocks.provider.expect_hold().withf(move |it| (it.amount, it.itbis) == (share.amount, share.allocated_itbis));
    hold.once().in_sequence(&mut in_order).returning(|_| provider_response(CallOutcome::Approved));
    let outcome = |it: &Commit| {
        kinds(it) == [EventKind::PaymentPartAuthorized, EventKind::PaymentPartiallyAuthorized]
            && it.events.first().is_some_and(|it| it.part == Some(2))
            && attempts_of(it) == [(2, AttemptState::Approved)]
            && is_completed(it)
    };
    mocks.sales.expect_commit().withf(outcome).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(Some(2)), &render).await.unwrap();

    assert_eq!(body_of(&response), "partially_authorized");
}

#[tokio::test]
async fn a_reservation_is_valid_from_its_request() {
    let until = sample::noon() + TimeDelta::days(7);
    let is_stored = move |it: &Commit| {
        let part = it.payment.as_ref().unwrap().to.split().unwrap().part(2).unwrap();
        part.authorization_valid_until() == Some(until)
    };

    paid(CallOutcome::Approved, is_stored).await.unwrap();
}

#[tokio::test]
async fn the_part_shows_the_outcome_of_the_provider() {
    let code = DeclineCode::InsufficientFunds;
    for (outcome, standing, state) in [
        (CallOutcome::Declined(code), PartState::Declined, AttemptState::Declined(code)),
        (CallOutcome::Ambiguous, PartState::VerifyingAuthorization, AttemptState::Unknown),
        (CallOutcome::ActionRequired(sample::challenge()), PartState::Processing, AttemptState::Open),
    ] {
        let expected = move |it: &Commit| {
            part_states(it) == [PartState::Unpaid, standing, PartState::Unpaid]
                && attempts_of(it) == [(2, state)]
                && is_completed(it)
        };
        paid(outcome, expected).await.unwrap();
    }
}

#[tokio::test]
async fn a_card_that_was_not_submitted_is_an_error_and_reopens_the_key() {
    let unpaid = |it: &Commit| part_states(it) == [PartState::Unpaid; 3] && is_reopened(it);

    let error = paid(CallOutcome::NotSubmitted(NotSubmitted::Unavailable), unpaid).await.unwrap_err();

    assert!(matches!(error, Error::Provider(ProviderFailure::ProviderUnavailable)));
}

#[tokio::test]
async fn a_part_that_is_not_there_is_named() {
    for (sale, ordinal, code) in [
        (sample::sale(1), Some(1), NotFound::PaymentSplitNotFound),
        (sample::split_sale(1, 3), Some(0), NotFound::PaymentPartNotFound),
        (sample::split_sale(1, 3), Some(4), NotFound::PaymentPartNotFound),
    ] {
        let ports = world(sale).into_ports();
        let error = submit_card(&ports, &payer(1), &keyed(), command(ordinal), &render).await.unwrap_err();

        assert!(matches!(error, Error::NotFound(it, Some(ref at)) if it == code && at == "partOrdinal"), "{error:?}");
    }
    let ports = world(sample::split_sale(1, 3)).into_ports();
    let error = submit_card(&ports, &payer(1), &keyed(), command(None), &render).await.unwrap_err();
    let expected = Refusal::at(Conflict::PaymentSplitPartRequired, "partOrdinal");
    assert!(matches!(error, Error::Refusal(it) if (it.code, &it.param) == (expected.code, &expected.param)));
}

/// A process that stalled between the intent and the call makes no call.
#[tokio::test]
async fn a_card_that_was_held_up_is_not_sent() {
    for sale in [sample::sale(1), sample::split_sale(1, 3)] {
        let ordinal = sale.payment.split().map(|_| 2);
        let mut mocks = world(sale);
        let clock = mocks.clock.clone();
        mocks.sales.expect_commit().times(2).returning(move |_| {
            clock.advance(TimeDelta::seconds(120));
            Ok(Committed::Done)
        });

        // Neither a charge nor a hold is expected of the provider: a call would panic.
        let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(ordinal), &render).await.unwrap();

        assert_eq!(body_of(&response), "verifying");
    }
}

#[tokio::test]
async fn the_end_of_the_window_is_announced_before_a_late_outcome() {
    let sale = sample::split_sale(1, 3);
    let end = sale.payment.split().unwrap().expires_at();
    let mut mocks = world(sale);
    let (clock, mut in_order) = (mocks.clock.clone(), Sequence::new());
    clock.set(end - TimeDelta::seconds(30));
    let enters = |status: PaymentStatus, kind: EventKind| {
        move |it: &Commit| {
            let shown = it.snapshot.as_ref().map(|it| it.payment.status());
            let others =
                [EventKind::PaymentProcessing, EventKind::PaymentVerifying].into_iter().filter(|it| *it != kind);
            shown == Some(status)
                && kinds(it).contains(&kind)
                && others.into_iter().all(|other| !kinds(it).contains(&other))
        }
    };
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks.provider.expect_hold().once().in_sequence(&mut in_order).return_once(move |_| {
        clock.advance(TimeDelta::seconds(60));
        provider_response(CallOutcome::Ambiguous)
    });
    let processing = enters(PaymentStatus::Processing, EventKind::PaymentProcessing);
    mocks.sales.expect_commit().withf(processing).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let verifying = enters(PaymentStatus::Verifying, EventKind::PaymentVerifying);
    mocks.sales.expect_commit().withf(verifying).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(Some(2)), &render).await.unwrap();

    assert_eq!(body_of(&response), "verifying");
}

/// The response took hours, and look-ups had proved that no funds were reserved.
#[tokio::test]
async fn a_release_of_late_funds_is_committed_as_due_first() {
    let mut mocks = crate::support::Mocks::ready_for_a_sale().with_unused_key();
    mocks.provider.expect_hold_validity().return_const(TimeDelta::days(7));
    mocks.sales.expect_find().returning(|_, _| Ok(Some(sample::split_sale(1, 3))));
    mocks.sales.expect_find_attempt().returning(|_, id| {
        let attempt = sample::part_attempt(1, 2, 1, AttemptKind::Authorization);
        Ok(Some(domain::attempt::Attempt { id: id.clone(), state: AttemptState::NotExecuted, ..attempt }))
    });
    let mut in_order = Sequence::new();
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks
        .provider
        .expect_hold()
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| provider_response(CallOutcome::Approved));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(ports::Committed::Stale));
    let to_do = |it: &Commit| {
        let orphans = it.payment.as_ref().unwrap().to.orphans();
        orphans.len() == 1
            && orphans[0].holds_money()
            && orphans[0].progress.next_check_at == sample::noon()
            && kinds(it).is_empty()
            && attempts_of(it) == [(2, AttemptState::NotExecuted)]
            && is_completed(it)
    };
    mocks.sales.expect_commit().withf(to_do).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let response = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(Some(2)), &render).await.unwrap();

    assert_eq!(body_of(&response), "requires_customer_action");
}

fn in_flight() -> Sale {
    let mut sale = sample::split_sale(1, 3);
    sale.submit_part(2, sample::part_attempt_id(1, 2, 1), sample::card(), sample::noon()).unwrap();
    sale
}

#[tokio::test]
async fn a_crash_after_the_intent_is_looked_up_and_never_repeated() {
    let amount = sample::part_attempt(1, 2, 1, AttemptKind::Authorization).amount;
    let other = domain::Money::new(1, amount.currency());
    let held = |amount| LookUp::Held { amount, reference: None };
    for (look_up, status) in [
        (held(amount), PartStatus::Authorized),
        (held(other), PartStatus::Verifying),
        (LookUp::Declined(DeclineCode::CardExpired), PartStatus::Declined),
        (LookUp::NotFound, PartStatus::Verifying),
        (LookUp::Gone, PartStatus::Verifying),
        (LookUp::Approved { amount, reference: None }, PartStatus::Verifying),
    ] {
        let mut mocks = super::knowing(crate::support::Mocks::ready_for_a_sale());
        mocks.sales.expect_find().returning(|_, _| Ok(Some(in_flight())));
        mocks.idempotency.expect_find().returning(|scope, digest| {
            let attempt = Some(sample::part_attempt_id(1, 2, 1));
            Ok(Some(ports::KeyRecord {
                scope: scope.clone(),
                digest: *digest,
                fingerprint: crate::support::squeeze(b"request-fingerprintthe request"),
                first_used_at: sample::noon(),
                epoch: 1,
                state: ports::KeyState::InProgress { lease_until: sample::noon(), attempt },
            }))
        });
        let look_up_result = look_up.clone();
        mocks.provider.expect_look_up().once().return_once(move |_| look_up_result);
        let mut in_order = Sequence::new();
        mocks.sales.expect_commit().withf(is_held).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        let outcome = move |it: &Commit| {
            let part = it.payment.as_ref().unwrap().to.split().unwrap().part(2).unwrap().status();
            part == status && is_completed(it)
        };
        mocks.sales.expect_commit().withf(outcome).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

        let result = submit_card(&mocks.into_ports(), &payer(1), &keyed(), command(Some(2)), &render).await;

        assert!(result.is_ok(), "{look_up:?}");
    }
}
