//! Lost responses, and the look-ups that resolve them.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::payment::DeclineCode::InsufficientFunds;
use ports::{CallOutcome, LookUp, NotSubmitted};
use tokio::task::JoinSet;

use super::{GOOD, PRICE, ProviderCall, ProviderHarness, attempt, charge, held, is_approved, is_captured, is_held};

/// A malformed response is ambiguous, and the look-up resolves the state.
pub async fn a_malformed_response_is_resolved_by_look_up(harness: &ProviderHarness) {
    let cards = [
        ("4222220004000004", true),
        ("4222220004000996", false),
        ("4222220006000002", true),
        ("4222220007000001", true),
        ("4222220007000993", false),
        ("4222220009000009", true),
        ("4222220010000006", true),
    ];

    for (n, (number, is_taken)) in (1..).zip(cards) {
        let before = harness.backend.captured();
        let answer = harness.provider.charge(charge(n, number)).await;

        assert_eq!(answer.outcome, CallOutcome::Ambiguous, "{number}");
        let found = harness.look_up(n).await;
        assert!(if is_taken { is_approved(&found) } else { found == LookUp::NotFound }, "{number}: {found:?}");
        assert_eq!(harness.backend.captured() - before, if is_taken { PRICE } else { 0 }, "{number}");
    }
}

/// A missing response is ambiguous, and the look-up resolves the state.
pub async fn a_missing_response_is_resolved_by_look_up(harness: &ProviderHarness) {
    let mut calls = JoinSet::new();
    for (n, number) in [(1, "4222220005000003"), (2, "4222220005000516"), (3, "4222220005000995")] {
        let provider = Arc::clone(&harness.provider);
        calls.spawn(async move { provider.charge(charge(n, number)).await.outcome });
    }

    assert_eq!(calls.join_all().await, [const { CallOutcome::Ambiguous }; 3]);
    assert!(is_approved(&harness.look_up(1).await));
    assert_eq!(harness.look_up(2).await, LookUp::Declined(InsufficientFunds));
    assert_eq!(harness.look_up(3).await, LookUp::NotFound);
    assert_eq!(harness.money(), (PRICE, 0));
}

/// "Not found" is no proof: an effect may become visible later.
pub async fn a_delayed_effect_is_found_later(harness: &ProviderHarness) {
    let answer = harness.provider.charge(charge(1, "4222220008000000")).await;
    let at_once = harness.look_up(1).await;
    harness.clock.advance(TimeDelta::minutes(5));

    assert_eq!((answer.outcome, at_once), (CallOutcome::Ambiguous, LookUp::NotFound));
    assert!(is_approved(&harness.look_up(1).await));
}

/// A call with a lost response takes effect once, and the look-up confirms the effect.
pub async fn a_lost_answer_has_taken_effect(harness: &ProviderHarness) {
    let bank = &harness.backend;
    let provider = &harness.provider;
    let second = provider.hold(charge(2, GOOD)).await.reference;

    bank.lose_next_response(ProviderCall::Charge);
    assert_eq!(provider.charge(charge(1, GOOD)).await.outcome, CallOutcome::Ambiguous);
    assert!(is_approved(&harness.look_up(1).await));
    bank.lose_next_response(ProviderCall::Capture);
    assert_eq!(provider.capture(held(2, second)).await.outcome, CallOutcome::Ambiguous);
    assert!(is_captured(&harness.look_up(2).await));
    assert_eq!(harness.money(), (2 * PRICE, 0));

    bank.lose_next_response(ProviderCall::Hold);
    assert_eq!(provider.hold(charge(3, GOOD)).await.outcome, CallOutcome::Ambiguous);
    assert!(is_held(&harness.look_up(3).await));
    bank.lose_next_response(ProviderCall::Void);
    assert_eq!(provider.void(held(3, None)).await.outcome, CallOutcome::Ambiguous);
    assert_eq!(harness.look_up(3).await, LookUp::Gone);
    bank.lose_next_response(ProviderCall::Reverse);
    assert_eq!(provider.reverse(attempt(1)).await.outcome, CallOutcome::Ambiguous);
    assert_eq!(harness.look_up(1).await, LookUp::NotFound);
    assert_eq!(harness.money(), (PRICE, 0));
}

/// A call that provably never arrived is distinguished from an ambiguous one, and has no effect.
pub async fn a_call_that_never_arrives_has_no_effect(harness: &ProviderHarness) {
    let provider = &harness.provider;
    let reference = provider.hold(charge(1, GOOD)).await.reference;
    provider.charge(charge(2, GOOD)).await;
    let before = harness.money();

    let mut outcomes = Vec::new();
    for call in
        [ProviderCall::Charge, ProviderCall::Hold, ProviderCall::Capture, ProviderCall::Void, ProviderCall::Reverse]
    {
        harness.backend.drop_next_request();
        outcomes.push(match call {
            ProviderCall::Charge => provider.charge(charge(3, GOOD)).await.outcome,
            ProviderCall::Hold => provider.hold(charge(4, GOOD)).await.outcome,
            ProviderCall::Capture => provider.capture(held(1, reference.clone())).await.outcome,
            ProviderCall::Void => provider.void(held(1, reference.clone())).await.outcome,
            ProviderCall::Reverse => provider.reverse(attempt(2)).await.outcome,
            ProviderCall::Looked | ProviderCall::Answered | ProviderCall::Refund => {
                unreachable!("3-D Secure and refunds have facts of their own")
            }
        });
    }

    assert_eq!(outcomes, [const { CallOutcome::NotSubmitted(NotSubmitted::Unavailable) }; 5]);
    assert_eq!(harness.money(), before);
    assert_eq!((harness.look_up(3).await, harness.look_up(4).await), (LookUp::NotFound, LookUp::NotFound));
}
