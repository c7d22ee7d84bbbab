//! Funds that are reserved, taken and given back.

use chrono::TimeDelta;
use domain::payment::DeclineCode::InsufficientFunds;
use ports::{CallOutcome, LookUp, NotSubmitted};

use super::{GOOD, PRICE, ProviderHarness, charge, held, is_captured, is_held};

const REJECTED: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Rejected);

/// What is held is taken once, and what was taken is not given back by a void.
pub async fn a_hold_is_taken_once_and_never_given_back(counter: &ProviderHarness) {
    let hold = counter.provider.hold(charge(1, GOOD)).await;
    let before = (counter.look_up(1).await, counter.money());

    let captured = counter.provider.capture(held(1, hold.reference.clone())).await;
    let again = counter.provider.capture(held(1, hold.reference.clone())).await;
    let voided = counter.provider.void(held(1, hold.reference)).await;

    assert_eq!((hold.outcome, captured.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert!(is_held(&before.0), "{before:?}");
    assert_eq!(before.1, (0, PRICE));
    // Whether it says no or does not know: it is never an approval of its own.
    assert!(matches!(again.outcome, REJECTED | CallOutcome::Ambiguous), "{again:?}");
    assert_eq!(voided.outcome, REJECTED);
    assert!(is_captured(&counter.look_up(1).await));
    assert_eq!(counter.money(), (PRICE, 0));
}

/// What is held is given back, as often as one likes, and cannot be taken then.
pub async fn a_hold_is_given_back_and_never_taken(counter: &ProviderHarness) {
    let hold = counter.provider.hold(charge(1, GOOD)).await;

    let voided = counter.provider.void(held(1, hold.reference.clone())).await;
    let again = counter.provider.void(held(1, hold.reference.clone())).await;
    let captured = counter.provider.capture(held(1, hold.reference)).await;

    assert_eq!((voided.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_ne!(captured.outcome, CallOutcome::Approved);
    assert_eq!(counter.look_up(1).await, LookUp::Gone);
    assert_eq!(counter.money(), (0, 0));
}

/// Issuers let go of what is not taken in time. It may be given back then, too.
pub async fn a_hold_lapses(counter: &ProviderHarness) {
    let life = counter.provider.hold_validity().expect("it reserves funds");
    let reference = counter.provider.hold(charge(1, GOOD)).await.reference;

    counter.clock.advance(life - TimeDelta::seconds(1));
    let just_before = counter.look_up(1).await;
    counter.clock.advance(TimeDelta::seconds(1));

    assert!(is_held(&just_before), "{just_before:?}");
    assert_eq!(counter.look_up(1).await, LookUp::Gone);
    assert!(matches!(counter.provider.capture(held(1, reference.clone())).await.outcome, CallOutcome::Declined(_)));
    assert_eq!(counter.provider.void(held(1, reference)).await.outcome, CallOutcome::Approved);
    assert_eq!(counter.backend.captured(), 0);
}

/// A capture may be declined, and the funds stay where they are.
pub async fn an_issuer_may_refuse_to_give_what_it_holds(counter: &ProviderHarness) {
    let reference = counter.provider.hold(charge(1, "4222220011000518")).await.reference;

    let captured = counter.provider.capture(held(1, reference.clone())).await;

    assert_eq!(captured.outcome, CallOutcome::Declined(InsufficientFunds));
    assert!(is_held(&counter.look_up(1).await));
    assert_eq!(counter.provider.void(held(1, reference)).await.outcome, CallOutcome::Approved);
    assert_eq!(counter.money(), (0, 0));
}

/// Whoever never heard the provider's name for a hold can take it and give it back all the same,
/// even days later.
pub async fn a_hold_is_found_without_its_name(counter: &ProviderHarness) {
    counter.provider.hold(charge(1, GOOD)).await;
    counter.provider.hold(charge(2, GOOD)).await;
    counter.clock.advance(TimeDelta::days(5));

    let captured = counter.provider.capture(held(1, None)).await;
    let voided = counter.provider.void(held(2, None)).await;
    let never_held = counter.provider.capture(held(3, None)).await;

    assert_eq!((captured.outcome, voided.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(never_held.outcome, REJECTED);
    assert_eq!(counter.money(), (PRICE, 0));
}

/// A void that is not heard leaves the hold as it was, and may be repeated.
pub async fn a_first_void_may_not_be_heard(counter: &ProviderHarness) {
    let reference = counter.provider.hold(charge(1, "4222220012000004")).await.reference;

    let unheard = counter.provider.void(held(1, reference.clone())).await;
    let still = counter.look_up(1).await;
    let heard = counter.provider.void(held(1, reference)).await;

    assert_eq!((unheard.outcome, heard.outcome), (CallOutcome::Ambiguous, CallOutcome::Approved));
    assert!(is_held(&still), "{still:?}");
    assert_eq!(counter.look_up(1).await, LookUp::Gone);
}

/// After a refusal there is nothing to take, and nothing to give back.
pub async fn what_was_declined_holds_nothing(counter: &ProviderHarness) {
    let declined = counter.provider.hold(charge(1, "4222220000000511")).await;

    assert_eq!(declined.outcome, CallOutcome::Declined(InsufficientFunds));
    assert_eq!(counter.provider.capture(held(1, None)).await.outcome, REJECTED);
    assert_eq!(counter.provider.void(held(1, None)).await.outcome, REJECTED);
    assert_eq!(counter.look_up(1).await, LookUp::Declined(InsufficientFunds));
}
