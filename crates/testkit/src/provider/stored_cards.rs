//! Cards that the provider keeps, and funds that are reserved anew by them.

use chrono::TimeDelta;
use ports::{CallOutcome, CardToken, Charge, Instrument, LookUp, NotSubmitted};
use zeroize::Zeroizing;

use super::{GOOD, PRICE, ProviderHarness, attempt, charge, charge_with_browser, held, is_held, three_ds::CHALLENGE};
use crate::sample::account_id;

const REJECTED: CallOutcome = CallOutcome::NotSubmitted(NotSubmitted::Rejected);

/// The `n`th attempt, by a card that is kept. Nobody is there to be asked.
fn anew(n: u32, card: &CardToken) -> Charge {
    Charge { instrument: Instrument::StoredCard(card.clone()), ..charge(n, GOOD) }
}

/// Reserves funds on a card that is to be kept.
async fn kept(counter: &ProviderHarness, n: u32, number: &str) -> CardToken {
    let answer = counter.provider.hold(Charge { stores_card: true, ..charge(n, number) }).await;
    assert_eq!(answer.outcome, CallOutcome::Approved);
    answer.token.expect("the card is kept")
}

/// Funds are reserved once more by the card that is kept, and what was reserved first can be given back.
pub async fn what_is_held_is_held_anew_by_the_card_that_is_kept(counter: &ProviderHarness) {
    let card = kept(counter, 1, GOOD).await;
    counter.clock.advance(TimeDelta::days(6));

    let again = counter.provider.hold(anew(2, &card)).await;
    let voided = counter.provider.void(held(1, None)).await;
    counter.clock.advance(TimeDelta::days(2));
    let captured = counter.provider.capture(held(2, again.reference.clone())).await;

    assert_eq!((&again.outcome, &again.token), (&CallOutcome::Approved, &None));
    assert_eq!((voided.outcome, captured.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(counter.money(), (PRICE, 0));
}

/// A card that nobody asked to be kept is not, nor is one that was declined.
pub async fn a_card_is_kept_only_where_that_is_asked_and_it_was_approved(counter: &ProviderHarness) {
    let unasked = counter.provider.hold(charge(1, GOOD)).await;
    let declined = counter.provider.hold(Charge { stores_card: true, ..charge(2, "4222220000000511") }).await;

    assert_eq!((unasked.outcome, unasked.token), (CallOutcome::Approved, None));
    assert!(matches!(declined.outcome, CallOutcome::Declined(_)) && declined.token.is_none());
}

/// A card that is kept no more, or never was, reserves nothing; to let go of it twice is no fault.
pub async fn a_card_that_is_kept_no_more_reserves_nothing(counter: &ProviderHarness) {
    let card = kept(counter, 1, GOOD).await;
    let never = CardToken::new(Zeroizing::new("00000000-0000-4000-8000-999999999999".to_owned()));

    let forgotten = counter.provider.delete_token(&account_id(1), &card).await;
    let again = counter.provider.delete_token(&account_id(1), &card).await;
    let (late, unknown) = (counter.provider.hold(anew(2, &card)).await, counter.provider.hold(anew(3, &never)).await);

    assert_eq!((forgotten, again), (true, true));
    assert_eq!((late.outcome, unknown.outcome), (REJECTED, REJECTED));
    assert!(is_held(&counter.look_up(1).await), "what it reserved before stays");
    assert_eq!(counter.look_up(2).await, LookUp::NotFound);
    assert_eq!(counter.money(), (0, PRICE));
}

/// Whoever cannot be reached may still keep the card.
pub async fn a_card_is_kept_until_it_is_said_that_it_is_not(counter: &ProviderHarness) {
    let card = kept(counter, 1, GOOD).await;
    counter.backend.drop_next_request();

    assert!(!counter.provider.delete_token(&account_id(1), &card).await);
    assert_eq!(counter.provider.hold(anew(2, &card)).await.outcome, CallOutcome::Approved);
}

/// With 3-D Secure the card is told of with the last answer, and its issuer asks nobody a second time.
pub async fn a_card_whose_holder_was_asked_is_kept_as_well(counter: &ProviderHarness) {
    let asked = counter.provider.hold(Charge { stores_card: true, ..charge_with_browser(1, CHALLENGE) }).await;
    assert!(asked.token.is_none(), "nothing is approved yet");
    let CallOutcome::ActionRequired(action) = &asked.outcome else { panic!("{asked:?}") };
    let step = counter.answered(action, true);
    let answer = counter.provider.continue_authentication(attempt(1), asked.reference, step).await;
    let card = answer.token.expect("the card is kept");

    let again = counter.provider.hold(anew(2, &card)).await;

    assert_eq!((answer.outcome, again.outcome), (CallOutcome::Approved, CallOutcome::Approved));
    assert_eq!(counter.money(), (0, 2 * PRICE));
}
