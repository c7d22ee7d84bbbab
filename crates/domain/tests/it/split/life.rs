//! Windows, unknown outcomes and races of a split over several steps.

use chrono::TimeDelta;
use cobro_domain::{
    Conflict, EventKind,
    fiscal::DocumentStatus,
    payment::{AuthReturn, DeclineCode, PaymentStatus},
    sale::Sale,
    split::{
        AuthorizationOutcome, CaptureOutcome, Effect, HoldFinding, PartState, PartStatus, ReleaseOutcome, Split,
        SplitStatus, SplitWindow, check,
    },
};

use super::{
    answered, captured, closed, context, held, kinds, name, part, part_states, released, renewal, reserved, shared_by,
    split, submitted,
};
use crate::support::{after, attempt, card, noon};

const HOUR: i64 = 3600;

fn two_reserved() -> Sale {
    reserved(shared_by(2), &[1, 2])
}

#[test]
fn a_deleted_split_restores_the_window_of_the_payment() {
    let mut sale = shared_by(2);
    let own = sale.payment.state().expires_at;
    assert_eq!(sale.payment.expires_at(), after(2 * HOUR));

    let events = sale.delete_split(after(60)).unwrap();

    assert_eq!(kinds(&events), ["payment_split.deleted"]);
    assert_eq!((sale.payment.expires_at(), sale.payment.status()), (own, PaymentStatus::RequiresCustomerAction));
}

#[test]
fn a_window_that_outlives_the_issuers_is_refused() {
    assert!(SplitWindow::new(TimeDelta::hours(167), TimeDelta::days(7)).is_ok());
    assert!(SplitWindow::new(TimeDelta::minutes(167 * 60 + 1), TimeDelta::days(7)).is_err());
    assert!(SplitWindow::new(TimeDelta::zero(), TimeDelta::days(7)).is_err());
}

#[test]
fn the_end_of_the_window_releases_reserved_parts_and_expires_the_others() {
    let mut sale = reserved(shared_by(3), &[1]);
    let end = sale.payment.expires_at();
    assert_eq!(sale.payment.due_at(), Some(end));

    let events = sale.expire_due(end).unwrap();
    assert_eq!(part_states(&sale), [PartState::Releasing, PartState::Expired, PartState::Expired]);
    assert_eq!(kinds(&events), ["payment_part.expired", "payment_part.expired", "payment.releasing"]);
    assert_eq!(split(&sale).effects(end), [Effect::Release { ordinal: 1, hold: name(1, 1) }]);
    let sale = released(sale, 1, ReleaseOutcome::Released, end);

    assert_eq!((split(&sale).status(), sale.payment.status()), (SplitStatus::Expired, PaymentStatus::Expired));
    assert_eq!(sale.document.status(), DocumentStatus::Canceled);
}

#[test]
fn the_end_of_the_window_waits_for_a_card_in_flight_and_releases_its_funds() {
    let mut sale = closed(submitted(shared_by(2), 1));
    let end = sale.payment.expires_at();
    assert_eq!(sale.payment.status(), PaymentStatus::Verifying, "its process has stopped");
    let mut quick = submitted(shared_by(2), 1);
    quick.challenge_returned(&name(1, 1), AuthReturn::ChallengeDone, noon());

    let events = sale.apply_part_finding(1, HoldFinding::Held { valid_until: end + TimeDelta::days(7) }, end).unwrap();

    assert_eq!(part_states(&sale), [PartState::Releasing, PartState::Expired]);
    assert_eq!(kinds(&events), ["payment.releasing"]);
}

#[test]
fn the_tail_of_a_window_is_processing() {
    let mut sale = shared_by(2);
    let end = sale.payment.expires_at();
    sale.submit_part(1, name(1, 1), card(), end - TimeDelta::seconds(1)).unwrap();

    sale.expire_due(end).unwrap();
    assert_eq!(sale.payment.status(), PaymentStatus::Processing);
    sale.apply_authorization(&name(1, 1), AuthorizationOutcome::Declined(DeclineCode::DoNotHonor), end).unwrap();

    assert_eq!(sale.payment.status(), PaymentStatus::Expired);
}

