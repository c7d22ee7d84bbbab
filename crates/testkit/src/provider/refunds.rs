//! Voids and refunds of charges.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Currency::Dop,
    Money,
    fiscal::local_date,
    refund::{RefundFailureCode, RefundFinding},
};
use ports::{
    CallOutcome, Clock, ListedReturn, LookUp, NotSubmitted, RefundRequest, RefundResponse, RefundedCharge,
    ReturnMethod::{self, Refund, Void},
};
use tokio::task::JoinSet;

use super::{GOOD, PRICE, ProviderCall, ProviderHarness, attempt, charge, held, is_approved, is_captured};
use crate::sample::{account_id, attempt_id, noon};

const REJECTED: RefundResponse = RefundResponse::Refused(RefundFailureCode::DeclinedByProvider);
const RETURNED: RefundResponse = RefundResponse::Refused(RefundFailureCode::AlreadyReturned);

/// Request of the `n`th attempt to return `minor_units` of the charge of attempt `of`.
pub fn refund(
    (n, of): (u32, u32),
    method: ReturnMethod,
    minor_units: i64,
    reference: Option<String>,
    now: DateTime<Utc>,
) -> RefundRequest {
    let money = |minor_units| Money::new(minor_units, Dop);
    RefundRequest {
        attempt: attempt(n),
        opened_at: now,
        of: RefundedCharge {
            attempt: attempt_id(of),
            reference,
            amount: money(PRICE),
            itbis: money(18_00),
            captured_at: noon(),
        },
        amount: money(minor_units),
        itbis: money(0),
        method,
    }
}

impl ProviderHarness {
    /// Charges the card in the first attempt, and returns the request to return money in the second.
    async fn charged(&self, number: &str, method: ReturnMethod, minor_units: i64) -> RefundRequest {
        let response = self.provider.charge(charge(1, number)).await;
        assert_eq!(response.outcome, CallOutcome::Approved, "{number}");
        refund((2, 1), method, minor_units, response.reference, self.clock.now())
    }

    async fn finding(&self, request: &RefundRequest) -> RefundFinding {
        self.provider.look_up_refund(request.clone()).await.finding
    }

    async fn returns(&self) -> Vec<ListedReturn> {
        let day = local_date(self.clock.now());
        self.provider.list_returns(&account_id(1), day).await.expect("the provider responds")
    }
}

/// The same request in another attempt, for another amount.
fn next(n: u32, minor_units: i64, request: &RefundRequest) -> RefundRequest {
    RefundRequest { attempt: attempt(n), amount: Money::new(minor_units, Dop), ..request.clone() }
}

/// Whether money was returned by `method`, under a reference.
pub fn is_returned(response: &RefundResponse, method: ReturnMethod) -> bool {
    matches!(response, RefundResponse::Approved { method: by, reference: Some(_) } if *by == method)
}

/// A recent charge is voided once, and the void is found and listed.
pub async fn a_recent_charge_is_voided_once(harness: &ProviderHarness) {
    let void = harness.charged(GOOD, Void, PRICE).await;
    let before = harness.finding(&void).await;

    let voided = harness.provider.refund(void.clone()).await;
    let again = harness.provider.refund(next(3, PRICE, &void)).await;
    let refunded = harness.provider.refund(RefundRequest { method: Refund, ..next(4, PRICE, &void) }).await;

    assert_eq!(before, RefundFinding::NotDone);
    assert!(is_returned(&voided, Void), "{voided:?}");
    // The void returned the money of these attempts as well.
    assert!(is_returned(&again, Void) && is_returned(&refunded, Void), "{again:?} {refunded:?}");
    let found = harness.provider.look_up_refund(void).await;
    assert_eq!(found.finding, RefundFinding::Done { amount: PRICE });
    assert_eq!(harness.money(), (0, 0));
    let listed = harness.returns().await;
    assert_eq!(
        listed.iter().map(|it| (it.method, it.attempt.as_str())).collect::<Vec<_>>(),
        [(Void, attempt_id(1).as_str())]
    );
    assert_eq!(listed[0].reference, found.reference);
}

