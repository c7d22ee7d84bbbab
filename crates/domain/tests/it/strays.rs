//! Attempts that their payment has moved on without.

use chrono::TimeDelta;
use cobro_domain::{
    EventKind,
    payment::{Answer, DeclineCode, Finding, Payment, PaymentStatus, Stray, StrayFinding},
    split::{HoldFinding, Part, Standing, check},
};

use crate::{
    split::{answered, part, shared_by, submitted},
    support::{after, attempt, card, noon, sale},
};

const HOUR: i64 = 3600;

/// A payment that came to believe, an hour after noon, that nothing came of its card.
fn moved_on() -> Payment {
    let mut payment = sale().payment;
    payment.submit(attempt(1), card(), noon()).unwrap();
    payment.answered(&attempt(1), Answer::Ambiguous, noon()).unwrap();
    for minute in [3, 10, 60] {
        payment.looked_up(&attempt(1), Finding::Nothing, after(minute * 60)).unwrap();
    }
    assert_eq!(payment.status(), PaymentStatus::RequiresCustomerAction);
    payment
}

fn kinds(events: &[cobro_domain::Event]) -> Vec<EventKind> {
    events.iter().map(|it| it.kind).collect()
}

#[test]
fn what_is_believed_dead_is_looked_up_for_a_day_and_then_forgotten() {
    let mut payment = moved_on();

    let mut looked_up = Vec::new();
    while let Some(stray) = payment.strays().first() {
        let due = stray.progress.next_check_at;
        assert!(payment.stray_due(due - TimeDelta::seconds(1)).is_none());
        assert_eq!(payment.due_at().unwrap(), due.min(payment.expires_at()));
        looked_up.push((due - noon()).num_hours());
        assert_eq!(payment.stray_found(&attempt(1), StrayFinding::Nothing, due), []);
    }

    assert_eq!(looked_up, [2, 7, 25]);
}

#[test]
fn a_provider_that_says_nothing_is_asked_for_longer_but_not_for_ever() {
    let mut payment = moved_on();

    let mut last = noon();
    while let Some(stray) = payment.strays().first() {
        last = stray.progress.next_check_at;
        payment.stray_found(&attempt(1), StrayFinding::Unknown, last);
    }

    let waited = last - after(HOUR);
    assert!(waited >= Stray::LIFE && waited < Stray::LIFE + TimeDelta::hours(6), "{waited}");
}

#[test]
fn what_it_has_taken_after_all_is_undone_and_told_once() {
    let mut payment = moved_on();
    let before = payment.version();

    assert_eq!(payment.stray_found(&attempt(1), StrayFinding::Taken, after(2 * HOUR)), []);
    assert!(payment.stray_due(after(2 * HOUR)).is_some_and(|it| it.is_approved), "to be undone at once");
    let told = payment.stray_found(&attempt(1), StrayFinding::Free, after(2 * HOUR));

    assert_eq!(kinds(&told), [EventKind::PaymentLateApprovalReversed]);
    assert_eq!((payment.strays(), payment.version()), (&[][..], before + 2));
    assert_eq!(payment.stray_found(&attempt(1), StrayFinding::Free, after(2 * HOUR)), [], "nobody looks after it");
    assert_eq!(payment.version(), before + 2);
}

#[test]
fn an_answer_that_comes_late_is_to_be_undone_once() {
    let mut payment = moved_on();

    assert!(payment.approved_late(&attempt(1), noon(), after(HOUR)));
    let version = payment.version();

    assert!(!payment.approved_late(&attempt(1), noon(), after(HOUR)), "it is known");
    assert_eq!((payment.version(), payment.strays().len()), (version, 1));
}

#[test]
fn undoing_is_tried_less_and_less_often_and_a_person_is_called_once() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));

    let (mut told, mut pauses, mut tries) = (Vec::new(), Vec::new(), 0);
    while let Some(stray) = payment.strays().first() {
        let now = stray.progress.next_check_at;
        told.extend(kinds(&payment.stray_found(&attempt(1), StrayFinding::Unknown, now)));
        pauses.extend(payment.strays().first().map(|it| (it.progress.next_check_at - now).num_seconds()));
        tries += 1;
    }

    assert_eq!(told, [EventKind::PaymentVerificationEscalated]);
    assert_eq!(pauses[..6], [15, 45, 120, 420, 1200, 1800]);
    assert!(pauses[6..].iter().all(|it| (3600..=6 * 3600).contains(it)));
    assert!((40..80).contains(&tries), "{tries}");
}

#[test]
fn what_may_have_been_undone_is_undone_again_only_once_look_ups_have_settled_that_it_was_not() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));
    assert!(payment.undo_stray(&attempt(1), after(HOUR)));

    let mut looked = Vec::new();
    while payment.strays()[0].is_undoing {
        assert!(!payment.undo_stray(&attempt(1), after(HOUR)), "it may be under way");
        let now = payment.strays()[0].progress.next_check_at;
        looked.push((now - after(HOUR)).num_seconds());
        payment.stray_found(&attempt(1), StrayFinding::Taken, now);
    }

    assert_eq!(looked, [15, 60, 180, 600]);
    let now = after(HOUR + 600);
    assert!(payment.stray_due(now).is_some(), "to be undone at once");
    assert!(payment.undo_stray(&attempt(1), now));
}