#[test]
fn an_expired_split_is_renewed_and_paid() {
    let declined = answered(shared_by(2), 1, AuthorizationOutcome::Declined(DeclineCode::SuspectedFraud));
    let mut sale = closed(declined);
    let later = after(3 * HOUR);

    let events = sale.renew_split(renewal(), later).unwrap();

    assert_eq!(
        kinds(&events),
        ["payment_split.renewed", "payment.requires_customer_action", "fiscal_document.requested"]
    );
    assert_eq!(sale.payment.expires_at(), after(5 * HOUR));
    assert_eq!(part(&sale, 1).state().attempts, 1, "the counter stays");
    for ordinal in [1, 2] {
        sale.submit_part(ordinal, name(ordinal, 5), card(), later).unwrap();
        sale.apply_authorization(&name(ordinal, 5), held(later), later).unwrap();
    }
    sale.capture(later).unwrap();
    for ordinal in [1, 2] {
        sale.begin_call(ordinal, name(ordinal, 6), later).unwrap();
        sale.apply_capture(&name(ordinal, 6), CaptureOutcome::Captured, later).unwrap();
    }
    assert_eq!(sale.payment.status(), PaymentStatus::Succeeded);
    assert_eq!(sale.document.status(), DocumentStatus::Issuing);
    assert_eq!(check(&sale), Ok(()));
}

#[test]
fn a_partial_payment_is_extended_once_and_its_rest_is_released_in_the_end() {
    let mut sale = captured(two_reserved(), &[(1, CaptureOutcome::Captured), (2, CaptureOutcome::Refused)]);
    assert_eq!(sale.payment.expires_at(), after(24 * HOUR));
    sale.capture(after(HOUR)).unwrap();
    sale.begin_call(2, name(2, 8), after(HOUR)).unwrap();
    sale.apply_capture(&name(2, 8), CaptureOutcome::Refused, after(HOUR)).unwrap();
    assert_eq!(sale.payment.expires_at(), after(24 * HOUR), "entered again, extended once");

    let sale = closed(sale);
    assert_eq!(split(&sale).effects(after(24 * HOUR)), [Effect::Release { ordinal: 2, hold: name(2, 1) }]);
    let sale = released(sale, 2, ReleaseOutcome::Released, after(24 * HOUR));

    assert_eq!(sale.payment.status(), PaymentStatus::PartiallyPaid);
    assert!(sale.payment.is_terminal() && sale.payment.due_at().is_none());
    assert_eq!(sale.document.status(), DocumentStatus::Requested, "no document for a part of a sale");
}

#[test]
fn a_capture_that_runs_over_the_end_keeps_the_window_open() {
    let mut sale = captured(two_reserved(), &[(1, CaptureOutcome::Ambiguous), (2, CaptureOutcome::Refused)]);
    let end = sale.payment.expires_at();

    sale.expire_due(end).unwrap();
    assert_eq!(part(&sale, 2).status(), PartStatus::Authorized, "not released under a running capture");
    sale.apply_part_finding(1, HoldFinding::Captured, end).unwrap();

    assert_eq!(split(&sale).status(), SplitStatus::PartiallyPaid);
    assert_eq!(sale.payment.expires_at(), end + TimeDelta::hours(24));
}

/// B1, B2: reservations lapsed without a warning before or an event after.
#[test]
fn a_reservation_that_lapses_makes_its_part_payable_again() {
    let short = AuthorizationOutcome::Approved { valid_until: after(HOUR), is_card_stored: false };
    let mut sale = answered(reserved(shared_by(2), &[1]), 2, short);
    assert_eq!(part(&sale, 2).authorization_valid_until(), Some(after(HOUR)));
    assert_eq!(sale.capture(after(HOUR)), Err(Conflict::PaymentSplitNotCapturable));

    let warned = sale.expire_due(after(HOUR - 900)).unwrap();
    let again = sale.expire_due(after(HOUR - 800)).unwrap();
    let passed = sale.expire_due(after(HOUR)).unwrap();
    let asked = split(&sale).effects(after(HOUR));
    let lapsed = sale.apply_part_finding(2, HoldFinding::Gone, after(HOUR)).unwrap();

    assert_eq!(kinds(&warned), ["payment.authorization_expiring"]);
    assert!(again.is_empty(), "warned once");
    assert!(passed.is_empty(), "our clock alone ends no reservation");
    assert_eq!(asked, [Effect::LookUp { ordinal: 2, hold: name(2, 1), attempt: name(2, 1) }]);
    assert_eq!(kinds(&lapsed), ["payment_part.expired", "payment.partially_authorized"]);
    assert_eq!(part(&sale, 2).status(), PartStatus::Unpaid);
    sale.submit_part(2, name(2, 9), card(), after(HOUR)).unwrap();
}