/// A charge is refunded in parts up to the whole amount; each part has an id of its own.
pub async fn a_charge_is_refunded_in_parts(harness: &ProviderHarness) {
    let first = harness.charged(GOOD, Refund, 100_00).await;
    let (second, third) = (next(3, 18_00, &first), next(4, 1, &first));
    harness.clock.advance(TimeDelta::hours(1));

    let refunded = harness.provider.refund(first.clone()).await;
    let left = harness.money();
    let rest = harness.provider.refund(second.clone()).await;
    let too_much = harness.provider.refund(third.clone()).await;

    assert!(is_returned(&refunded, Refund) && is_returned(&rest, Refund), "{refunded:?} {rest:?}");
    assert_eq!((left, harness.money(), too_much), ((18_00, 0), (0, 0), RETURNED));
    assert_eq!(harness.finding(&first).await, RefundFinding::Done { amount: 100_00 });
    assert_eq!(harness.finding(&second).await, RefundFinding::Done { amount: 18_00 });
    assert!(matches!(harness.finding(&third).await, RefundFinding::NotFound { listed_until: Some(_) }));
    let listed = harness.returns().await;
    let names = listed.iter().map(|it| (it.attempt.as_str(), it.amount.map(Money::minor_units)));
    let expected = [(attempt_id(2), 100_00), (attempt_id(3), 18_00)];
    assert!(names.eq(expected.iter().map(|(id, amount)| (id.as_str(), Some(*amount)))), "{listed:?}");
}

/// A charge without the provider's reference is refunded and voided.
pub async fn a_charge_is_returned_without_its_reference(harness: &ProviderHarness) {
    harness.provider.charge(charge(1, GOOD)).await;
    harness.provider.charge(charge(5, GOOD)).await;
    let now = harness.clock.now();

    let voided = harness.provider.refund(refund((2, 1), Void, PRICE, None, now)).await;
    let refunded = harness.provider.refund(refund((3, 5), Refund, 18_00, None, now)).await;
    let never_charged = harness.provider.refund(refund((4, 6), Refund, 18_00, None, now)).await;

    assert!(is_returned(&voided, Void) && is_returned(&refunded, Refund), "{voided:?} {refunded:?}");
    assert!(!is_returned(&never_charged, Refund));
    assert_eq!(harness.money(), (PRICE - 18_00, 0));
}

/// The money of a captured hold is returned like that of a charge.
pub async fn the_money_of_a_captured_hold_is_returned(harness: &ProviderHarness) {
    for n in [1, 5] {
        let hold = harness.provider.hold(charge(n, GOOD)).await;
        assert_eq!(harness.provider.capture(held(n, hold.reference)).await.outcome, CallOutcome::Approved);
    }
    let now = harness.clock.now();

    let refunded = harness.provider.refund(refund((2, 1), Refund, 18_00, None, now)).await;
    let voided = harness.provider.refund(refund((3, 5), Void, PRICE, None, now)).await;

    assert!(is_returned(&refunded, Refund) && is_returned(&voided, Void), "{refunded:?} {voided:?}");
    assert!(is_captured(&harness.look_up(1).await));
    assert_eq!(harness.look_up(5).await, LookUp::Gone);
    assert_eq!(harness.money(), (PRICE - 18_00, 0));
}

/// After its window a void is refused, and a refund follows.
pub async fn a_late_void_is_refused_and_a_refund_follows(harness: &ProviderHarness) {
    let window = harness.provider.refund_terms(&account_id(1)).await.void_window;
    for (number, wait) in [(GOOD, window + TimeDelta::minutes(2)), ("4222220030000002", TimeDelta::zero())] {
        let n = if number == GOOD { 1 } else { 5 };
        let reference = harness.provider.charge(charge(n, number)).await.reference;
        harness.clock.advance(wait);
        let void = refund((n + 1, n), Void, PRICE, reference, harness.clock.now());

        let refused = harness.provider.refund(void.clone()).await;
        let found = harness.finding(&void).await;
        let refunded = harness.provider.refund(RefundRequest { method: Refund, ..next(n + 2, PRICE, &void) }).await;

        assert!(matches!(refused, RefundResponse::Refused(_)), "{number}: {refused:?}");
        assert_eq!(found, RefundFinding::NotDone, "{number}");
        assert!(is_returned(&refunded, Refund), "{number}: {refunded:?}");
    }
    assert_eq!(harness.money(), (0, 0));
}