#[test]
fn what_says_nothing_about_the_undoing_settles_nothing() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));
    payment.undo_stray(&attempt(1), after(HOUR));

    for _ in 0..30 {
        let now = payment.strays()[0].progress.next_check_at;
        for finding in [StrayFinding::Unknown, StrayFinding::NotUndone { since: noon() }] {
            payment.stray_found(&attempt(1), finding, now);
            assert!(payment.strays()[0].is_undoing, "{finding:?}");
        }
    }

    payment.stray_found(&attempt(1), StrayFinding::NotUndone { since: after(HOUR) }, after(2 * HOUR));
    assert!(!payment.strays()[0].is_undoing, "its own call is said to have done nothing");
}

#[test]
fn a_stray_stands_in_nobodys_way() {
    let mut payment = moved_on();
    payment.approved_late(&attempt(1), noon(), after(HOUR));
    payment.submit(attempt(2), card(), after(HOUR)).unwrap();

    let told = payment.stray_found(&attempt(1), StrayFinding::Free, after(HOUR));

    assert_eq!(kinds(&told), [EventKind::PaymentLateApprovalReversed]);
    assert_eq!(payment.status(), PaymentStatus::Processing);
    payment.answered(&attempt(2), Answer::Approved, after(HOUR)).unwrap();
    assert_eq!(payment.status(), PaymentStatus::Succeeded);
}

/// D4: a notice that came late put a paid order back.
#[test]
fn what_is_said_late_of_a_first_card_does_not_undo_what_a_second_paid() {
    let mut payment = moved_on();
    payment.submit(attempt(2), card(), after(HOUR)).unwrap();
    payment.answered(&attempt(2), Answer::Approved, after(HOUR)).unwrap();
    let paid = payment.status();

    let late = payment.answered(&attempt(1), Answer::Declined(DeclineCode::DoNotHonor), after(HOUR));
    let told = payment.stray_found(&attempt(1), StrayFinding::Free, after(2 * HOUR));

    assert!(late.is_err(), "{late:?}");
    assert_eq!(kinds(&told), []);
    assert_eq!((paid, payment.status()), (PaymentStatus::Succeeded, PaymentStatus::Succeeded));
}

#[test]
fn a_card_for_a_part_is_watched_too() {
    let mut sale = submitted(shared_by(2), 1);
    let name = part(&sale, 1).stage().attempt().unwrap().clone();
    sale.authorization_answered(&name, cobro_domain::split::AuthorizationAnswer::Ambiguous, noon()).unwrap();
    for minute in [3, 10, 30] {
        assert!(sale.payment.strays().is_empty());
        sale.part_looked_up(1, HoldFinding::Nothing, after(minute * 60)).unwrap();
    }

    assert_eq!(part(&sale, 1).standing(), Standing::Unpaid);
    assert_eq!(sale.payment.strays()[0].progress.attempt, name);
    assert_eq!(check(&sale), Ok(()));
}

#[test]
fn a_card_that_never_left_is_no_try() {
    let mut payment = sale().payment;
    for n in 1..=7 {
        payment.submit(attempt(n), card(), noon()).unwrap();
        payment.answered(&attempt(n), Answer::NotSubmitted, noon()).unwrap();
    }
    for n in 8..=12 {
        payment.submit(attempt(n), card(), noon()).unwrap();
        payment.answered(&attempt(n), Answer::Declined(DeclineCode::DoNotHonor), noon()).unwrap();
        let state = payment.state();
        assert!(matches!(state.stage, cobro_domain::payment::Stage::Declined { decline, .. }
            if decline.can_try_again == (n < 12)));
        assert_eq!((state.attempts, state.unsent), (n, 7), "each has a number of its own");
    }
}

#[test]
fn an_opening_call_that_never_left_gives_nobody_a_try() {
    let mut payment = sale().payment;
    payment.ask_to_open(attempt(1), noon()).unwrap();

    payment.answered(&attempt(1), Answer::NotSubmitted, noon()).unwrap();

    assert_eq!((payment.state().attempts, payment.state().unsent), (0, 0));
}

#[test]
fn a_card_for_a_part_that_never_left_is_no_try() {
    use cobro_domain::split::AuthorizationAnswer as A;

    let mut sale = shared_by(2);
    for n in 1..=Part::MAX_TRIES + 2 {
        let answer = if n <= 2 { A::NotSubmitted } else { A::Declined(DeclineCode::DoNotHonor) };
        sale = answered(sale, 1, answer);
        let decline = part(&sale, 1).decline().copied();
        assert_eq!(decline.is_some_and(|it| it.can_try_again), (3..Part::MAX_TRIES + 2).contains(&n), "card {n}");
    }
    assert_eq!(part(&sale, 1).state().attempts, Part::MAX_TRIES + 2);
}
