//! Answers that were lost, and what look-ups make of them.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::payment::DeclineCode::InsufficientFunds;
use ports::{CallOutcome, LookUp, NotSubmitted};
use tokio::task::JoinSet;

use super::{GOOD, PRICE, ProviderCall, ProviderHarness, attempt, charge, held, is_approved, is_captured, is_held};

/// An answer that cannot be understood is a doubt, and the look-up ends it.
pub async fn what_was_answered_badly_is_found(counter: &ProviderHarness) {
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
        let before = counter.backend.captured();
        let answer = counter.provider.charge(charge(n, number)).await;

        assert_eq!(answer.outcome, CallOutcome::Ambiguous, "{number}");
        let found = counter.look_up(n).await;
        assert!(if is_taken { is_approved(&found) } else { found == LookUp::NotFound }, "{number}: {found:?}");
        assert_eq!(counter.backend.captured() - before, if is_taken { PRICE } else { 0 }, "{number}");
    }
}

/// Silence is a doubt, and the look-up ends it.
pub async fn what_was_not_answered_is_found(counter: &ProviderHarness) {
    let mut calls = JoinSet::new();
    for (n, number) in [(1, "4222220005000003"), (2, "4222220005000516"), (3, "4222220005000995")] {
        let provider = Arc::clone(&counter.provider);
        calls.spawn(async move { provider.charge(charge(n, number)).await.outcome });
    }

    assert_eq!(calls.join_all().await, [const { CallOutcome::Ambiguous }; 3]);
    assert!(is_approved(&counter.look_up(1).await));
    assert_eq!(counter.look_up(2).await, LookUp::Declined(InsufficientFunds));
    assert_eq!(counter.look_up(3).await, LookUp::NotFound);
    assert_eq!(counter.money(), (PRICE, 0));
}

/// "Not found" is no proof: what was done may show only later.
pub async fn what_is_slow_to_show_is_found_later(counter: &ProviderHarness) {
    let answer = counter.provider.charge(charge(1, "4222220008000000")).await;
    let at_once = counter.look_up(1).await;
    counter.clock.advance(TimeDelta::minutes(5));

    assert_eq!((answer.outcome, at_once), (CallOutcome::Ambiguous, LookUp::NotFound));
    assert!(is_approved(&counter.look_up(1).await));
}

/// A call whose answer is lost has taken effect once, and is found so.
pub async fn a_lost_answer_has_taken_effect(counter: &ProviderHarness) {
    let bank = &counter.backend;
    let provider = &counter.provider;
    let second = provider.hold(charge(2, GOOD)).await.reference;

    bank.lose_next_response(ProviderCall::Charge);
    assert_eq!(provider.charge(charge(1, GOOD)).await.outcome, CallOutcome::Ambiguous);
    assert!(is_approved(&counter.look_up(1).await));
    bank.lose_next_response(ProviderCall::Capture);
    assert_eq!(provider.capture(held(2, second)).await.outcome, CallOutcome::Ambiguous);
    assert!(is_captured(&counter.look_up(2).await));
    assert_eq!(counter.money(), (2 * PRICE, 0));

    bank.lose_next_response(ProviderCall::Hold);
    assert_eq!(provider.hold(charge(3, GOOD)).await.outcome, CallOutcome::Ambiguous);
    assert!(is_held(&counter.look_up(3).await));
    bank.lose_next_response(ProviderCall::Void);
    assert_eq!(provider.void(held(3, None)).await.outcome, CallOutcome::Ambiguous);
    assert_eq!(counter.look_up(3).await, LookUp::Gone);
    bank.lose_next_response(ProviderCall::Reverse);
    assert_eq!(provider.reverse(attempt(1)).await.outcome, CallOutcome::Ambiguous);
    assert_eq!(counter.look_up(1).await, LookUp::NotFound);
    assert_eq!(counter.money(), (PRICE, 0));
}

/// A call that provably never arrived is told from a doubt, and has changed nothing.
pub async fn what_never_arrives_changes_nothing(counter: &ProviderHarness) {
    let provider = &counter.provider;
    let reference = provider.hold(charge(1, GOOD)).await.reference;
    provider.charge(charge(2, GOOD)).await;
    let before = counter.money();

    let mut outcomes = Vec::new();
    for call in
        [ProviderCall::Charge, ProviderCall::Hold, ProviderCall::Capture, ProviderCall::Void, ProviderCall::Reverse]
    {
        counter.backend.drop_next_request();
        outcomes.push(match call {
            ProviderCall::Charge => provider.charge(charge(3, GOOD)).await.outcome,
            ProviderCall::Hold => provider.hold(charge(4, GOOD)).await.outcome,
            ProviderCall::Capture => provider.capture(held(1, reference.clone())).await.outcome,
            ProviderCall::Void => provider.void(held(1, reference.clone())).await.outcome,
            ProviderCall::Reverse => provider.reverse(attempt(2)).await.outcome,
            ProviderCall::Looked | ProviderCall::Answered => unreachable!("3-D Secure has facts of its own"),
        });
    }

    assert_eq!(outcomes, [const { CallOutcome::NotSubmitted(NotSubmitted::Unavailable) }; 5]);
    assert_eq!(counter.money(), before);
    assert_eq!((counter.look_up(3).await, counter.look_up(4).await), (LookUp::NotFound, LookUp::NotFound));
}