/// A charge is refunded until the last day of the terms, and is too old after six months.
pub async fn an_old_charge_is_not_refunded(harness: &ProviderHarness) {
    let days = harness.provider.refund_terms(&account_id(1)).await.refund_days;
    let request = harness.charged(GOOD, Refund, 18_00).await;

    harness.clock.advance(TimeDelta::days(days.into()));
    let on_the_last_day = harness.provider.refund(next(3, 18_00, &request)).await;
    harness.clock.advance(TimeDelta::days(5));
    let later = harness.provider.refund(next(4, 18_00, &request)).await;

    assert!(is_returned(&on_the_last_day, Refund), "{on_the_last_day:?}");
    assert_eq!(later, RefundResponse::Refused(RefundFailureCode::WindowElapsed));
    assert_eq!(harness.money(), (PRICE - 18_00, 0));
}

/// Refusals have their public reason and move no money.
pub async fn a_refused_refund_has_its_reason(harness: &ProviderHarness) {
    let cards = [
        ("4222220031000050", REJECTED),
        ("4222220036000998", REJECTED),
        ("4222220037000997", RefundResponse::NotSubmitted(NotSubmitted::Busy)),
    ];
    for (n, (number, expected)) in (1..).step_by(2).zip(cards) {
        let reference = harness.provider.charge(charge(n, number)).await.reference;
        let request = refund((n + 1, n), Refund, PRICE, reference, harness.clock.now());

        let response = harness.provider.refund(request.clone()).await;

        assert_eq!(response, expected, "{number}");
        let found = harness.finding(&request).await;
        if number == "4222220031000050" {
            assert_eq!(found, RefundFinding::Refused(RefundFailureCode::DeclinedByProvider));
        } else {
            assert!(matches!(found, RefundFinding::NotFound { .. }), "{number}: {found:?}");
        }
    }
    assert_eq!(harness.money(), (3 * PRICE, 0));
}

/// A charge may take one refund only.
pub async fn a_charge_may_take_one_refund(harness: &ProviderHarness) {
    let request = harness.charged("4222220039000003", Refund, 18_00).await;

    let first = harness.provider.refund(request.clone()).await;
    let second = harness.provider.refund(next(3, 18_00, &request)).await;

    assert!(is_returned(&first, Refund), "{first:?}");
    assert_eq!(second, RETURNED);
    assert_eq!(harness.money(), (PRICE - 18_00, 0));
}

/// A missing response is ambiguous, and look-ups find the state, some of them late.
pub async fn a_missing_response_to_a_refund_is_resolved_by_look_up(harness: &ProviderHarness) {
    let done = RefundFinding::Done { amount: PRICE };
    let cards = [
        ("4222220032000000", Refund, Some(TimeDelta::zero())),
        ("4222220032000992", Refund, None),
        ("4222220033000009", Refund, Some(TimeDelta::zero())),
        ("4222220034000008", Refund, Some(TimeDelta::minutes(5))),
        ("4222220035000007", Refund, Some(TimeDelta::hours(2))),
        ("4222220038000004", Void, Some(TimeDelta::zero())),
        ("4222220038000996", Void, None),
    ];
    let (mut calls, mut requests) = (JoinSet::new(), Vec::new());
    for (n, (number, method, lag)) in (1..).step_by(2).zip(cards) {
        let reference = harness.provider.charge(charge(n, number)).await.reference;
        let request = refund((n + 1, n), method, PRICE, reference, harness.clock.now());
        let (provider, sent) = (Arc::clone(&harness.provider), request.clone());
        calls.spawn(async move { provider.refund(sent).await });
        requests.push((number, lag, request));
    }

    assert_eq!(calls.join_all().await, vec![RefundResponse::Ambiguous; cards.len()]);
    let mut waited = TimeDelta::zero();
    for wait in [TimeDelta::zero(), TimeDelta::minutes(5), TimeDelta::hours(2)] {
        harness.clock.advance(wait - waited);
        waited = wait;
        for (number, lag, request) in &requests {
            let found = harness.finding(request).await;
            match (lag.is_some_and(|lag| lag <= wait), request.method) {
                (true, _) => assert_eq!(found, done, "{number} after {wait}"),
                (false, Void) => assert_eq!(found, RefundFinding::NotDone, "{number} after {wait}"),
                (false, Refund) => {
                    let listed_until = Some(local_date(harness.clock.now()));
                    assert_eq!(found, RefundFinding::NotFound { listed_until }, "{number} after {wait}");
                }
            }
        }
    }
    assert_eq!(harness.money(), (2 * PRICE, 0));
}

