//! Cards that are charged.

use domain::payment::DeclineCode::*;
use ports::{AttemptRef, CallOutcome, Charge, LookUp, NotSubmitted};

use super::{GOOD, PRICE, ProviderHarness, attempt, charge, is_approved, secret};
use crate::sample::account_id;

/// An approval has moved the money, once, and look-ups say so.
pub async fn a_charge_moves_money_once(counter: &ProviderHarness) {
    let answer = counter.provider.charge(charge(1, GOOD)).await;

    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert!(answer.reference.is_some());
    assert_eq!(counter.money(), (PRICE, 0));
    assert!(is_approved(&counter.look_up(1).await));
    assert_eq!(counter.look_up(2).await, LookUp::NotFound);
}

/// Each refusal is told in a public word, now and by look-up, and moves nothing.
pub async fn an_issuers_refusal_has_its_reason(counter: &ProviderHarness) {
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
        let answer = counter.provider.charge(charge(n, number)).await;

        assert_eq!(answer.outcome, CallOutcome::Declined(code), "{number}");
        assert!(answer.reference.is_some(), "{number}");
        assert_eq!(counter.look_up(n).await, LookUp::Declined(code), "{number}");
    }
    assert_eq!(counter.money(), (0, 0));
}

/// What cannot be is refused, and no trace is left of it.
pub async fn a_request_that_makes_no_sense_is_refused(counter: &ProviderHarness) {
    let expired = domain::Card::new(secret(GOOD), secret("987"), 2, 2026, None).expect("a card of last month");
    let expired = Charge { instrument: expired.into(), ..charge(1, GOOD) };

    let expired = counter.provider.charge(expired).await;
    let refused = counter.provider.charge(charge(2, "4222220014000994")).await;

    assert_eq!(expired.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!(refused.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!((counter.look_up(1).await, counter.look_up(2).await), (LookUp::NotFound, LookUp::NotFound));
    assert_eq!(counter.money(), (0, 0));
}

/// A provider that says it has processed nothing is believed.
pub async fn what_was_not_processed_is_not_there(counter: &ProviderHarness) {
    let answer = counter.provider.charge(charge(1, "4222220003000997")).await;

    assert_eq!(answer.outcome, CallOutcome::NotSubmitted(NotSubmitted::Busy));
    assert_eq!(counter.look_up(1).await, LookUp::NotFound);
    assert_eq!(counter.money(), (0, 0));
}

/// An attempt belongs to its account.
pub async fn another_account_knows_nothing(counter: &ProviderHarness) {
    let approved = counter.provider.charge(charge(1, GOOD)).await;

    let found = counter.provider.look_up(AttemptRef { account: account_id(2), ..attempt(1) }).await;

    assert_eq!(approved.outcome, CallOutcome::Approved);
    assert_eq!(found, LookUp::NotFound);
}
