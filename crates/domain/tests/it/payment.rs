use cobro_domain::{
    Conflict, EventKind,
    payment::{
        Action, AttemptFinding, AuthReturn, DeclineCode, OrphanFinding, Payment, PaymentStatus, ProviderOutcome, Stage,
    },
};

use crate::support::{after, attempt, card, noon, sale, symbols};

fn open_payment() -> Payment {
    sale().payment
}

fn in_flight() -> Payment {
    let mut payment = open_payment();
    payment.submit(attempt(1), card(), noon()).unwrap();
    payment
}

fn in_doubt() -> Payment {
    let mut payment = in_flight();
    payment.apply_outcome(&attempt(1), ProviderOutcome::Ambiguous, noon()).unwrap();
    payment
}

fn declined(code: DeclineCode) -> Payment {
    let mut payment = in_flight();
    payment.apply_outcome(&attempt(1), ProviderOutcome::Declined(code), noon()).unwrap();
    payment
}

#[test]
fn an_approval_is_the_end() {
    let mut payment = in_flight();

    let events = payment.apply_outcome(&attempt(1), ProviderOutcome::Approved, after(1)).unwrap();

    assert_eq!(payment.status(), PaymentStatus::Succeeded);
    assert_eq!(events[0].kind, EventKind::PaymentSucceeded);
    assert_eq!(events[0].previous_status, Some("processing"));
    assert!(payment.is_terminal() && payment.due_at().is_none());
}

#[test]
fn a_decline_may_be_tried_again_with_another_card() {
    let mut payment = declined(DeclineCode::InsufficientFunds);

    payment.submit(attempt(2), card(), after(1)).unwrap();

    assert_eq!(payment.status(), PaymentStatus::Processing);
    assert_eq!(payment.state().attempts, 2);
}

#[test]
fn fraud_and_lost_cards_have_the_generic_message() {
    for code in [DeclineCode::SuspectedFraud, DeclineCode::CardReportedLostOrStolen] {
        let mut payment = declined(code);

        let refused = payment.submit(attempt(2), card(), after(1)).unwrap_err();

        assert_eq!(refused, Conflict::DeclineNotRetryable);
        assert_eq!(code.message(), DeclineCode::GenericDecline.message());
    }
}

#[test]
fn five_cards_are_enough() {
    let mut payment = open_payment();
    for n in 1..=5 {
        payment.submit(attempt(n), card(), noon()).unwrap();
        payment.apply_outcome(&attempt(n), ProviderOutcome::Declined(DeclineCode::DoNotHonor), noon()).unwrap();
    }

    assert_eq!(payment.submit(attempt(6), card(), noon()), Err(Conflict::DeclineNotRetryable));
    assert!(payment.is_terminal());
}

#[test]
fn a_second_card_waits_for_the_first() {
    assert_eq!(in_flight().submit(attempt(2), card(), noon()), Err(Conflict::PaymentMethodAlreadyInProgress));
    assert_eq!(in_doubt().submit(attempt(2), card(), noon()), Err(Conflict::PaymentAwaitingVerification));
}

#[test]
fn a_closed_window_takes_no_card() {
    let mut payment = open_payment();
    let end = payment.state().expires_at;

    assert_eq!(payment.submit(attempt(1), card(), end), Err(Conflict::CheckoutWindowClosed));
    assert!(payment.expire(end - chrono::TimeDelta::milliseconds(1)).is_none());
    assert_eq!(payment.expire(end).unwrap().kind, EventKind::PaymentExpired);
    assert_eq!(payment.submit(attempt(1), card(), end), Err(Conflict::CheckoutWindowClosed));
}

#[test]
fn the_window_never_closes_on_a_card_in_flight_or_in_doubt() {
    let end = open_payment().state().expires_at;

    assert!(in_flight().expire(end).is_none());
    assert!(in_doubt().expire(end).is_none());
}

