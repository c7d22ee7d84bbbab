//! Orphaned attempts.

use chrono::TimeDelta;
use cobro_domain::{
    EventKind,
    payment::{
        AttemptFinding, DeclineCode, OrphanFinding, OrphanStage, OrphanedAttempt, Payment, PaymentState, PaymentStatus,
        ProviderOutcome, Verification,
    },
    split::{HoldFinding, Part, PartState, check},
};

use crate::{
    split::{answered, part, shared_by, submitted},
    support::{after, attempt, card, noon, sale},
};

const HOUR: i64 = 3600;

/// A payment whose card was finally not found, an hour after noon.
fn moved_on() -> Payment {
    let mut payment = sale().payment;
    payment.submit(attempt(1), card(), noon()).unwrap();
    payment.apply_outcome(&attempt(1), ProviderOutcome::Ambiguous, noon()).unwrap();
    for minute in [3, 10, 60] {
        payment.apply_finding(&attempt(1), AttemptFinding::NotFound, after(minute * 60)).unwrap();
    }
    assert_eq!(payment.status(), PaymentStatus::RequiresCustomerAction);
    payment
}

fn kinds(events: &[cobro_domain::Event]) -> Vec<EventKind> {
    events.iter().map(|it| it.kind).collect()
}

/// Every finding; the last is about the reversal that began at noon.
pub(crate) fn findings() -> [(&'static str, OrphanFinding); 5] {
    [
        ("Free", OrphanFinding::Free),
        ("Taken", OrphanFinding::Taken),
        ("NotFound", OrphanFinding::NotFound),
        ("Unknown", OrphanFinding::Unknown),
        ("NotReversed", OrphanFinding::NotReversed { since: noon() }),
    ]
}

/// Result of each finding for an orphaned attempt, by the time since it was orphaned.
pub(crate) fn matrix() -> Vec<(String, [String; 5])> {
    let ages = [("1 minute", 60), ("1 hour", HOUR), ("25 hours", 25 * HOUR), ("8 days", 8 * 24 * HOUR)];
    let row = |stage: OrphanStage, (age, seconds): (&str, i64)| {
        let cells = findings().map(|(_, finding)| {
            let mut payment = with_orphan(stage);
            payment.orphan_found(&attempt(1), finding, after(seconds));
            payment.orphans().first().map_or_else(|| "over".to_owned(), |orphan| format!("**{:?}**", orphan.stage))
        });
        (format!("{stage:?}, {age}"), cells)
    };
    OrphanStage::ALL.into_iter().flat_map(|stage| ages.map(|age| row(stage, age))).collect()
}

/// A payment with an attempt that was orphaned at noon, and has been looked up twice without being found.
fn with_orphan(stage: OrphanStage) -> Payment {
    let Payment { facts, .. } = sale().payment;
    let progress = Verification { checks: 2, negatives: 2, ..Verification::begin(attempt(1), noon(), noon()) };
    let orphans = vec![OrphanedAttempt { stage, progress }];
    Payment::restore(facts, PaymentState { orphans, ..sale().payment.state().clone() })
}

#[test]
fn an_orphaned_attempt_is_looked_up_for_a_day() {
    let mut payment = moved_on();

    let mut looked_up = Vec::new();
    while let Some(orphan) = payment.orphans().first() {
        let due = orphan.progress.next_check_at;
        assert!(payment.orphan_due(due - TimeDelta::seconds(1)).is_none());
        assert_eq!(payment.due_at().unwrap(), due.min(payment.expires_at()));
        looked_up.push((due - noon()).num_hours());
        assert_eq!(payment.orphan_found(&attempt(1), OrphanFinding::NotFound, due), []);
    }

    assert_eq!(looked_up, [2, 7, 25]);
}

#[test]
fn a_provider_without_a_response_is_asked_for_a_week() {
    let mut payment = moved_on();

    let mut last = noon();
    while let Some(orphan) = payment.orphans().first() {
        last = orphan.progress.next_check_at;
        payment.orphan_found(&attempt(1), OrphanFinding::Unknown, last);
    }

    let waited = last - after(HOUR);
    assert!(waited >= OrphanedAttempt::LIFE && waited < OrphanedAttempt::LIFE + TimeDelta::hours(6), "{waited}");
}

#[test]
fn a_late_approval_is_reversed_with_one_event() {
    let mut payment = moved_on();
    let before = payment.version();

    assert_eq!(payment.orphan_found(&attempt(1), OrphanFinding::Taken, after(2 * HOUR)), []);
    assert!(payment.orphan_due(after(2 * HOUR)).is_some_and(|it| it.holds_money()), "to be reversed at once");
    let events = payment.orphan_found(&attempt(1), OrphanFinding::Free, after(2 * HOUR));

    assert_eq!(kinds(&events), [EventKind::PaymentLateApprovalReversed]);
    assert_eq!((payment.orphans(), payment.version()), (&[][..], before + 2));
    assert_eq!(
        payment.orphan_found(&attempt(1), OrphanFinding::Free, after(2 * HOUR)),
        [],
        "it is no longer looked after"
    );
    assert_eq!(payment.version(), before + 2);
}

#[test]
fn a_late_approval_is_recorded_once() {
    let mut payment = moved_on();

    assert!(payment.approved_late(&attempt(1), noon(), after(HOUR)));
    let version = payment.version();

    assert!(!payment.approved_late(&attempt(1), noon(), after(HOUR)), "it is known");
    assert_eq!((payment.version(), payment.orphans().len()), (version, 1));
}

#[test]
fn reversal_retries_back_off_and_escalate_once() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));

    let (mut events, mut pauses, mut tries) = (Vec::new(), Vec::new(), 0);
    while let Some(orphan) = payment.orphans().first() {
        let now = orphan.progress.next_check_at;
        events.extend(kinds(&payment.orphan_found(&attempt(1), OrphanFinding::Unknown, now)));
        pauses.extend(payment.orphans().first().map(|it| (it.progress.next_check_at - now).num_seconds()));
        tries += 1;
    }

    assert_eq!(events, [EventKind::PaymentVerificationEscalated]);
    assert_eq!(pauses[..6], [15, 45, 120, 420, 1200, 1800]);
    assert!(pauses[6..].iter().all(|it| (3600..=6 * 3600).contains(it)));
    assert!((40..80).contains(&tries), "{tries}");
}

