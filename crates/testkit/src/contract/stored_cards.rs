//! Cards that providers keep.

use chrono::{DateTime, TimeDelta, Utc};
use ports::Tenant;

use super::Stores;
use crate::sample::{attempt_id, noon, stored_card, tenant};

/// A card is found by the attempt since which it is kept, by its tenant alone, until it is forgotten.
pub async fn a_card_is_kept_until_it_is_forgotten(stores: &Stores) {
    stores.register_merchant().await;
    stores.stored_cards.keep(stored_card(1), noon()).await.expect("a new card");
    stores.stored_cards.keep(stored_card(2), noon()).await.expect("a new card");

    for stranger in Stores::strangers() {
        assert_eq!(stores.stored_cards.find(&stranger, &attempt_id(1)).await.expect("the store answers"), None);
        stores.stored_cards.remove(&stranger, &attempt_id(1)).await.expect("there is nothing to forget");
    }
    let found = stores.stored_cards.find(&tenant(), &attempt_id(1)).await.expect("the store answers");
    assert_eq!(found, Some(stored_card(1)));

    stores.stored_cards.remove(&tenant(), &attempt_id(1)).await.expect("the store answers");
    assert_eq!(stores.stored_cards.find(&tenant(), &attempt_id(1)).await.expect("the store answers"), None);
    let other = stores.stored_cards.find(&tenant(), &attempt_id(2)).await.expect("the store answers");
    assert_eq!(other, Some(stored_card(2)));
}

/// A card that is due is looked at by one of those who look, and again after a while.
pub async fn a_card_is_looked_at_by_one(stores: &Stores) {
    stores.register_merchant().await;
    stores.stored_cards.keep(stored_card(1), noon() + TimeDelta::minutes(1)).await.expect("a new card");
    let claim = |minutes: i64| {
        let (now, stores) = (noon() + TimeDelta::minutes(minutes), stores.clone());
        async move { stores.stored_cards.claim(now, now + TimeDelta::minutes(5), 9).await.expect("the store answers") }
    };
    assert_eq!(claim(0).await, []);

    let at_once: Vec<_> = (0..8).map(|_| tokio::spawn(claim(1))).collect();
    let mut claimed = Vec::new();
    for it in at_once {
        claimed.extend(it.await.expect("no claim panics"));
    }

    assert_eq!(claimed, [stored_card(1)]);
    assert_eq!((claim(5).await, claim(6).await), (vec![], vec![stored_card(1)]));
}

/// A card that is put off is looked at by nobody until then; its tenant alone puts it off.
pub async fn a_card_that_is_put_off_comes_back_at_its_time(stores: &Stores) {
    stores.register_merchant().await;
    stores.stored_cards.keep(stored_card(1), noon()).await.expect("a new card");
    let never = DateTime::<Utc>::MAX_UTC;
    let put_off = async |tenant: Tenant, until: DateTime<Utc>| {
        stores.stored_cards.put_off(&tenant, &attempt_id(1), until).await.expect("the store answers");
    };
    let claim = async |hours| {
        let now = noon() + TimeDelta::hours(hours);
        stores.stored_cards.claim(now, now + TimeDelta::minutes(5), 9).await.expect("the store answers")
    };

    put_off(tenant(), noon() + TimeDelta::hours(6)).await;
    assert_eq!((claim(5).await, claim(6).await), (vec![], vec![stored_card(1)]));
    for stranger in Stores::strangers() {
        put_off(stranger, never).await;
    }
    assert_eq!(claim(7).await, [stored_card(1)]);
    put_off(tenant(), never).await;

    assert_eq!(claim(24 * 365 * 100).await, []);
    let found = stores.stored_cards.find(&tenant(), &attempt_id(1)).await.expect("the store answers");
    assert_eq!(found, Some(stored_card(1)), "it is kept all the same");
}
