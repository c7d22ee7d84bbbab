//! Stored cards, and holds on them.

use chrono::TimeDelta;
use ports::{CallOutcome, CardToken, Charge, Instrument, LookUp, NotSubmitted};
use zeroize::Zeroizing;

use super::{GOOD, PRICE, ProviderHarness, attempt, charge, charge_with_browser, held, is_held, three_ds::CHALLENGE};
use crate::sample::account_id;

const REJECTED: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Rejected);

/// The `n`th attempt with a stored card and without a cardholder.
fn anew(n: u32, card: &CardToken) -> Charge {
    Charge { instrument: Instrument::StoredCard(card.clone()), ..charge(n, GOOD) }
}

/// Reserves funds on a card, and stores the card.
async fn stored(harness: &ProviderHarness, n: u32, number: &str) -> CardToken {
    let answer = harness.provider.hold(Charge { stores_card: true, ..charge(n, number) }).await;
    assert_eq!(answer.outcome, CallOutcome::Approved);
    answer.token.expect("the card is stored")
}

/// A stored card renews a hold, and the first hold can be voided.
pub async fn a_stored_card_renews_a_hold(harness: &ProviderHarness) {
    let card = stored(harness, 1, GOOD).await;
    harness.clock.advance(TimeDelta::days(6));

    let again = harness.provider.hold(anew(2, &card)).await;
    let voided = harness.provider.void(held(1, None)).await;
    harness.clock.advance(TimeDelta::days(2));
    let captured = harness.provider.capture(held(2, again.reference.clone())).await;

    assert_eq!((&again.outcome, &again.token), (&CallOutcome::Approved, &None));
    assert_eq!((voided.outcome, captured.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(harness.money(), (PRICE, 0));
}

/// A card is stored only on request and with an approval.
pub async fn a_card_is_stored_only_on_request_with_an_approval(harness: &ProviderHarness) {
    let not_requested = harness.provider.hold(charge(1, GOOD)).await;
    let declined = harness.provider.hold(Charge { stores_card: true, ..charge(2, "4222220000000511") }).await;

    assert_eq!((not_requested.outcome, not_requested.token), (CallOutcome::Approved, None));
    assert!(matches!(declined.outcome, CallOutcome::Declined(_)) && declined.token.is_none());
}

/// A deleted or unknown card reserves no funds; deleting a card twice is not an error.
pub async fn a_deleted_card_reserves_no_funds(harness: &ProviderHarness) {
    let card = stored(harness, 1, GOOD).await;
    let never = CardToken::new(Zeroizing::new("00000000-0000-4000-8000-999999999999".to_owned()));

    let forgotten = harness.provider.delete_token(&account_id(1), &card).await;
    let again = harness.provider.delete_token(&account_id(1), &card).await;
    let (late, unknown) = (harness.provider.hold(anew(2, &card)).await, harness.provider.hold(anew(3, &never)).await);

    assert_eq!((forgotten, again), (true, true));
    assert_eq!((late.outcome, unknown.outcome), (REJECTED, REJECTED));
    assert!(is_held(&harness.look_up(1).await), "what it reserved before stays");
    assert_eq!(harness.look_up(2).await, LookUp::NotFound);
    assert_eq!(harness.money(), (0, PRICE));
}

/// After a deletion without response the card may still be stored.
pub async fn a_card_may_be_stored_until_its_deletion_is_confirmed(harness: &ProviderHarness) {
    let card = stored(harness, 1, GOOD).await;
    harness.backend.drop_next_request();

    assert!(!harness.provider.delete_token(&account_id(1), &card).await);
    assert_eq!(harness.provider.hold(anew(2, &card)).await.outcome, CallOutcome::Approved);
}

/// With 3-D Secure the last response carries the stored card, and the issuer requests no second authentication.
pub async fn a_card_is_stored_after_a_challenge(harness: &ProviderHarness) {
    let challenged = harness.provider.hold(Charge { stores_card: true, ..charge_with_browser(1, CHALLENGE) }).await;
    assert!(challenged.token.is_none(), "no approval yet");
    let CallOutcome::ActionRequired(action) = &challenged.outcome else { panic!("{challenged:?}") };
    let step = harness.answered(action, true);
    let answer = harness.provider.continue_authentication(attempt(1), challenged.reference, step).await;
    let card = answer.token.expect("the card is stored");

    let again = harness.provider.hold(anew(2, &card)).await;

    assert_eq!((answer.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(harness.money(), (0, 2 * PRICE));
}
