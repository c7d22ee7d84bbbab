//! Attempts that their payment has moved on without: looked up, and undone if they took money after all.

use app::{Error, settle_payment};
use chrono::TimeDelta;
use domain::{
    EventKind,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::{AttemptFinding, DeclineCode, OrphanFinding, OrphanedAttempt, PaymentStatus, ProviderOutcome},
    sale::Sale,
};
use mockall::Sequence;
use ports::{CallOutcome, Commit, Committed, LookUp, NotSubmitted, ProviderResponse};
use testkit::sample;

use crate::support::Mocks;

fn orphaned_attempt() -> Attempt {
    Attempt { state: AttemptState::NotExecuted, ..sample::attempt(1) }
}

/// A sale that has moved on without its card.
fn moved_on() -> Sale {
    let mut sale = sample::sale(1);
    sale.submit(orphaned_attempt().id, sample::card(), sample::noon()).unwrap();
    sale.apply_outcome(&orphaned_attempt().id, ProviderOutcome::Ambiguous, sample::noon()).unwrap();
    for minute in [3, 10, 30] {
        sale.apply_finding(
            &orphaned_attempt().id,
            AttemptFinding::NotFound,
            sample::noon() + TimeDelta::minutes(minute),
        )
        .unwrap();
    }
    sale
}

/// The same, and the card was approved half an hour later.
fn approved_late() -> Sale {
    let mut sale = moved_on();
    assert!(sale.payment.approved_late(&orphaned_attempt().id, sample::noon(), sample::noon() + TimeDelta::hours(1)));
    sale
}

fn mocks(sale: Sale, attempt: Attempt) -> Mocks {
    let mut mocks = Mocks::default();
    mocks.clock.advance(TimeDelta::hours(2));
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
    mocks.sales.expect_find_attempt().returning(move |_, _| Ok(Some(attempt.clone())));
    mocks
}

async fn settle(mocks: Mocks) -> Result<(), Error> {
    settle_payment(&mocks.into_ports(), &sample::tenant(), &sample::payment_id(1)).await
}

fn taken() -> LookUp {
    LookUp::Approved { amount: orphaned_attempt().amount, reference: Some("bank-1".to_owned()) }
}

fn body_of(outcome: CallOutcome) -> ProviderResponse {
    ProviderResponse { outcome, reference: None, token: None }
}

fn kinds(commit: &Commit) -> Vec<EventKind> {
    commit.events.iter().map(|it| it.kind).collect()
}

fn state(commit: &Commit) -> (AttemptState, Option<&str>) {
    let [attempt] = &commit.attempts[..] else { panic!("{:?}", commit.attempts) };
    (attempt.state, attempt.provider_reference.as_deref())
}

fn is_undone(commit: &Commit) -> bool {
    let payment = &commit.payment.as_ref().unwrap().to;
    kinds(commit) == [EventKind::PaymentLateApprovalReversed]
        && state(commit).0 == AttemptState::Reversed
        && payment.orphans().is_empty()
        && payment.status() == PaymentStatus::RequiresCustomerAction
}

/// Whether the commit stores that the reversal begins.
fn is_begun(commit: &Commit) -> bool {
    let [orphan] = commit.payment.as_ref().unwrap().to.orphans() else { return false };
    kinds(commit).is_empty()
        && commit.attempts.is_empty()
        && orphan.is_reversing()
        && orphan.progress.submitted_at == sample::noon() + TimeDelta::hours(2)
}

/// Returns whether the reversal may have happened, if the commit postpones the next look-up.
fn put_off(commit: &Commit) -> Option<bool> {
    let [orphan] = commit.payment.as_ref().unwrap().to.orphans() else { return None };
    let is_put_off = kinds(commit).is_empty()
        && state(commit).0 == AttemptState::NotExecuted
        && orphan.holds_money()
        && orphan.progress.next_check_at > sample::noon() + TimeDelta::hours(2);
    is_put_off.then_some(orphan.is_reversing())
}

/// The same, two hours after noon with a reversal that has begun.
fn being_reversed() -> Sale {
    let mut sale = approved_late();
    assert!(sale.payment.begin_orphan_reversal(&orphaned_attempt().id, sample::noon() + TimeDelta::hours(2)));
    sale
}

#[tokio::test]
async fn a_reversal_is_committed_as_due_before_it_is_made() {
    let mut mocks = mocks(moved_on(), orphaned_attempt());
    mocks.provider.expect_look_up().once().returning(|_| taken());
    let to_do = |it: &Commit| {
        let [orphan] = it.payment.as_ref().unwrap().to.orphans() else { return false };
        orphan.holds_money() && kinds(it).is_empty() && state(it) == (AttemptState::NotExecuted, Some("bank-1"))
    };
    mocks.sales.expect_commit().withf(to_do).once().returning(|_| Ok(Committed::Done));

    // No reversal is expected of the provider: a call would panic.
    settle(mocks).await.unwrap();
}

