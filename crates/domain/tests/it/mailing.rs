//! Mail that is tried until it is taken, refused or given up.

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    fiscal::{EmailProblem, EmailStatus},
    mailing::{MailOutcome, Mailing, Turn},
};

use crate::support::noon;

/// Tries the mail whenever it is due, from noon on, with these answers, the last again and again. Says when each try was, in
/// minutes after noon.
fn tried(answers: &[MailOutcome]) -> (Mailing, Vec<i64>) {
    let mut mailing = Mailing::ready(noon());
    let mut times = Vec::new();
    let mut answers = answers.iter().copied().chain(std::iter::repeat(answers[answers.len() - 1]));
    while let Some(now) = mailing.due_at {
        assert!(times.len() < 100, "it is tried for ever");
        times.push(now.signed_duration_since(noon()).num_minutes());
        mailing.begin(now);
        mailing.ended(answers.next().unwrap(), now);
    }
    (mailing, times)
}

fn failed(minutes: i64, code: EmailProblem) -> EmailStatus {
    EmailStatus::Failed { at: at(minutes), code }
}

fn at(minutes: i64) -> DateTime<Utc> {
    noon() + TimeDelta::minutes(minutes)
}

#[test]
fn a_mail_that_is_taken_is_tried_once() {
    let (mailing, times) = tried(&[MailOutcome::Taken]);

    assert_eq!((mailing.status, times), (EmailStatus::Sent { at: noon() }, vec![0]));
}

#[test]
fn a_mail_that_is_put_off_is_tried_eight_times_within_a_day() {
    let (mailing, times) = tried(&[MailOutcome::NotNow]);

    assert_eq!(times, [0, 1, 6, 26, 86, 266, 686, 1406]);
    assert_eq!(mailing.tries, Mailing::TRIES);
    assert!(times.iter().all(|it| *it < Mailing::PATIENCE.num_minutes()));
    assert_eq!(mailing.status, failed(1406, EmailProblem::AttemptsExhausted));
}

#[test]
fn a_mail_that_was_put_off_may_be_taken_later() {
    let (mailing, times) = tried(&[MailOutcome::NotNow, MailOutcome::NotNow, MailOutcome::Taken]);

    assert_eq!((mailing.status, times), (EmailStatus::Sent { at: at(6) }, vec![0, 1, 6]));
}

#[test]
fn a_mail_that_is_refused_is_tried_no_more() {
    for code in EmailProblem::ALL {
        let (mailing, times) = tried(&[MailOutcome::Refused(code)]);

        assert_eq!((mailing.status, times), (failed(0, code), vec![0]));
    }
}

#[test]
fn a_mail_that_may_be_there_goes_out_once_more_and_never_again() {
    let (mailing, times) = tried(&[MailOutcome::Unheard]);
    let (taken, _) = tried(&[MailOutcome::Unheard, MailOutcome::NotNow, MailOutcome::Taken]);

    assert_eq!((mailing.status, times), (failed(1, EmailProblem::AttemptsExhausted), vec![0, 1]));
    assert_eq!(taken.status, EmailStatus::Sent { at: at(6) });
}

#[test]
fn a_mail_is_not_tried_any_more_after_a_day_however_few_tries_there_were() {
    let mut mailing = Mailing::ready(noon());
    mailing.begin(noon());
    mailing.ended(MailOutcome::NotNow, noon());
    let late = noon() + Mailing::PATIENCE;

    mailing.begin(late);
    mailing.ended(MailOutcome::NotNow, late);

    assert_eq!(mailing.tries, 2);
    assert_eq!(mailing.status, EmailStatus::Failed { at: late, code: EmailProblem::AttemptsExhausted });
}

#[test]
fn a_mail_that_nobody_could_try_for_a_week_is_stale() {
    let mut mailing = Mailing::ready(noon());
    let a_week = noon() + Mailing::STALE;

    assert!(!mailing.is_stale(a_week - TimeDelta::milliseconds(1)));
    assert!(mailing.is_stale(a_week));
    assert!(!Mailing::waiting().is_stale(a_week));
    mailing.begin(noon());
    assert!(!mailing.is_stale(a_week), "what was tried has a limit of its own");
}

#[test]
fn each_move_of_a_mail_is_a_version() {
    let mut mailing = Mailing::ready(noon());
    mailing.begin(noon());
    assert_eq!((mailing.version, mailing.is_under_way), (1, true));
    mailing.ended(MailOutcome::NotNow, noon());
    assert_eq!((mailing.version, mailing.is_under_way), (2, false));
    mailing.abandon(noon());
    assert_eq!((mailing.version, mailing.due_at), (3, None));
}

#[test]
fn whose_turn_it_is_with_a_mail_is_said_once() {
    let mut mailing = Mailing::ready(noon());

    assert_eq!(mailing.turn(at(-1)), Turn::Nobody);
    assert_eq!((mailing.turn(noon()), mailing.is_under_way, mailing.tries), (Turn::Send, true, 1));
    // Whoever looks now comes after one that has died.
    assert_eq!((mailing.turn(at(6)), mailing.is_under_way, mailing.doubts), (Turn::Note, false, 1));
    assert_eq!(mailing.turn(at(6)), Turn::Nobody);
    assert_eq!(mailing.turn(at(7)), Turn::Send);
    mailing.ended(MailOutcome::Taken, at(7));
    assert_eq!(mailing.turn(at(100)), Turn::Nobody);
}

#[test]
fn a_mail_that_is_stale_is_given_up_instead_of_sent() {
    let mut mailing = Mailing::ready(noon());
    let late = noon() + Mailing::STALE;

    assert_eq!(mailing.turn(late), Turn::Note);

    assert_eq!(mailing.status, EmailStatus::Failed { at: late, code: EmailProblem::AttemptsExhausted });
}

#[test]
fn a_mail_without_an_address_has_failed_from_the_start() {
    let mut mailing = Mailing::unaddressed(noon());

    assert_eq!(mailing.status, failed(0, EmailProblem::MailboxUnavailable));
    assert_eq!(mailing.turn(at(9)), Turn::Nobody);
}