/// A refund with a lost response took effect once; one that never arrived had no effect and is distinguished.
pub async fn a_lost_refund_is_found_and_a_dropped_one_had_no_effect(harness: &ProviderHarness) {
    let request = harness.charged(GOOD, Refund, 18_00).await;

    harness.backend.lose_next_response(ProviderCall::Refund);
    let lost = harness.provider.refund(request.clone()).await;
    let found = harness.finding(&request).await;
    harness.backend.drop_next_request();
    let dropped = harness.provider.refund(next(3, 18_00, &request)).await;

    assert_eq!((lost, found), (RefundResponse::Ambiguous, RefundFinding::Done { amount: 18_00 }));
    assert_eq!(dropped, RefundResponse::NotSubmitted(NotSubmitted::Unavailable));
    assert!(matches!(harness.finding(&next(3, 18_00, &request)).await, RefundFinding::NotFound { .. }));
    assert_eq!(harness.money(), (PRICE - 18_00, 0));
}

/// A refund at the provider's portal is listed. The charge stays approved until its whole amount is returned.
pub async fn a_return_at_the_portal_is_listed(harness: &ProviderHarness) {
    harness.provider.charge(charge(1, GOOD)).await;
    let reference = harness.provider.hold(charge(2, GOOD)).await.reference;
    harness.provider.capture(held(2, reference)).await;
    harness.clock.advance(TimeDelta::hours(1));

    (1..=2).for_each(|n| harness.backend.return_at_portal(n, 18_00));
    let partly = (harness.look_up(1).await, harness.look_up(2).await);
    let listed = harness.returns().await;
    (1..=2).for_each(|n| harness.backend.return_at_portal(n, PRICE - 18_00));

    assert!(is_approved(&partly.0) && is_captured(&partly.1), "{partly:?}");
    let rows = listed.iter().map(|it| (it.method, it.attempt.as_str(), it.amount.map(Money::minor_units)));
    let expected = [1, 2].map(attempt_id);
    assert!(rows.eq(expected.iter().map(|id| (Refund, id.as_str(), Some(18_00)))), "{listed:?}");
    assert!(listed.iter().all(|it| it.order.is_some() && it.reference.is_some()), "{listed:?}");
    assert_eq!((harness.look_up(1).await, harness.look_up(2).await), (LookUp::NotFound, LookUp::Gone));
    assert_eq!(harness.money(), (0, 0));
}

/// The list has the returns of one account and one day, and no declined ones.
pub async fn a_list_has_the_returns_of_an_account_and_a_day(harness: &ProviderHarness) {
    let request = harness.charged(GOOD, Refund, 18_00).await;
    harness.provider.charge(charge(5, "4222220031000050")).await;
    let returned = harness.provider.refund(request.clone()).await;
    let declined = harness.provider.refund(refund((6, 5), Refund, 18_00, None, harness.clock.now())).await;
    let day = local_date(harness.clock.now());

    let own = harness.returns().await;
    let other_account = harness.provider.list_returns(&account_id(2), day).await;
    harness.clock.advance(TimeDelta::days(1));
    let next_day = harness.returns().await;
    harness.backend.drop_next_request();
    let unlisted = harness.provider.list_returns(&account_id(1), day).await;

    assert!(is_returned(&returned, Refund), "{returned:?}");
    assert_eq!((declined, own.len()), (REJECTED, 1));
    assert_eq!((other_account, next_day), (Ok(Vec::new()), Vec::new()));
    assert!(unlisted.is_err());
}
