//! 3-D Secure challenges of parts.

use chrono::TimeDelta;
use cobro_domain::{
    payment::{Action, AuthReturn, DeclineCode, OrphanFinding, PaymentStatus},
    split::{AuthorizationOutcome, CaptureOutcome, Effect, HoldFinding, PartState, PartStatus, ReleaseOutcome, check},
};

use super::{answered, challenged, held, kinds, name, part, part_states, reserved, shared_by, split, submitted};
use crate::support::{after, attempt, noon, symbols};

#[test]
fn a_challenge_keeps_its_part_processing_until_it_is_abandoned() {
    let mut sale = answered(shared_by(2), 1, challenged());
    let mut returned = sale.clone();
    assert_eq!(part(&sale, 1).challenge().unwrap().link, symbols(1));
    assert_eq!(sale.payment.due_at(), Some(after(900)));

    assert_eq!(returned.challenge_returned(&name(1, 1), AuthReturn::ChallengeDone, after(60)), Some(Vec::new()));
    assert_eq!(
        returned.challenge_returned(&name(1, 1), AuthReturn::ChallengeDone, after(61)),
        None,
        "a duplicate does nothing"
    );
    assert!(split(&sale).effects(after(899)).is_empty());
    assert!(sale.apply_part_finding(1, HoldFinding::Unfinished, after(899)).is_err());
    let look_up = Effect::LookUp { ordinal: 1, hold: name(1, 1), attempt: name(1, 1) };
    assert_eq!(split(&sale).effects(after(900)), [look_up]);
    assert_eq!(part(&sale, 1).status(), PartStatus::Processing);
    sale.apply_part_finding(1, HoldFinding::Unfinished, after(900)).unwrap();

    assert_eq!(part(&sale, 1).decline().unwrap().code, DeclineCode::AuthenticationFailed);
}

/// The issuer may have decided: an uncertain result is looked up again.
#[test]
fn an_abandoned_challenge_is_looked_up() {
    let valid_until = after(900) + TimeDelta::days(7);
    for (finding, standing) in [
        (HoldFinding::Held { valid_until }, PartState::Authorized),
        (HoldFinding::Declined(DeclineCode::DoNotHonor), PartState::Declined),
        (HoldFinding::Unfinished, PartState::Declined),
        (HoldFinding::Gone, PartState::Unpaid),
        (HoldFinding::NotFound, PartState::VerifyingAuthorization),
        (HoldFinding::Unknown, PartState::VerifyingAuthorization),
    ] {
        let mut sale = answered(shared_by(2), 1, challenged());

        sale.apply_part_finding(1, finding, after(900)).unwrap();

        assert_eq!(part_states(&sale), [standing, PartState::Unpaid], "{finding:?}");
    }
}

#[test]
fn the_method_step_waits_for_its_timeout_or_the_notification() {
    let method = Action::Method { form: "<form></form>".to_owned() };
    let sale = answered(shared_by(2), 1, AuthorizationOutcome::ChallengeRequired(symbols(1), method));
    let returned = |back, at| sale.clone().challenge_returned(&name(1, 1), back, at).is_some();
    let mut noticed = sale.clone();

    assert!(noticed.challenge_returned(&name(1, 1), AuthReturn::MethodNotified, after(1)).is_some());

    assert!(noticed.challenge_returned(&name(1, 1), AuthReturn::MethodDone, after(2)).is_some());
    assert!(!returned(AuthReturn::MethodDone, after(9)));
    assert!(returned(AuthReturn::MethodDone, after(10)));
    assert!(!returned(AuthReturn::MethodDone, after(900)), "it is over");
    assert!(!returned(AuthReturn::ChallengeDone, after(10)), "no challenge was requested");
}

#[test]
fn an_answer_about_another_attempt_changes_no_state() {
    let mut sale = submitted(shared_by(2), 1);
    let before = sale.clone();

    assert!(sale.apply_authorization(&attempt(77), held(noon()), noon()).is_err());
    assert!(sale.apply_capture(&name(1, 1), CaptureOutcome::Captured, noon()).is_err());
    assert!(sale.apply_release(&name(1, 1), ReleaseOutcome::Released, noon()).is_err());
    assert!(sale.apply_part_finding(1, HoldFinding::Captured, noon()).is_err());
    assert!(sale.cancel(noon()).is_err());
    assert_eq!(sale, before);
}

#[test]
fn a_late_approval_is_reported_and_changes_no_part() {
    let mut sale = reserved(shared_by(2), &[1, 2]);

    assert!(sale.payment.approved_late(&attempt(77), noon(), noon()));
    let events = sale.payment.orphan_found(&attempt(77), OrphanFinding::Free, noon());

    assert_eq!(kinds(&events), ["payment.late_approval_reversed"]);
    assert_eq!((sale.payment.status(), check(&sale)), (PaymentStatus::Authorized, Ok(())));
}
