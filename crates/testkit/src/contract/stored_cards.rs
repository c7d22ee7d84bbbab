//! Cards stored by providers.

use chrono::{DateTime, TimeDelta, Utc};
use ports::{StoredCard, Tenant};

use super::Stores;
use crate::sample::{attempt_id, noon, stored_card, tenant};

/// A card is found by the first attempt, for one tenant only, until deletion.
pub async fn a_card_is_stored_until_deletion(stores: &Stores) {
    stores.stored_cards.store(stored_card(1), noon()).await.expect("a new card");
    stores.stored_cards.store(stored_card(2), noon()).await.expect("a new card");

    for stranger in Stores::strangers() {
        assert_eq!(stores.stored_cards.find(&stranger, &attempt_id(1)).await.expect("the store answers"), None);
        stores.stored_cards.remove(&stranger, &attempt_id(1)).await.expect("a deletion of no card");
    }
    let found = stores.stored_cards.find(&tenant(), &attempt_id(1)).await.expect("the store answers");
    assert_eq!(found, Some(stored_card(1)));

    stores.stored_cards.remove(&tenant(), &attempt_id(1)).await.expect("the store answers");
    assert_eq!(stores.stored_cards.find(&tenant(), &attempt_id(1)).await.expect("the store answers"), None);
    let other = stores.stored_cards.find(&tenant(), &attempt_id(2)).await.expect("the store answers");
    assert_eq!(other, Some(stored_card(2)));
}

/// A due card is claimed once, and again after a while.
pub async fn a_card_is_looked_at_by_one(stores: &Stores) {
    stores.stored_cards.store(stored_card(1), noon() + TimeDelta::minutes(1)).await.expect("a new card");
    assert_eq!(claim(stores, 0).await, []);

    let claimed = stores.concurrently(8, |stores, _| async move { claim(&stores, 1).await }).await;

    assert_eq!(claimed.concat(), [stored_card(1)]);
    assert_eq!((claim(stores, 5).await, claim(stores, 6).await), (vec![], vec![stored_card(1)]));
}

/// A postponed card is not claimed until then; only its tenant postpones the card.
pub async fn a_rescheduled_card_comes_back_at_its_time(stores: &Stores) {
    stores.stored_cards.store(stored_card(1), noon()).await.expect("a new card");
    let never = DateTime::<Utc>::MAX_UTC;
    let reschedule = async |tenant: Tenant, until: DateTime<Utc>| {
        stores.stored_cards.reschedule(&tenant, &attempt_id(1), until).await.expect("the store answers");
    };
    let claim = async |hours: i64| claim(stores, hours * 60).await;

    reschedule(tenant(), noon() + TimeDelta::hours(6)).await;
    assert_eq!((claim(5).await, claim(6).await), (vec![], vec![stored_card(1)]));
    for stranger in Stores::strangers() {
        reschedule(stranger, never).await;
    }
    assert_eq!(claim(7).await, [stored_card(1)]);
    reschedule(tenant(), never).await;

    assert_eq!(claim(24 * 365 * 100).await, []);
    let found = stores.stored_cards.find(&tenant(), &attempt_id(1)).await.expect("the store answers");
    assert_eq!(found, Some(stored_card(1)), "the card stays stored");
}

/// Claims the cards due so many minutes after noon, with a lease of five minutes.
async fn claim(stores: &Stores, minutes: i64) -> Vec<StoredCard> {
    let now = noon() + TimeDelta::minutes(minutes);
    stores.stored_cards.claim(now, now + TimeDelta::minutes(5), 9).await.expect("the store answers")
}
