//! A browser that returns from the issuer of a card.

use app::{IssuerReturn, get_challenge, return_from_issuer};
use chrono::TimeDelta;
use domain::{
    EventKind, Symbols,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::{Action, AuthReturn, DeclineCode, PaymentStatus, ProviderOutcome},
    sale::Sale,
    split::{AuthorizationOutcome, PartState},
};
use mockall::Sequence;
use ports::{AuthStep, CallOutcome, Commit, Committed, NotSubmitted, ProviderResponse};
use testkit::sample;

use crate::support::Mocks;

fn link() -> Symbols {
    sample::symbols(77)
}

fn challenged(action: Action) -> Sale {
    let mut sale = sample::sale(1);
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    sale.apply_outcome(&sample::attempt_id(1), ProviderOutcome::ChallengeRequired(link(), action), sample::noon())
        .unwrap();
    sale
}

fn attempt() -> Attempt {
    Attempt { link: Some(link()), provider_reference: Some("tx-1".to_owned()), ..sample::attempt(1) }
}

/// A sale that is found by the link of that attempt.
fn world(sale: Sale, attempt: Attempt) -> Mocks {
    let mut mocks = Mocks::default();
    mocks
        .sales
        .expect_find_challenged()
        .returning(move |it| Ok((*it == link()).then(|| (sample::tenant(), attempt.clone()))));
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
    mocks
}

fn says(outcome: CallOutcome) -> ProviderResponse {
    ProviderResponse { outcome, reference: Some("tx-2".to_owned()), token: None }
}

fn kinds(commit: &Commit) -> Vec<EventKind> {
    commit.events.iter().map(|it| it.kind).collect()
}

fn status(commit: &Commit) -> Option<PaymentStatus> {
    Some(commit.payment.as_ref()?.to.status())
}

fn is_return(commit: &Commit, kind: AuthReturn, is_applied: bool) -> bool {
    commit
        .returned
        .as_ref()
        .is_some_and(|it| it.attempt == sample::attempt_id(1) && (it.kind, it.is_applied) == (kind, is_applied))
}

async fn return_browser(mocks: Mocks, brought: IssuerReturn) -> Result<Option<app::ChallengedSale>, app::Error> {
    return_from_issuer(&mocks.into_ports(), link().as_str(), brought, Some(&sample::request_id(9))).await
}

#[tokio::test]
async fn the_return_is_durable_before_the_provider_call() {
    let mut mocks = world(challenged(sample::challenge()), attempt());
    mocks.clock.advance(TimeDelta::minutes(10));
    let now = sample::noon() + TimeDelta::minutes(10);
    let mut in_order = Sequence::new();
    let taken = move |it: &Commit| {
        let lease = it.payment.as_ref().unwrap().lease_until;
        is_return(it, AuthReturn::ChallengeDone, true)
            && kinds(it) == [EventKind::PaymentProcessing]
            && lease == Some(now + TimeDelta::seconds(120))
            && it.request == Some(sample::request_id(9))
    };
    mocks.sales.expect_commit().withf(taken).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    let step = AuthStep::ChallengeDone { result: "eyJ9".to_owned() };
    mocks
        .provider
        .expect_continue_authentication()
        .withf(move |of, reference, it| {
            of.attempt == sample::attempt_id(1) && reference.as_deref() == Some("tx-1") && *it == step
        })
        .once()
        .in_sequence(&mut in_order)
        .returning(|_, _, _| says(CallOutcome::Approved));
    let paid = |it: &Commit| {
        kinds(it) == [EventKind::PaymentSucceeded, EventKind::FiscalDocumentIssuing]
            && it.attempts.iter().all(|it| it.state == AttemptState::Approved)
            && it.attempts[0].provider_reference.as_deref() == Some("tx-2")
    };
    mocks.sales.expect_commit().withf(paid).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    let found = return_browser(mocks, IssuerReturn::ChallengeResult("eyJ9".to_owned())).await.unwrap().unwrap();

    assert_eq!((found.sale.payment.status(), found.challenge), (PaymentStatus::Succeeded, None));
}