#[tokio::test]
async fn a_charge_is_reversed_with_an_event() {
    let mut mocks = mocks(approved_late(), orphaned_attempt());
    let mut in_order = Sequence::new();
    mocks.provider.expect_look_up().once().in_sequence(&mut in_order).returning(|_| taken());
    mocks.sales.expect_commit().withf(is_begun).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks.provider.expect_reverse().once().in_sequence(&mut in_order).returning(|_| body_of(CallOutcome::Approved));
    mocks.sales.expect_commit().withf(is_undone).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    settle(mocks).await.unwrap();
}

#[tokio::test]
async fn reserved_funds_of_an_orphan_are_released() {
    let mut sale = sample::split_sale(1, 3);
    let attempt = Attempt {
        state: AttemptState::NotExecuted,
        provider_reference: Some("bank-2".to_owned()),
        ..sample::part_attempt(1, 2, 1, AttemptKind::Authorization)
    };
    assert!(sale.payment.approved_late(&attempt.id, sample::noon(), sample::noon()));
    let (amount, mut mocks) = (attempt.amount, mocks(sale, attempt));
    // The payment is open, and has no other due step.
    mocks.clock.set(sample::noon());
    mocks.provider.expect_look_up().once().returning(|_| LookUp::NotFound);
    let void = mocks.provider.expect_void();
    void.withf(move |it| it.amount == amount && it.reference.as_deref() == Some("bank-2"))
        .once()
        .returning(|_| body_of(CallOutcome::Approved));
    let is_begun = |it: &Commit| it.payment.as_ref().unwrap().to.orphans().iter().all(|it| it.is_reversing());
    mocks
        .sales
        .expect_commit()
        .withf(move |it| kinds(it).is_empty() && is_begun(it))
        .once()
        .returning(|_| Ok(Committed::Done));
    let is_over = |it: &Commit| {
        let is_reported = kinds(it) == [EventKind::PaymentLateApprovalReversed];
        is_reported && state(it).0 == AttemptState::Reversed && it.payment.as_ref().unwrap().to.orphans().is_empty()
    };
    mocks.sales.expect_commit().withf(is_over).once().returning(|_| Ok(Committed::Done));

    settle(mocks).await.unwrap();
}

#[tokio::test]
async fn a_reversal_with_a_lost_response_is_not_repeated() {
    let mut mocks = mocks(approved_late(), orphaned_attempt());
    mocks.provider.expect_look_up().once().returning(|_| LookUp::Gone);
    mocks.sales.expect_commit().withf(is_undone).once().returning(|_| Ok(Committed::Done));

    settle(mocks).await.unwrap();
}

/// An attempt without a response, such as a renewed reservation, was unknown before.
#[tokio::test]
async fn an_attempt_without_a_response_is_resolved_by_a_look_up() {
    let code = DeclineCode::InsufficientFunds;
    for (found, hours, expected) in [
        (LookUp::NotFound, 2, AttemptState::Open),
        (LookUp::NotFound, 25, AttemptState::NotExecuted),
        (LookUp::Declined(code), 2, AttemptState::Declined(code)),
        (LookUp::Gone, 2, AttemptState::Reversed),
        (LookUp::Unknown, 24 * 8, AttemptState::Unknown),
    ] {
        let mut mocks = mocks(moved_on(), Attempt { state: AttemptState::Open, ..orphaned_attempt() });
        mocks.clock.set(sample::noon() + TimeDelta::hours(hours));
        mocks.provider.expect_look_up().once().returning(move |_| found.clone());
        // The payment's own time may be over as well.
        mocks.sales.expect_commit().withf(|it| it.attempts.is_empty()).returning(|_| Ok(Committed::Done));
        mocks.sales.expect_commit().withf(move |it| state(it).0 == expected).once().returning(|_| Ok(Committed::Done));

        settle(mocks).await.unwrap();
    }
}

#[tokio::test]
async fn a_reversal_without_effect_is_retried() {
    for outcome in [
        CallOutcome::Declined(DeclineCode::GenericDecline),
        CallOutcome::NotSubmitted(NotSubmitted::Unavailable),
        CallOutcome::NotSubmitted(NotSubmitted::Rejected),
    ] {
        let mut mocks = mocks(approved_late(), orphaned_attempt());
        mocks.provider.expect_look_up().once().returning(|_| taken());
        mocks.sales.expect_commit().withf(is_begun).once().returning(|_| Ok(Committed::Done));
        mocks.provider.expect_reverse().once().return_once(move |_| body_of(outcome));
        mocks.sales.expect_commit().withf(|it| put_off(it) == Some(false)).once().returning(|_| Ok(Committed::Done));

        settle(mocks).await.unwrap();
    }
}

