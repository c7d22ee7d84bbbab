use app::settle_payment;
use chrono::TimeDelta;
use domain::{
    AttemptId, EventKind, Money,
    attempt::AttemptState,
    payment::{DeclineCode, PaymentStatus, ProviderOutcome},
    sale::Sale,
};
use ports::{Commit, Committed, LookUp};
use testkit::sample;

use crate::support::Mocks;

fn attempt() -> AttemptId {
    sample::attempt_id(1)
}

fn in_flight() -> Sale {
    let mut sale = sample::sale(1);
    sale.submit(attempt(), sample::card(), sample::noon()).unwrap();
    sale
}

fn in_doubt() -> Sale {
    let mut sale = in_flight();
    sale.apply_outcome(&attempt(), ProviderOutcome::Ambiguous, sample::noon()).unwrap();
    sale
}

/// Advances the clock by `later`, with a provider that returns `look_up`, and checks the one commit.
async fn check(
    sale: Sale,
    later: TimeDelta,
    look_up: Option<LookUp>,
    expected: impl Fn(&Commit) -> bool + Send + 'static,
) {
    let mut mocks = Mocks::default();
    mocks.clock.advance(later);
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
    mocks.sales.expect_find_attempt().returning(|_, _| Ok(Some(sample::attempt(1))));
    if let Some(look_up) = look_up {
        mocks.provider.expect_look_up().once().return_once(move |_| look_up);
    }
    mocks.sales.expect_commit().withf(expected).once().returning(|_| Ok(Committed::Done));

    settle_payment(&mocks.into_ports(), &sample::tenant(), &sample::payment_id(1)).await.unwrap();
}

/// The issuer may have the result of an abandoned challenge: the attempt is looked up.
#[tokio::test]
async fn an_abandoned_challenge_is_looked_up() {
    let failed = DeclineCode::AuthenticationFailed;
    for (look_up, expected, state) in [
        (LookUp::Unfinished, PaymentStatus::Declined, AttemptState::Declined(failed)),
        (LookUp::Declined(failed), PaymentStatus::Declined, AttemptState::Declined(failed)),
        (approved(1_280_00), PaymentStatus::Succeeded, AttemptState::Approved),
        (LookUp::NotFound, PaymentStatus::Verifying, AttemptState::Unknown),
        (LookUp::Unknown, PaymentStatus::Verifying, AttemptState::Unknown),
    ] {
        let mut sale = in_flight();
        let challenge_outcome = ProviderOutcome::ChallengeRequired(sample::symbols(7), sample::challenge());
        sale.apply_outcome(&attempt(), challenge_outcome, sample::noon()).unwrap();
        check(sale, TimeDelta::minutes(15), Some(look_up), move |it| {
            status(it) == expected && it.attempts[0].state == state && it.events[0].kind == EventKind::PaymentProcessing
        })
        .await;
    }
}

fn status(commit: &Commit) -> PaymentStatus {
    commit.payment.as_ref().unwrap().to.status()
}

fn approved(minor_units: i64) -> LookUp {
    LookUp::Approved { amount: Money::new(minor_units, domain::Currency::Dop), reference: None }
}

#[tokio::test]
async fn an_attempt_without_an_answer_is_doubted_and_not_sent_again() {
    check(in_flight(), TimeDelta::minutes(3), None, |it| {
        status(it) == PaymentStatus::Verifying && it.attempts.iter().any(|it| it.state == AttemptState::Unknown)
    })
    .await;
}

#[tokio::test]
async fn money_that_moved_is_found_and_documented() {
    check(in_doubt(), TimeDelta::seconds(15), Some(approved(1_000_00 + 180_00 + 100_00)), |it| {
        let kinds: Vec<EventKind> = it.events.iter().map(|it| it.kind).collect();
        kinds == [EventKind::PaymentSucceeded, EventKind::FiscalDocumentIssuing]
    })
    .await;
}

#[tokio::test]
async fn an_approval_of_another_amount_is_no_proof() {
    check(in_doubt(), TimeDelta::seconds(15), Some(approved(1)), |it| status(it) == PaymentStatus::Verifying).await;
}

#[tokio::test]
async fn a_not_found_within_the_settle_delay_moves_only_the_next_check() {
    check(in_doubt(), TimeDelta::seconds(15), Some(LookUp::NotFound), |it| {
        status(it) == PaymentStatus::Verifying && it.events.is_empty()
    })
    .await;
}

#[tokio::test]
async fn a_window_that_is_over_ends_the_sale_and_its_document() {
    check(sample::sale(1), TimeDelta::hours(24), None, |it| {
        let kinds: Vec<EventKind> = it.events.iter().map(|it| it.kind).collect();
        kinds == [EventKind::PaymentExpired, EventKind::FiscalDocumentCanceled]
    })
    .await;
}

#[tokio::test]
async fn no_look_up_is_made_before_it_is_due() {
    let mut mocks = Mocks::default();
    mocks.sales.expect_find().returning(|_, _| Ok(Some(in_doubt())));

    // Neither a look-up nor a commit is expected.
    settle_payment(&mocks.into_ports(), &sample::tenant(), &sample::payment_id(1)).await.unwrap();
}

#[tokio::test]
async fn a_slower_worker_decides_again() {
    let mut mocks = Mocks::default();
    mocks.clock.advance(TimeDelta::hours(24));
    let mut finds = 0;
    mocks.sales.expect_find().times(2).returning(move |_, _| {
        finds += 1;
        Ok(Some(if finds == 1 { sample::sale(1) } else { sample::paid(1) }))
    });
    mocks.sales.expect_commit().once().returning(|_| Ok(Committed::Stale));

    settle_payment(&mocks.into_ports(), &sample::tenant(), &sample::payment_id(1)).await.unwrap();
}