#[tokio::test]
async fn the_provider_decides_the_outcome_of_a_return() {
    let failed = DeclineCode::AuthenticationFailed;
    for (outcome, expected, state) in [
        (CallOutcome::Declined(failed), PaymentStatus::Declined, AttemptState::Declined(failed)),
        (CallOutcome::Ambiguous, PaymentStatus::Verifying, AttemptState::Unknown),
        // The card was submitted before: a step that is not taken does not make that undone.
        (CallOutcome::NotSubmitted(NotSubmitted::Rejected), PaymentStatus::Declined, AttemptState::Declined(failed)),
        (CallOutcome::NotSubmitted(NotSubmitted::Unavailable), PaymentStatus::Declined, AttemptState::Declined(failed)),
        (CallOutcome::NotSubmitted(NotSubmitted::Busy), PaymentStatus::Declined, AttemptState::Declined(failed)),
    ] {
        let mut mocks = world(challenged(sample::challenge()), attempt());
        let mut in_order = Sequence::new();
        mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
        mocks.provider.expect_continue_authentication().return_once(move |_, _, _| says(outcome));
        let is_recorded = move |it: &Commit| status(it) == Some(expected) && it.attempts[0].state == state;
        mocks
            .sales
            .expect_commit()
            .withf(is_recorded)
            .once()
            .in_sequence(&mut in_order)
            .returning(|_| Ok(Committed::Done));

        let found = return_browser(mocks, IssuerReturn::ChallengeResult("eyJ9".to_owned())).await.unwrap().unwrap();

        assert_eq!((found.sale.payment.status(), found.challenge), (expected, None));
    }
}

/// After the 3-D Secure method the issuer requires a challenge: the same link serves the next step, with its own time
/// limit.
#[tokio::test]
async fn a_challenge_may_follow_the_look() {
    let mut mocks = world(challenged(sample::method()), attempt());
    mocks.clock.advance(TimeDelta::seconds(10));
    mocks.provider.expect_continue_authentication().once().returning(|_, _, step| {
        assert_eq!(step, AuthStep::MethodDone { is_method_notified: false });
        says(CallOutcome::ActionRequired(sample::challenge()))
    });
    mocks.sales.expect_commit().times(2).returning(|_| Ok(Committed::Done));

    let found = return_browser(mocks, IssuerReturn::MethodDone).await.unwrap().unwrap();

    let pending = found.challenge.unwrap();
    assert_eq!((pending.link, pending.action), (link(), sample::challenge()));
    assert_eq!(pending.expires_at, sample::noon() + TimeDelta::seconds(10) + TimeDelta::minutes(15));
}

#[tokio::test]
async fn a_notification_is_stored_without_a_call() {
    let mut mocks = world(challenged(sample::method()), attempt());
    let noticed =
        |it: &Commit| is_return(it, AuthReturn::MethodNotified, true) && it.payment.is_some() && it.events.is_empty();
    mocks.sales.expect_commit().withf(noticed).once().returning(|_| Ok(Committed::Done));

    let found = return_browser(mocks, IssuerReturn::MethodNotification).await.unwrap().unwrap();

    assert!(found.challenge.unwrap().is_method_notified);
}