/// A worker whose clock was 25 hours ahead treated reservations as lapsed, and they were never released.
#[test]
fn a_reservation_stays_until_the_provider_reports_its_end() {
    let held = HoldFinding::Held { valid_until: after(HOUR) };
    for finding in [held, HoldFinding::Unknown, HoldFinding::NotFound, HoldFinding::Captured] {
        let short = AuthorizationOutcome::Approved { valid_until: after(HOUR), is_card_stored: false };
        let mut sale = answered(reserved(shared_by(2), &[1]), 2, short);
        sale.expire_due(after(HOUR)).unwrap();
        let before = sale.clone();

        let events = sale.apply_part_finding(2, finding, after(HOUR)).unwrap();

        assert!(events.is_empty(), "{finding:?}");
        assert_eq!(sale, before, "{finding:?}");
        assert!(!split(&sale).effects(after(HOUR)).is_empty(), "the look-up is repeated");
        let end = sale.payment.expires_at();
        sale.expire_due(end).unwrap();
        let releases = split(&sale).effects(end);
        assert!(releases.contains(&Effect::Release { ordinal: 2, hold: name(2, 1) }), "{releases:?}");
    }
}

/// B16: a released hold that the provider reported was ignored.
#[test]
fn the_provider_knows_better_than_our_clock_when_funds_are_free() {
    let mut sale = two_reserved();

    let events = sale.hold_gone(&name(2, 1), noon()).unwrap();

    assert_eq!(kinds(&events), ["payment_part.expired", "payment.partially_authorized"]);
    assert!(sale.hold_gone(&name(2, 1), noon()).unwrap().is_empty(), "a repeated report has no effect");
}

#[test]
fn a_lapsed_reservation_is_not_captured() {
    let short = AuthorizationOutcome::Approved { valid_until: after(HOUR), is_card_stored: false };
    let mut sale = answered(reserved(shared_by(2), &[1]), 2, short);
    sale.capture(after(HOUR - 1)).unwrap();

    let look_up = Effect::LookUp { ordinal: 2, hold: name(2, 1), attempt: name(2, 1) };
    assert!(split(&sale).effects(after(HOUR)).contains(&look_up));
    assert!(sale.begin_call(2, name(2, 2), after(HOUR)).is_err());
    sale.expire_due(after(HOUR)).unwrap();
    assert_eq!(part(&sale, 2).status(), PartStatus::Capturing, "our clock alone ends no reservation");

    let mut still_held = sale.clone();
    sale.apply_part_finding(2, HoldFinding::Gone, after(HOUR)).unwrap();
    still_held.apply_part_finding(2, HoldFinding::Held { valid_until: after(HOUR) }, after(HOUR)).unwrap();

    assert_eq!(part(&sale, 2).status(), PartStatus::Declined);
    assert_eq!(part(&still_held, 2).status(), PartStatus::Authorized, "neither captured nor forgotten");
}

/// B7: a release after the capture left the wrong status.
#[test]
fn a_release_that_comes_too_late_finds_the_money_captured() {
    let mut sale = two_reserved();
    sale.release(noon()).unwrap();
    let sale = released(sale, 1, ReleaseOutcome::AlreadyCaptured, noon());
    let sale = released(sale, 2, ReleaseOutcome::Released, noon());

    assert_eq!(part_states(&sale), [PartState::Succeeded, PartState::Released]);
    assert_eq!(split(&sale).status(), SplitStatus::PartiallyPaid);
}