/// PROVIDER 4.3: a refund is never repeated before a look-up has settled it.
#[tokio::test]
async fn an_ambiguous_reversal_is_only_looked_up() {
    let mut first = mocks(approved_late(), orphaned_attempt());
    first.provider.expect_look_up().once().returning(|_| taken());
    first.sales.expect_commit().withf(is_begun).once().returning(|_| Ok(Committed::Done));
    first.provider.expect_reverse().once().returning(|_| body_of(CallOutcome::Ambiguous));
    first.sales.expect_commit().withf(|it| put_off(it) == Some(true)).once().returning(|_| Ok(Committed::Done));
    settle(first).await.unwrap();

    for look_up in [taken(), LookUp::NotFound, LookUp::Unknown] {
        let mut next = mocks(being_reversed(), orphaned_attempt());
        next.clock.advance(TimeDelta::hours(1));
        next.provider.expect_look_up().once().return_once(move |_| look_up);
        // No reversal is expected of the provider: a call would panic.
        next.sales.expect_commit().withf(|it| put_off(it) == Some(true)).once().returning(|_| Ok(Committed::Done));
        settle(next).await.unwrap();
    }
}

#[tokio::test]
async fn a_reversal_that_look_ups_disprove_is_due_again() {
    let mut sale = being_reversed();
    for hours in [3, 4] {
        let now = sample::noon() + TimeDelta::hours(hours);
        sale.payment.orphan_found(&orphaned_attempt().id, OrphanFinding::Taken, now);
    }
    let mut mocks = mocks(sale, orphaned_attempt());
    mocks.clock.advance(TimeDelta::hours(3));
    mocks.provider.expect_look_up().once().returning(|_| taken());
    let to_do = |it: &Commit| {
        let [orphan] = it.payment.as_ref().unwrap().to.orphans() else { return false };
        !orphan.is_reversing() && orphan.progress.next_check_at == sample::noon() + TimeDelta::hours(5)
    };
    mocks.sales.expect_commit().withf(to_do).once().returning(|_| Ok(Committed::Done));

    settle(mocks).await.unwrap();
}

/// Two workers may look at the same orphan when the lease of the first is over.
#[tokio::test]
async fn a_reversal_of_another_worker_is_not_repeated() {
    let mut mocks = Mocks::default();
    mocks.clock.advance(TimeDelta::hours(2));
    let mut in_order = Sequence::new();
    for sale in [approved_late(), approved_late(), being_reversed()] {
        let found = mocks.sales.expect_find();
        found.once().in_sequence(&mut in_order).return_once(move |_, _| Ok(Some(sale)));
    }
    mocks.sales.expect_find_attempt().returning(|_, _| Ok(Some(orphaned_attempt())));
    mocks.provider.expect_look_up().once().returning(|_| taken());
    mocks.sales.expect_commit().withf(is_begun).once().returning(|_| Ok(Committed::Stale));

    settle(mocks).await.unwrap();
}

#[tokio::test]
async fn a_reversal_that_was_held_up_for_long_is_not_made() {
    let mut mocks = mocks(approved_late(), orphaned_attempt());
    let clock = mocks.clock.clone();
    mocks.provider.expect_look_up().once().returning(|_| taken());
    mocks.sales.expect_commit().withf(is_begun).once().returning(move |_| {
        clock.advance(OrphanedAttempt::CALL_LIFE);
        Ok(Committed::Done)
    });
    mocks.sales.expect_commit().withf(|it| put_off(it) == Some(false)).once().returning(|_| Ok(Committed::Done));

    settle(mocks).await.unwrap();
}

#[tokio::test]
async fn a_reversal_is_not_asked_for_again_where_its_outcome_met_another_decision() {
    let mut mocks = mocks(approved_late(), orphaned_attempt());
    mocks.provider.expect_look_up().once().returning(|_| taken());
    mocks.provider.expect_reverse().once().returning(|_| body_of(CallOutcome::Approved));
    let mut in_order = Sequence::new();
    mocks.sales.expect_commit().withf(is_begun).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));
    mocks.sales.expect_commit().once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Stale));
    mocks.sales.expect_commit().withf(is_undone).once().in_sequence(&mut in_order).returning(|_| Ok(Committed::Done));

    settle(mocks).await.unwrap();
}

#[tokio::test]
async fn a_card_that_is_with_its_issuer_stays_its_callers() {
    let mut sale = approved_late();
    sale.submit(sample::attempt_id(2), sample::card(), sample::noon() + TimeDelta::minutes(119)).unwrap();
    let mut mocks = mocks(sale, orphaned_attempt());
    mocks.provider.expect_look_up().once().returning(|_| taken());
    mocks.provider.expect_reverse().once().returning(|_| body_of(CallOutcome::Approved));
    let is_left_alone = |it: &Commit| {
        let change = it.payment.as_ref().unwrap();
        change.to.status() == PaymentStatus::Processing
            && change.lease_until == Some(sample::noon() + TimeDelta::minutes(121))
    };
    mocks.sales.expect_commit().withf(is_left_alone).times(2).returning(|_| Ok(Committed::Done));

    settle(mocks).await.unwrap();
}