/// No call of the provider is expected: one would panic.
#[tokio::test]
async fn a_repeated_or_late_return_is_recorded_without_a_call() {
    let mut returned = challenged(sample::challenge());
    returned.challenge_returned(&sample::attempt_id(1), AuthReturn::ChallengeDone, sample::noon()).unwrap();
    let mut another = sample::sale(1);
    another.submit(sample::attempt_id(2), sample::card(), sample::noon()).unwrap();
    let challenge_outcome = ProviderOutcome::ChallengeRequired(sample::symbols(78), sample::challenge());
    another.apply_outcome(&sample::attempt_id(2), challenge_outcome, sample::noon()).unwrap();
    for (sale, later) in [
        (returned, TimeDelta::zero()),
        (another, TimeDelta::zero()),
        (sample::paid(1), TimeDelta::zero()),
        (challenged(sample::challenge()), TimeDelta::minutes(15)),
        (challenged(sample::method()), TimeDelta::seconds(10)),
    ] {
        let before = sale.clone();
        let mut mocks = world(sale, attempt());
        mocks.clock.advance(later);
        let noted = |it: &Commit| {
            is_return(it, AuthReturn::ChallengeDone, false)
                && it.payment.is_none()
                && it.documents.is_empty()
                && it.events.is_empty()
        };
        mocks.sales.expect_commit().withf(noted).once().returning(|_| Ok(Committed::Done));

        let found = return_browser(mocks, IssuerReturn::ChallengeResult("eyJ9".to_owned())).await.unwrap().unwrap();

        assert_eq!(found.sale, before);
    }
}

/// Of two concurrent returns, the slower finds the step taken.
#[tokio::test]
async fn the_slower_of_two_returns_makes_no_call() {
    let mut mocks = Mocks::default();
    mocks.sales.expect_find_challenged().returning(|_| Ok(Some((sample::tenant(), attempt()))));
    let mut in_order = Sequence::new();
    let (before, mut after) = (challenged(sample::challenge()), challenged(sample::challenge()));
    after.challenge_returned(&sample::attempt_id(1), AuthReturn::ChallengeDone, sample::noon()).unwrap();
    mocks.sales.expect_find().once().in_sequence(&mut in_order).return_once(move |_, _| Ok(Some(before)));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Stale));
    mocks.sales.expect_find().once().in_sequence(&mut in_order).return_once(move |_, _| Ok(Some(after)));
    let noted = |it: &Commit| is_return(it, AuthReturn::ChallengeDone, false);
    mocks.sales.expect_commit().withf(noted).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    return_browser(mocks, IssuerReturn::ChallengeResult("eyJ9".to_owned())).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_unknown_link_returns_none() {
    for text in ["", "nonsense", sample::symbols(78).as_str()] {
        let mocks = world(challenged(sample::challenge()), attempt());
        let ports = mocks.into_ports();

        assert_eq!(return_from_issuer(&ports, text, IssuerReturn::MethodDone, None).await.unwrap(), None, "{text}");
        assert_eq!(get_challenge(&ports, text).await.unwrap(), None, "{text}");
    }
}

#[tokio::test]
async fn a_part_is_reserved_once_its_payer_is_back() {
    let mut sale = sample::split_sale(1, 2);
    let id = sample::part_attempt_id(1, 1, 1);
    sale.submit_part(1, id.clone(), sample::card(), sample::noon()).unwrap();
    let challenge_outcome = AuthorizationOutcome::ChallengeRequired(link(), sample::challenge());
    sale.apply_authorization(&id, challenge_outcome, sample::noon()).unwrap();
    let attempt = Attempt { link: Some(link()), ..sample::part_attempt(1, 1, 1, AttemptKind::Authorization) };
    let mut mocks = world(sale, attempt);
    let mut in_order = Sequence::new();
    // The part stays in processing: no event before its funds are reserved.
    let taken = |it: &Commit| it.payment.is_some() && it.events.is_empty();
    mocks.sales.expect_commit().withf(taken).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks.provider.expect_hold_validity().return_const(TimeDelta::days(7));
    mocks.provider.expect_continue_authentication().once().returning(|_, _, _| says(CallOutcome::Approved));
    let is_authorized =
        |it: &Commit| kinds(it) == [EventKind::PaymentPartAuthorized, EventKind::PaymentPartiallyAuthorized];
    mocks
        .sales
        .expect_commit()
        .withf(is_authorized)
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));

    let found = return_browser(mocks, IssuerReturn::ChallengeResult("eyJ9".to_owned())).await.unwrap().unwrap();

    assert_eq!(found.sale.payment.split().unwrap().part_states(), [PartState::Authorized, PartState::Unpaid]);
}