/// B17: a release that failed was forgotten.
#[test]
fn a_release_is_retried_and_escalated() {
    let mut sale = reserved(shared_by(2), &[1]);
    sale.cancel(noon()).unwrap();
    let (mut now, mut events) = (noon(), Vec::new());
    for n in 0..8 {
        now = split(&sale).effects(now).first().map_or_else(|| sale.payment.due_at().unwrap(), |_| now);
        sale.begin_call(1, attempt(200 + n), now).unwrap();
        events.extend(sale.apply_release(&attempt(200 + n), ReleaseOutcome::NotSubmitted, now).unwrap());
        assert_eq!(part(&sale, 1).status(), PartStatus::Releasing);
    }
    now = sale.payment.due_at().unwrap();
    sale.begin_call(1, attempt(300), now).unwrap();
    sale.apply_release(&attempt(300), ReleaseOutcome::Released, now).unwrap();

    assert_eq!(kinds(&events), [EventKind::PaymentVerificationEscalated.as_str()]);
    assert_eq!((sale.payment.status(), sale.document.status()), (PaymentStatus::Canceled, DocumentStatus::Canceled));
}

#[test]
fn a_payment_is_escalated_once_for_all_of_its_parts() {
    let mut sale = two_reserved();
    sale.cancel(noon()).unwrap();
    let mut events = Vec::new();
    for n in 0..8 {
        let now = noon() + chrono::TimeDelta::hours(n);
        for ordinal in [1, 2] {
            let name = attempt(200 + 10 * u32::from(ordinal) + u32::try_from(n).unwrap());
            sale.begin_call(ordinal, name.clone(), now).unwrap();
            events.extend(sale.apply_release(&name, ReleaseOutcome::NotSubmitted, now).unwrap());
        }
    }

    assert_eq!(kinds(&events), [EventKind::PaymentVerificationEscalated.as_str()]);
}

#[test]
fn an_unknown_release_is_looked_up_before_a_retry() {
    let mut sale = two_reserved();
    sale.release(noon()).unwrap();
    let mut sale = released(sale, 1, ReleaseOutcome::Ambiguous, noon());
    let still = HoldFinding::Held { valid_until: after(7 * 24 * HOUR) };
    for second in [15, 60, 180, 599] {
        sale.apply_part_finding(1, still, after(second)).unwrap();
        assert_eq!(part(&sale, 1).part_state(), PartState::VerifyingRelease, "a provider may be slow to show it");
    }

    sale.apply_part_finding(1, still, after(600)).unwrap();

    assert_eq!(part(&sale, 1).part_state(), PartState::Releasing);
    assert!(split(&sale).effects(after(600)).contains(&Effect::Release { ordinal: 1, hold: name(1, 1) }));
}

#[test]
fn doubts_are_looked_up_by_the_reservation_on_the_schedule() {
    let sale = captured(two_reserved(), &[(2, CaptureOutcome::Ambiguous)]);
    let look_up = Effect::LookUp { ordinal: 2, hold: name(2, 1), attempt: name(2, 2) };

    assert!(!split(&sale).effects(after(14)).contains(&look_up));
    assert!(split(&sale).effects(after(15)).contains(&look_up));
    let progress = split(&sale).reconciliation().unwrap();
    assert_eq!((progress.started_at, progress.next_check_at, progress.is_escalated), (noon(), after(15), false));
    assert_eq!(sale.payment.status(), PaymentStatus::Verifying);
    assert_eq!(split(&sale).status(), SplitStatus::Capturing);
}

#[test]
fn a_doubt_without_an_end_is_escalated_once() {
    let mut sale = answered(shared_by(2), 1, AuthorizationOutcome::Ambiguous);
    let mut events = Vec::new();
    for n in 1..=9 {
        events.extend(sale.apply_part_finding(1, HoldFinding::Unknown, after(n)).unwrap());
    }

    assert_eq!(kinds(&events), ["payment.verification_escalated"]);
    assert!(split(&sale).reconciliation().unwrap().is_escalated);
}

