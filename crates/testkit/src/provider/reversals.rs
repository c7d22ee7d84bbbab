//! Reversals of approvals.

use chrono::TimeDelta;
use ports::{CallOutcome, LookUp, NotSubmitted};

use super::{GOOD, PRICE, ProviderHarness, attempt, charge};

/// A recent charge is reversed once, also on repeated calls.
pub async fn an_approval_is_reversed_once(harness: &ProviderHarness) {
    harness.provider.charge(charge(1, GOOD)).await;
    harness.provider.charge(charge(2, GOOD)).await;

    let reversed = harness.provider.reverse(attempt(1)).await;
    let again = harness.provider.reverse(attempt(1)).await;

    assert_eq!((reversed.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(harness.look_up(1).await, LookUp::NotFound);
    assert_eq!(harness.money(), (PRICE, 0));
}

/// An old charge is returned once, by a refund.
pub async fn an_approval_of_yesterday_is_returned_once(harness: &ProviderHarness) {
    harness.provider.charge(charge(1, GOOD)).await;
    harness.clock.advance(TimeDelta::days(1));

    let reversed = harness.provider.reverse(attempt(1)).await;
    let again = harness.provider.reverse(attempt(1)).await;

    assert_eq!((reversed.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(harness.look_up(1).await, LookUp::NotFound);
    assert_eq!(harness.money(), (0, 0));
}

/// A decline or a missing transaction cannot be reversed.
pub async fn a_reversal_without_a_charge_is_refused(harness: &ProviderHarness) {
    harness.provider.charge(charge(1, "4222220000000511")).await;

    let declined = harness.provider.reverse(attempt(1)).await;
    let never_submitted = harness.provider.reverse(attempt(2)).await;

    let rejected = CallOutcome::NotSubmitted(NotSubmitted::Rejected);
    assert_eq!((declined.outcome, never_submitted.outcome), (rejected.clone(), rejected));
}
