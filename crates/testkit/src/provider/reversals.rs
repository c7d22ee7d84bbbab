//! Approvals that are undone.

use chrono::TimeDelta;
use ports::{CallOutcome, LookUp, NotSubmitted};

use super::{GOOD, PRICE, ProviderHarness, attempt, charge};

/// What was charged just now is given back, once, however often that is asked.
pub async fn an_approval_is_reversed_once(counter: &ProviderHarness) {
    counter.provider.charge(charge(1, GOOD)).await;
    counter.provider.charge(charge(2, GOOD)).await;

    let reversed = counter.provider.reverse(attempt(1)).await;
    let again = counter.provider.reverse(attempt(1)).await;

    assert_eq!((reversed.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(counter.look_up(1).await, LookUp::NotFound);
    assert_eq!(counter.money(), (PRICE, 0));
}

/// What was charged long ago is given back in whatever way is left, once.
pub async fn an_approval_of_yesterday_is_returned_once(counter: &ProviderHarness) {
    counter.provider.charge(charge(1, GOOD)).await;
    counter.clock.advance(TimeDelta::days(1));

    let reversed = counter.provider.reverse(attempt(1)).await;
    let again = counter.provider.reverse(attempt(1)).await;

    assert_eq!((reversed.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(counter.look_up(1).await, LookUp::NotFound);
    assert_eq!(counter.money(), (0, 0));
}

/// A refusal, or nothing at all, cannot be undone.
pub async fn there_is_nothing_to_reverse_where_no_money_moved(counter: &ProviderHarness) {
    counter.provider.charge(charge(1, "4222220000000511")).await;

    let declined = counter.provider.reverse(attempt(1)).await;
    let never_submitted = counter.provider.reverse(attempt(2)).await;

    let rejected = CallOutcome::NotSubmitted(NotSubmitted::Rejected);
    assert_eq!((declined.outcome, never_submitted.outcome), (rejected.clone(), rejected));
}