#[test]
fn a_doubt_is_settled_by_look_up_even_after_the_window() {
    let mut payment = in_doubt();
    let late = payment.state().expires_at + chrono::TimeDelta::hours(1);

    payment.apply_finding(&attempt(1), AttemptFinding::Approved, late).unwrap();

    assert_eq!(payment.status(), PaymentStatus::Succeeded);
}

#[test]
fn not_found_reopens_or_expires_the_payment() {
    let mut in_time = in_doubt();
    let mut too_late = in_doubt();
    let end = too_late.state().expires_at;
    for second in [180, 240, 300] {
        in_time.apply_finding(&attempt(1), AttemptFinding::NotFound, after(second)).unwrap();
        too_late.apply_finding(&attempt(1), AttemptFinding::NotFound, after(second)).unwrap();
    }

    in_time.apply_finding(&attempt(1), AttemptFinding::NotFound, after(600)).unwrap();
    too_late.apply_finding(&attempt(1), AttemptFinding::NotFound, end).unwrap();

    assert_eq!(in_time.status(), PaymentStatus::RequiresCustomerAction);
    assert_eq!(too_late.status(), PaymentStatus::Expired);
}

#[test]
fn an_escalation_has_one_event() {
    let mut payment = in_doubt();
    let mut events = 0;
    for second in 1..=12 {
        events += payment.apply_finding(&attempt(1), AttemptFinding::Unknown, after(second)).unwrap().len();
    }

    assert_eq!(events, 1);
    assert!(matches!(payment.stage(), Stage::Verifying(doubt) if doubt.is_escalated));
}

#[test]
fn a_submission_that_never_left_is_taken_back() {
    let mut fresh = in_flight();
    let mut retried = declined(DeclineCode::CardExpired);
    retried.submit(attempt(2), card(), noon()).unwrap();

    fresh.apply_outcome(&attempt(1), ProviderOutcome::NotSubmitted, noon()).unwrap();
    retried.apply_outcome(&attempt(2), ProviderOutcome::NotSubmitted, noon()).unwrap();

    assert_eq!(fresh.status(), PaymentStatus::RequiresCustomerAction);
    assert!(matches!(retried.stage(), Stage::Declined { decline, .. } if decline.code == DeclineCode::CardExpired));
}

#[test]
fn a_challenge_returns_once_and_is_abandoned_after_a_quarter_of_an_hour() {
    let mut payment = in_flight();
    payment.apply_outcome(&attempt(1), challenged(), noon()).unwrap();
    assert_eq!(payment.submit(attempt(2), card(), noon()), Err(Conflict::PaymentMethodAlreadyInProgress));
    let mut abandoned = payment.clone();

    assert!(payment.challenge_returned(&attempt(1), AuthReturn::ChallengeDone, after(10)).is_some());
    assert!(
        payment.challenge_returned(&attempt(1), AuthReturn::ChallengeDone, after(11)).is_none(),
        "a duplicate does nothing"
    );
    assert!(
        abandoned.apply_finding(&attempt(1), AttemptFinding::Unfinished, after(899)).is_err(),
        "it is not abandoned yet"
    );
    assert!(
        abandoned.clone().challenge_returned(&attempt(1), AuthReturn::ChallengeDone, after(900)).is_none(),
        "too late"
    );
    let events = abandoned.apply_finding(&attempt(1), AttemptFinding::Unfinished, after(900)).unwrap();
    let kinds: Vec<EventKind> = events.iter().map(|it| it.kind).collect();

    assert_eq!(kinds, [EventKind::PaymentProcessing, EventKind::PaymentDeclined]);
    assert!(matches!(abandoned.stage(), Stage::Declined { decline, .. }
        if decline.code == DeclineCode::AuthenticationFailed && decline.can_try_again));
}