#[test]
fn a_call_whose_caller_died_is_in_doubt() {
    let mut sale = two_reserved();
    sale.capture(noon()).unwrap();
    sale.begin_call(1, name(1, 2), noon()).unwrap();
    let lost = noon() + Split::CALL_LIFE;

    sale.expire_due(lost - TimeDelta::milliseconds(1)).unwrap();
    assert_eq!(part(&sale, 1).part_state(), PartState::Capturing);
    sale.expire_due(lost).unwrap();
    assert_eq!(part(&sale, 1).part_state(), PartState::VerifyingCapture);

    sale.apply_capture(&name(1, 2), CaptureOutcome::Captured, lost).unwrap();
    assert_eq!(part(&sale, 1).part_state(), PartState::Succeeded, "a late answer settles the doubt");
}

#[test]
fn a_release_without_a_sent_call_is_undone() {
    let before = reserved(shared_by(3), &[1, 2]);
    let mut sale = before.clone();
    sale.release(noon()).unwrap();
    assert!(sale.clone().withdraw_release(&before, noon()).is_ok());
    sale.begin_call(1, name(1, 3), noon()).unwrap();
    assert!(sale.clone().withdraw_release(&before, noon()).is_err(), "a call is open");
    sale.apply_release(&name(1, 3), ReleaseOutcome::NotSubmitted, noon()).unwrap();

    let events = sale.withdraw_release(&before, noon()).unwrap();

    assert_eq!(split(&sale), split(&before));
    assert_eq!(kinds(&events), ["payment.partially_authorized"]);
    let mut reached = before.clone();
    reached.release(noon()).unwrap();
    let mut reached = released(reached, 1, ReleaseOutcome::Released, noon());
    assert!(reached.withdraw_release(&before, noon()).is_err());
}

#[test]
fn five_cards_are_enough_for_a_part_and_the_others_stay_payable() {
    let mut sale = shared_by(2);
    for n in 1..=5 {
        sale.submit_part(1, name(1, n), card(), noon()).unwrap();
        let declined = AuthorizationOutcome::Declined(DeclineCode::DoNotHonor);
        sale.apply_authorization(&name(1, n), declined, noon()).unwrap();
    }

    let refused = sale.submit_part(1, name(1, 6), card(), noon()).unwrap_err();
    assert_eq!(refused.code, Conflict::DeclineNotRetryable.into());
    sale.submit_part(2, name(2, 1), card(), noon()).unwrap();
}

#[test]
fn a_part_returns_to_its_state_if_no_request_was_submitted() {
    let mut sale = answered(shared_by(2), 1, AuthorizationOutcome::Declined(DeclineCode::CardExpired));
    sale.submit_part(1, name(1, 2), card(), noon()).unwrap();

    let events = sale.apply_authorization(&name(1, 2), AuthorizationOutcome::NotSubmitted, noon()).unwrap();

    assert_eq!(part(&sale, 1).decline().unwrap().code, DeclineCode::CardExpired);
    assert_eq!(kinds(&events), ["payment_part.declined"]);
}

#[test]
fn the_shares_are_frozen_once_a_card_is_in_flight() {
    let mut sale = submitted(shared_by(2), 1);
    let before: Vec<_> = split(&sale).parts().iter().map(|it| it.share).collect();
    let draft = cobro_domain::split::SplitDraft::Equal { part_count: 4 };

    assert!(sale.replace_split(&draft, &context(), noon()).is_err());
    let mut sale = reserved(shared_by(2), &[1, 2]);
    assert!(sale.replace_split(&draft, &context(), noon()).is_err());
    assert_eq!(split(&sale).parts().iter().map(|it| it.share).collect::<Vec<_>>(), before);

    let mut fresh = shared_by(2);
    let events = fresh.replace_split(&draft, &context(), after(60)).unwrap();
    assert_eq!(kinds(&events), ["payment_split.replaced"]);
    assert_eq!((split(&fresh).parts().len(), fresh.payment.expires_at()), (4, after(60 + 2 * HOUR)));
    assert_eq!(check(&fresh), Ok(()));
}
