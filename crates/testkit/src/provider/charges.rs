//! Charges.

use domain::payment::DeclineCode::*;
use ports::{AttemptRef, CallOutcome, Charge, LookUp, NotSubmitted};

use super::{GOOD, PRICE, ProviderHarness, attempt, charge, is_approved, secret};
use crate::sample::account_id;

/// An approval moves the money once, and look-ups confirm the approval.
pub async fn a_charge_moves_money_once(harness: &ProviderHarness) {
    let answer = harness.provider.charge(charge(1, GOOD)).await;

    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert!(answer.reference.is_some());
    assert_eq!(harness.money(), (PRICE, 0));
    assert!(is_approved(&harness.look_up(1).await));
    assert_eq!(harness.look_up(2).await, LookUp::NotFound);
}

/// Each decline has a public code, in the response and in look-ups, and moves no money.
pub async fn an_issuers_refusal_has_its_reason(harness: &ProviderHarness) {
    let cards = [
        ("4222220000000057", DoNotHonor),
        ("4222220000000511", InsufficientFunds),
        ("4222220000000545", CardExpired),
        ("4222220000000149", InvalidCardNumber),
        ("4222220000000412", CardReportedLostOrStolen),
        ("4222220000000438", CardReportedLostOrStolen),
        ("4222220000000610", ExceedsLimit),
        ("4222220000000628", CardRestricted),
        ("4222220000000594", SuspectedFraud),
        ("4222220000000552", IncorrectPin),
        ("4222220000000917", IssuerUnavailable),
        ("4222220000000040", CardRestricted),
        ("4222220000000123", TransactionNotPermitted),
        ("4222220000000578", TransactionNotPermitted),
        ("4222220000000081", AuthenticationFailed),
        ("4222220000000636", CardRestricted),
        ("4222220001000999", IncorrectSecurityCode),
        ("4222220002000998", AuthenticationFailed),
        ("4222220023000993", AuthenticationFailed),
        ("4222220024000083", AuthenticationFailed),
        ("4111111111111111", GenericDecline),
    ];

    for (n, (number, code)) in (1..).zip(cards) {
        let answer = harness.provider.charge(charge(n, number)).await;

        assert_eq!(answer.outcome, CallOutcome::Declined(code), "{number}");
        assert!(answer.reference.is_some(), "{number}");
        assert_eq!(harness.look_up(n).await, LookUp::Declined(code), "{number}");
    }
    assert_eq!(harness.money(), (0, 0));
}

/// An invalid request is refused without a trace.
pub async fn a_request_that_makes_no_sense_is_refused(harness: &ProviderHarness) {
    let expired = domain::Card::new(secret(GOOD), secret("987"), 2, 2026, None).expect("a card of last month");
    let expired = Charge { instrument: expired.into(), ..charge(1, GOOD) };

    let expired = harness.provider.charge(expired).await;
    let refused = harness.provider.charge(charge(2, "4222220014000994")).await;

    assert_eq!(expired.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!(refused.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!((harness.look_up(1).await, harness.look_up(2).await), (LookUp::NotFound, LookUp::NotFound));
    assert_eq!(harness.money(), (0, 0));
}

/// A response "not processed" is final.
pub async fn a_not_processed_charge_is_not_found(harness: &ProviderHarness) {
    let answer = harness.provider.charge(charge(1, "4222220003000997")).await;

    assert_eq!(answer.outcome, CallOutcome::NotSubmitted(NotSubmitted::Busy));
    assert_eq!(harness.look_up(1).await, LookUp::NotFound);
    assert_eq!(harness.money(), (0, 0));
}

/// An attempt belongs to one account.
pub async fn an_attempt_is_unknown_to_another_account(harness: &ProviderHarness) {
    let approved = harness.provider.charge(charge(1, GOOD)).await;

    let found = harness.provider.look_up(AttemptRef { account: account_id(2), ..attempt(1) }).await;

    assert_eq!(approved.outcome, CallOutcome::Approved);
    assert_eq!(found, LookUp::NotFound);
}
