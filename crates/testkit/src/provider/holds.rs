//! Holds, captures and voids.

use chrono::TimeDelta;
use domain::payment::DeclineCode::InsufficientFunds;
use ports::{CallOutcome, LookUp, NotSubmitted};

use super::{GOOD, PRICE, ProviderHarness, charge, held, is_captured, is_held};

const REJECTED: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Rejected);

/// A hold is captured once, and a void does not return captured funds.
pub async fn a_hold_is_taken_once_and_never_given_back(harness: &ProviderHarness) {
    let hold = harness.provider.hold(charge(1, GOOD)).await;
    let before = (harness.look_up(1).await, harness.money());

    let captured = harness.provider.capture(held(1, hold.reference.clone())).await;
    let again = harness.provider.capture(held(1, hold.reference.clone())).await;
    let voided = harness.provider.void(held(1, hold.reference)).await;

    assert_eq!((hold.outcome, captured.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert!(is_held(&before.0), "{before:?}");
    assert_eq!(before.1, (0, PRICE));
    // Refused or ambiguous, but never another approval.
    assert!(matches!(again.outcome, REJECTED | CallOutcome::Ambiguous), "{again:?}");
    assert_eq!(voided.outcome, REJECTED);
    assert!(is_captured(&harness.look_up(1).await));
    assert_eq!(harness.money(), (PRICE, 0));
}

/// A hold can be voided repeatedly, and is not captured afterwards.
pub async fn a_hold_is_given_back_and_never_taken(harness: &ProviderHarness) {
    let hold = harness.provider.hold(charge(1, GOOD)).await;

    let voided = harness.provider.void(held(1, hold.reference.clone())).await;
    let again = harness.provider.void(held(1, hold.reference.clone())).await;
    let captured = harness.provider.capture(held(1, hold.reference)).await;

    assert_eq!((voided.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_ne!(captured.outcome, CallOutcome::Approved);
    assert_eq!(harness.look_up(1).await, LookUp::Gone);
    assert_eq!(harness.money(), (0, 0));
}

/// A hold expires at the issuer, and may still be voided.
pub async fn a_hold_lapses(harness: &ProviderHarness) {
    let life = harness.provider.hold_validity().expect("it reserves funds");
    let reference = harness.provider.hold(charge(1, GOOD)).await.reference;

    harness.clock.advance(life - TimeDelta::seconds(1));
    let just_before = harness.look_up(1).await;
    harness.clock.advance(TimeDelta::seconds(1));

    assert!(is_held(&just_before), "{just_before:?}");
    assert_eq!(harness.look_up(1).await, LookUp::Gone);
    assert!(matches!(harness.provider.capture(held(1, reference.clone())).await.outcome, CallOutcome::Declined(_)));
    assert_eq!(harness.provider.void(held(1, reference)).await.outcome, CallOutcome::Approved);
    assert_eq!(harness.backend.captured(), 0);
}

/// A capture may be declined; the funds stay reserved.
pub async fn an_issuer_may_decline_a_capture(harness: &ProviderHarness) {
    let reference = harness.provider.hold(charge(1, "4222220011000518")).await.reference;

    let captured = harness.provider.capture(held(1, reference.clone())).await;

    assert_eq!(captured.outcome, CallOutcome::Declined(InsufficientFunds));
    assert!(is_held(&harness.look_up(1).await));
    assert_eq!(harness.provider.void(held(1, reference)).await.outcome, CallOutcome::Approved);
    assert_eq!(harness.money(), (0, 0));
}

/// A hold without the provider's reference can be captured and voided, even days later.
pub async fn a_hold_is_found_without_its_name(harness: &ProviderHarness) {
    harness.provider.hold(charge(1, GOOD)).await;
    harness.provider.hold(charge(2, GOOD)).await;
    harness.clock.advance(TimeDelta::days(5));

    let captured = harness.provider.capture(held(1, None)).await;
    let voided = harness.provider.void(held(2, None)).await;
    let never_held = harness.provider.capture(held(3, None)).await;

    assert_eq!((captured.outcome, voided.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(never_held.outcome, REJECTED);
    assert_eq!(harness.money(), (PRICE, 0));
}

/// A void that did not arrive leaves the hold unchanged, and may be repeated.
pub async fn a_first_void_may_not_arrive(harness: &ProviderHarness) {
    let reference = harness.provider.hold(charge(1, "4222220012000004")).await.reference;

    let lost = harness.provider.void(held(1, reference.clone())).await;
    let still = harness.look_up(1).await;
    let repeated = harness.provider.void(held(1, reference)).await;

    assert_eq!((lost.outcome, repeated.outcome), (CallOutcome::Ambiguous, CallOutcome::Approved));
    assert!(is_held(&still), "{still:?}");
    assert_eq!(harness.look_up(1).await, LookUp::Gone);
}

/// A declined hold has no funds to capture or to void.
pub async fn a_declined_hold_reserves_no_funds(harness: &ProviderHarness) {
    let declined = harness.provider.hold(charge(1, "4222220000000511")).await;

    assert_eq!(declined.outcome, CallOutcome::Declined(InsufficientFunds));
    assert_eq!(harness.provider.capture(held(1, None)).await.outcome, REJECTED);
    assert_eq!(harness.provider.void(held(1, None)).await.outcome, REJECTED);
    assert_eq!(harness.look_up(1).await, LookUp::Declined(InsufficientFunds));
}