#[test]
fn a_reversal_with_an_unknown_result_is_repeated_only_after_look_ups_settle_it() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));
    assert!(payment.begin_orphan_reversal(&attempt(1), after(HOUR)));

    let mut looked = Vec::new();
    while payment.orphans()[0].is_reversing() {
        assert!(!payment.begin_orphan_reversal(&attempt(1), after(HOUR)), "it may be under way");
        let now = payment.orphans()[0].progress.next_check_at;
        looked.push((now - after(HOUR)).num_seconds());
        payment.orphan_found(&attempt(1), OrphanFinding::Taken, now);
    }

    assert_eq!(looked, [15, 60, 180, 600]);
    let now = after(HOUR + 600);
    assert!(payment.orphan_due(now).is_some(), "to be reversed at once");
    assert!(payment.begin_orphan_reversal(&attempt(1), now));
}

#[test]
fn findings_about_another_reversal_have_no_effect() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));
    payment.begin_orphan_reversal(&attempt(1), after(HOUR));

    for _ in 0..30 {
        let now = payment.orphans()[0].progress.next_check_at;
        for finding in [OrphanFinding::Unknown, OrphanFinding::NotReversed { since: noon() }] {
            payment.orphan_found(&attempt(1), finding, now);
            assert!(payment.orphans()[0].is_reversing(), "{finding:?}");
        }
    }

    payment.orphan_found(&attempt(1), OrphanFinding::NotReversed { since: after(HOUR) }, after(2 * HOUR));
    assert!(!payment.orphans()[0].is_reversing(), "its own call had no effect");
}

