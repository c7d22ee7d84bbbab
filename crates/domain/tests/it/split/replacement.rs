//! Replacement of reserved funds.

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    payment::{OrphanFinding, OrphanStage, PaymentStatus, ReversalReason},
    sale::Sale,
    split::{
        AuthorizationOutcome, CaptureOutcome, Effect, HoldFinding, PartStatus, Replacement, ReplacementOutcome, Split,
        SplitWindow, check,
    },
};

use super::{captured, kinds, name, part, reserved, shared_by, split, submitted};
use crate::support::{after, noon};

const HOUR: i64 = 3600;

/// The first share is reserved for four hours, by a stored card; the second is captured, so that the bill is open for
/// a day more.
fn half_paid() -> Sale {
    let mut sale = submitted(reserved(shared_by(2), &[2]), 1);
    let held = AuthorizationOutcome::Approved { valid_until: after(4 * HOUR), is_card_stored: true };
    sale.apply_authorization(&name(1, 1), held, noon()).unwrap();
    let sale = captured(sale, &[(1, CaptureOutcome::NotSubmitted), (2, CaptureOutcome::Captured)]);
    assert_eq!(sale.payment.status(), PaymentStatus::PartiallyPaid);
    sale
}

fn begun() -> Sale {
    let mut sale = half_paid();
    sale.begin_call(1, name(1, 5), after(3 * HOUR)).unwrap();
    sale
}

fn valid_until(sale: &Sale) -> Option<DateTime<Utc>> {
    part(sale, 1).authorization_valid_until()
}

fn approved() -> ReplacementOutcome {
    ReplacementOutcome::Approved { valid_until: after(7 * HOUR) }
}

#[test]
fn a_replacement_is_due_a_quarter_of_the_validity_before_its_end() {
    let mut short = submitted(reserved(shared_by(2), &[2]), 1);
    let held = AuthorizationOutcome::Approved { valid_until: after(4 * HOUR), is_card_stored: true };
    short.apply_authorization(&name(1, 1), held, noon()).unwrap();
    let sale = half_paid();

    assert_eq!(split(&sale).effects(after(3 * HOUR - 1)), []);
    let due = Effect::Replace { ordinal: 1, hold: name(1, 1), card: name(1, 1) };
    assert_eq!(split(&sale).effects(after(3 * HOUR)), [due]);
    assert!(sale.payment.due_at().unwrap() <= after(3 * HOUR));
    assert!(split(&sale).needs_card(&name(1, 1)) && !split(&sale).needs_card(&name(2, 1)));
    assert_eq!(split(&short).effects(after(3 * HOUR)), [], "the window closes before");
    let look_up = Effect::LookUp { ordinal: 1, hold: name(1, 1), attempt: name(1, 1) };
    assert_eq!(split(&half_paid()).effects(after(4 * HOUR)), [look_up], "it may be free already");
}

/// The new reservation replaces the old one, which is released. The rest stays the same.
#[test]
fn a_replacement_takes_the_place_of_the_reservation() {
    let mut sale = begun();
    let figures = split(&sale).figures();

    sale.apply_replacement(&name(1, 5), approved(), after(3 * HOUR));

    assert_eq!((valid_until(&sale), split(&sale).figures()), (Some(after(7 * HOUR)), figures));
    assert_eq!(part(&sale, 1).stage().hold().unwrap().attempt, name(1, 5));
    let [old] = sale.payment.orphans() else { panic!("{:?}", sale.payment.orphans()) };
    assert!(old.stage == OrphanStage::ReversalDue(ReversalReason::Replacement) && old.progress.attempt == name(1, 1));
    assert_eq!(check(&sale), Ok(()));
    let events = sale.payment.orphan_found(&name(1, 1), OrphanFinding::Free, after(3 * HOUR));
    assert_eq!((kinds(&events), sale.payment.orphans().len()), (vec![], 0));
    assert!(split(&sale).needs_card(&name(1, 1)), "it can be done again");
}

