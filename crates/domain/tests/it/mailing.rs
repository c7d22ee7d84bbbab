//! Retries of e-mails.

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    fiscal::{EmailProblem, EmailStatus},
    mailing::{MailOutcome, Mailing, SendSlot},
};

use crate::support::noon;

/// Attempts the e-mail at each due time from noon on, with these outcomes; the last repeats. Returns the times of the
/// attempts, in minutes after noon.
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
fn an_accepted_email_is_attempted_once() {
    let (mailing, times) = tried(&[MailOutcome::Accepted]);

    assert_eq!((mailing.status, times), (EmailStatus::Sent { at: noon() }, vec![0]));
}

#[test]
fn a_mail_that_is_put_off_is_tried_eight_times_within_a_day() {
    let (mailing, times) = tried(&[MailOutcome::Deferred]);

    assert_eq!(times, [0, 1, 6, 26, 86, 266, 686, 1406]);
    assert_eq!(mailing.attempts, Mailing::MAX_ATTEMPTS);
    assert!(times.iter().all(|it| *it < Mailing::HORIZON.num_minutes()));
    assert_eq!(mailing.status, failed(1406, EmailProblem::AttemptsExhausted));
}

#[test]
fn a_deferred_email_may_be_accepted_later() {
    let (mailing, times) = tried(&[MailOutcome::Deferred, MailOutcome::Deferred, MailOutcome::Accepted]);

    assert_eq!((mailing.status, times), (EmailStatus::Sent { at: at(6) }, vec![0, 1, 6]));
}

#[test]
fn a_mail_that_is_refused_is_tried_no_more() {
    for code in EmailProblem::ALL {
        let (mailing, times) = tried(&[MailOutcome::Rejected(code)]);

        assert_eq!((mailing.status, times), (failed(0, code), vec![0]));
    }
}

#[test]
fn a_mail_that_may_be_there_goes_out_once_more_and_never_again() {
    let (mailing, times) = tried(&[MailOutcome::Unknown]);
    let (taken, _) = tried(&[MailOutcome::Unknown, MailOutcome::Deferred, MailOutcome::Accepted]);

    assert_eq!((mailing.status, times), (failed(1, EmailProblem::AttemptsExhausted), vec![0, 1]));
    assert_eq!(taken.status, EmailStatus::Sent { at: at(6) });
}

#[test]
fn a_mail_is_not_tried_any_more_after_a_day_however_few_tries_there_were() {
    let mut mailing = Mailing::ready(noon());
    mailing.begin(noon());
    mailing.ended(MailOutcome::Deferred, noon());
    let late = noon() + Mailing::HORIZON;

    mailing.begin(late);
    mailing.ended(MailOutcome::Deferred, late);

    assert_eq!(mailing.attempts, 2);
    assert_eq!(mailing.status, EmailStatus::Failed { at: late, code: EmailProblem::AttemptsExhausted });
}

#[test]
fn an_email_without_an_attempt_for_a_week_is_stale() {
    let mut mailing = Mailing::ready(noon());
    let a_week = noon() + Mailing::MAX_WAIT;

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
    assert_eq!((mailing.version, mailing.is_sending), (1, true));
    mailing.ended(MailOutcome::Deferred, noon());
    assert_eq!((mailing.version, mailing.is_sending), (2, false));
    mailing.abandon(noon());
    assert_eq!((mailing.version, mailing.due_at), (3, None));
}

#[test]
fn a_due_email_is_claimed_once() {
    let mut mailing = Mailing::ready(noon());

    assert_eq!(mailing.claim_slot(at(-1)), SendSlot::NotDue);
    assert_eq!((mailing.claim_slot(noon()), mailing.is_sending, mailing.attempts), (SendSlot::Send, true, 1));
    // The worker of the attempt has died.
    assert_eq!((mailing.claim_slot(at(6)), mailing.is_sending, mailing.unknown_outcomes), (SendSlot::Record, false, 1));
    assert_eq!(mailing.claim_slot(at(6)), SendSlot::NotDue);
    assert_eq!(mailing.claim_slot(at(7)), SendSlot::Send);
    mailing.ended(MailOutcome::Accepted, at(7));
    assert_eq!(mailing.claim_slot(at(100)), SendSlot::NotDue);
}

#[test]
fn a_stale_email_is_not_sent() {
    let mut mailing = Mailing::ready(noon());
    let late = noon() + Mailing::MAX_WAIT;

    assert_eq!(mailing.claim_slot(late), SendSlot::Record);

    assert_eq!(mailing.status, EmailStatus::Failed { at: late, code: EmailProblem::AttemptsExhausted });
}

#[test]
fn a_mail_without_an_address_has_failed_from_the_start() {
    let mut mailing = Mailing::unaddressed(noon());

    assert_eq!(mailing.status, failed(0, EmailProblem::MailboxUnavailable));
    assert_eq!(mailing.claim_slot(at(9)), SendSlot::NotDue);
}