/// The issuer may have decided: an uncertain result is looked up again.
#[test]
fn an_abandoned_challenge_is_looked_up() {
    let declined = AttemptFinding::Declined(DeclineCode::DoNotHonor);
    for (finding, status) in [
        (AttemptFinding::Approved, PaymentStatus::Succeeded),
        (declined, PaymentStatus::Declined),
        (AttemptFinding::Unfinished, PaymentStatus::Declined),
        (AttemptFinding::NotFound, PaymentStatus::Verifying),
        (AttemptFinding::Unknown, PaymentStatus::Verifying),
    ] {
        let mut payment = in_flight();
        payment.apply_outcome(&attempt(1), challenged(), noon()).unwrap();

        let events = payment.apply_finding(&attempt(1), finding, after(900)).unwrap();

        assert_eq!((payment.status(), events.len()), (status, 2), "{finding:?}");
    }
}

#[test]
fn the_method_ends_after_ten_seconds_or_its_notification() {
    let look = |it: &Payment, at| it.clone().challenge_returned(&attempt(1), AuthReturn::MethodDone, at);
    let mut payment = in_flight();
    payment.apply_outcome(&attempt(1), looked_at(), noon()).unwrap();
    let mut noticed = payment.clone();

    assert_eq!(noticed.challenge_returned(&attempt(1), AuthReturn::MethodNotified, after(1)), Some(Vec::new()));
    assert_eq!(
        noticed.challenge_returned(&attempt(1), AuthReturn::MethodNotified, after(2)),
        None,
        "a duplicate does nothing"
    );

    assert_eq!((look(&payment, after(9)), look(&noticed, after(2)).is_some()), (None, true));
    assert!(look(&payment, after(10)).is_some());
    assert_eq!(
        payment.clone().challenge_returned(&attempt(1), AuthReturn::ChallengeDone, after(10)),
        None,
        "no challenge was requested"
    );
    assert_eq!(
        payment.clone().challenge_returned(&attempt(2), AuthReturn::MethodDone, after(10)),
        None,
        "of another attempt"
    );
}

/// A continued call counts from its continuation.
#[test]
fn a_continued_call_is_timed_from_its_continuation() {
    let mut payment = in_flight();
    payment.apply_outcome(&attempt(1), challenged(), noon()).unwrap();

    payment.challenge_returned(&attempt(1), AuthReturn::ChallengeDone, after(600)).unwrap();

    assert!(matches!(payment.stage(), Stage::Processing(it) if it.since == after(600)));
}

fn challenged() -> ProviderOutcome {
    let action = Action::Challenge { address: "https://acs.example/".to_owned(), request: "e30=".to_owned() };
    ProviderOutcome::ChallengeRequired(symbols(1), action)
}

fn looked_at() -> ProviderOutcome {
    ProviderOutcome::ChallengeRequired(symbols(1), Action::Method { form: "<form></form>".to_owned() })
}

#[test]
fn an_outcome_of_another_attempt_is_refused() {
    let mut payment = in_flight();
    let before = payment.clone();

    assert!(payment.apply_outcome(&attempt(9), ProviderOutcome::Approved, noon()).is_err());
    assert_eq!(payment, before);
}

#[test]
fn a_late_approval_has_an_event_without_a_change_of_status() {
    let mut payment = open_payment();
    payment.cancel(noon()).unwrap();

    assert!(payment.approved_late(&attempt(1), noon(), after(1)));
    let events = payment.orphan_found(&attempt(1), OrphanFinding::Free, after(2));

    assert_eq!(events.iter().map(|it| it.kind).collect::<Vec<_>>(), [EventKind::PaymentLateApprovalReversed]);
    assert_eq!((payment.status(), payment.due_at()), (PaymentStatus::Canceled, None));
}

#[test]
fn every_change_is_one_version() {
    let mut payment = open_payment();
    assert_eq!(payment.version(), 0);

    payment.submit(attempt(1), card(), noon()).unwrap();
    payment.apply_outcome(&attempt(1), ProviderOutcome::Ambiguous, noon()).unwrap();
    payment.apply_finding(&attempt(1), AttemptFinding::Approved, noon()).unwrap();

    assert_eq!(payment.version(), 3);
}