#[test]
fn a_refused_replacement_leaves_the_reservation() {
    let mut sale = begun();

    sale.apply_replacement(&name(1, 5), ReplacementOutcome::Refused, after(3 * HOUR));

    assert_eq!((valid_until(&sale), sale.payment.orphans().len()), (Some(after(4 * HOUR)), 0));
    assert!(!split(&sale).needs_card(&name(1, 1)));
    assert_eq!(split(&sale).effects(after(3 * HOUR + 600)), []);
}

#[test]
fn a_call_that_never_left_is_due_after_a_pause() {
    let mut sale = begun();

    sale.apply_replacement(&name(1, 5), ReplacementOutcome::NotSubmitted, after(3 * HOUR));

    assert_eq!((split(&sale).effects(after(3 * HOUR + 299)), sale.payment.orphans().len()), (vec![], 0));
    assert_eq!(split(&sale).effects(after(3 * HOUR + 300)).len(), 1);
}

/// After a bad response or none, or for a part that has moved on: the attempt is looked up until it is known to hold
/// no money.
#[test]
fn a_replacement_with_an_unknown_result_is_orphaned() {
    let answered = |mut sale: Sale| {
        sale.apply_replacement(&name(1, 5), ReplacementOutcome::Ambiguous, after(3 * HOUR + 1));
        sale
    };
    let silent = |mut sale: Sale| {
        let lost = after(3 * HOUR) + Split::CALL_LIFE;
        assert!(sale.payment.due_at().unwrap() <= lost);
        sale.expire_due(lost).unwrap();
        sale
    };
    let captured = |mut sale: Sale| {
        sale.capture(after(3 * HOUR + 1)).unwrap();
        sale
    };
    let lapsed = |mut sale: Sale| {
        sale.expire_due(after(4 * HOUR)).unwrap();
        sale.apply_part_finding(1, HoldFinding::Gone, after(4 * HOUR)).unwrap();
        assert_eq!(part(&sale, 1).status(), PartStatus::Unpaid);
        sale
    };
    for end in [&answered as &dyn Fn(Sale) -> Sale, &silent, &captured, &lapsed] {
        let mut sale = end(begun());

        let [orphan] = sale.payment.orphans() else { panic!("{:?}", sale.payment.orphans()) };
        assert!(!orphan.holds_money() && orphan.progress.attempt == name(1, 5));
        assert_eq!(check(&sale), Ok(()));
        sale.apply_replacement(&name(1, 5), approved(), after(4 * HOUR + 1));
        let [orphan] = sale.payment.orphans() else { panic!("{:?}", sale.payment.orphans()) };
        assert_eq!(orphan.stage, OrphanStage::ReversalDue(ReversalReason::LateApproval), "it is reversed at once");
        assert_ne!(valid_until(&sale), Some(after(7 * HOUR)));
    }
}

/// A capture that was not executed leaves the reservation, without the interrupted replacement.
#[test]
fn an_interrupted_replacement_does_not_come_back() {
    let mut sale = begun();
    sale.capture(after(3 * HOUR + 1)).unwrap();
    sale.begin_call(1, name(1, 6), after(3 * HOUR + 1)).unwrap();
    sale.apply_capture(&name(1, 6), CaptureOutcome::Refused, after(3 * HOUR + 2)).unwrap();

    let hold = part(&sale, 1).stage().hold().unwrap();
    assert_eq!((&hold.attempt, &hold.replacement), (&name(1, 1), &Replacement::Never));
    assert_eq!(check(&sale), Ok(()));
}

#[test]
fn cards_are_stored_only_if_a_bill_may_outlast_its_reservations() {
    let window = SplitWindow::default();

    assert!(Split::may_outlast(window, TimeDelta::hours(27) - TimeDelta::seconds(1)));
    assert!(!Split::may_outlast(window, TimeDelta::hours(27)));
    let noon = noon();
    assert_eq!(Replacement::valid_until(noon, TimeDelta::days(7)), noon + TimeDelta::hours(114));
    assert_eq!(Replacement::valid_until(noon, TimeDelta::hours(4)), noon + TimeDelta::hours(4));
}