#[test]
fn an_orphaned_attempt_delays_no_other_card() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));
    payment.submit(attempt(2), card(), after(HOUR)).unwrap();

    let events = payment.orphan_found(&attempt(1), OrphanFinding::Free, after(HOUR));

    assert_eq!(kinds(&events), [EventKind::PaymentLateApprovalReversed]);
    assert_eq!(payment.status(), PaymentStatus::Processing);
    payment.apply_outcome(&attempt(2), ProviderOutcome::Approved, after(HOUR)).unwrap();
    assert_eq!(payment.status(), PaymentStatus::Succeeded);
}

/// D4: a late notification undid a paid order.
#[test]
fn a_late_result_of_a_first_card_does_not_undo_the_payment_by_a_second() {
    let mut payment = moved_on();
    payment.submit(attempt(2), card(), after(HOUR)).unwrap();
    payment.apply_outcome(&attempt(2), ProviderOutcome::Approved, after(HOUR)).unwrap();
    let paid = payment.status();

    let late = payment.apply_outcome(&attempt(1), ProviderOutcome::Declined(DeclineCode::DoNotHonor), after(HOUR));
    let events = payment.orphan_found(&attempt(1), OrphanFinding::Free, after(2 * HOUR));

    assert!(late.is_err(), "{late:?}");
    assert_eq!(kinds(&events), []);
    assert_eq!((paid, payment.status()), (PaymentStatus::Succeeded, PaymentStatus::Succeeded));
}

#[test]
fn a_card_for_a_part_is_watched_too() {
    let mut sale = submitted(shared_by(2), 1);
    let name = part(&sale, 1).stage().attempt().unwrap().clone();
    sale.apply_authorization(&name, cobro_domain::split::AuthorizationOutcome::Ambiguous, noon()).unwrap();
    for minute in [3, 10, 30] {
        assert!(sale.payment.orphans().is_empty());
        sale.apply_part_finding(1, HoldFinding::NotFound, after(minute * 60)).unwrap();
    }

    assert_eq!(part(&sale, 1).part_state(), PartState::Unpaid);
    assert_eq!(sale.payment.orphans()[0].progress.attempt, name);
    assert_eq!(check(&sale), Ok(()));
}

#[test]
fn a_card_that_never_left_is_no_try() {
    let mut payment = sale().payment;
    for n in 1..=7 {
        payment.submit(attempt(n), card(), noon()).unwrap();
        payment.apply_outcome(&attempt(n), ProviderOutcome::NotSubmitted, noon()).unwrap();
    }
    for n in 8..=12 {
        payment.submit(attempt(n), card(), noon()).unwrap();
        payment.apply_outcome(&attempt(n), ProviderOutcome::Declined(DeclineCode::DoNotHonor), noon()).unwrap();
        let state = payment.state();
        assert!(matches!(state.stage, cobro_domain::payment::Stage::Declined { decline, .. }
            if decline.can_try_again == (n < 12)));
        assert_eq!((state.attempts, state.not_submitted), (n, 7), "each has a number of its own");
    }
}

#[test]
fn an_opening_call_that_never_left_uses_no_attempt() {
    let mut payment = sale().payment;
    payment.ask_to_open(attempt(1), noon()).unwrap();

    payment.apply_outcome(&attempt(1), ProviderOutcome::NotSubmitted, noon()).unwrap();

    assert_eq!((payment.state().attempts, payment.state().not_submitted), (0, 0));
}

#[test]
fn a_card_for_a_part_that_never_left_is_no_try() {
    use cobro_domain::split::AuthorizationOutcome as A;

    let mut sale = shared_by(2);
    for n in 1..=Part::MAX_TRIES + 2 {
        let answer = if n <= 2 { A::NotSubmitted } else { A::Declined(DeclineCode::DoNotHonor) };
        sale = answered(sale, 1, answer);
        let decline = part(&sale, 1).decline().copied();
        assert_eq!(decline.is_some_and(|it| it.can_try_again), (3..Part::MAX_TRIES + 2).contains(&n), "card {n}");
    }
    assert_eq!(part(&sale, 1).state().attempts, Part::MAX_TRIES + 2);
}
