//! Documents that are wanted by e-mail.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{fiscal::RequestedDelivery, sale::Sale, text::Email};
use ports::{Commit, CommitError, Tenant, Work};

use super::Stores;
use crate::sample::{self, document_id, noon, tenant};

/// The newest come first, as many as ever count, those of one document alone; and of the first that was asked for
/// together with the document nothing is lost.
pub async fn the_newest_deliveries_come_first(stores: &Stores) {
    let first = sample::delivery(1, 0);
    stores.register_merchant().await;
    stores.commit(Commit { delivery: Some(first.clone()), ..sample::opened(&sample::sale(1)) }).await;
    stores.commit(Commit { delivery: Some(sample::delivery(2, 0)), ..sample::opened(&sample::sale(2)) }).await;
    let alone = newest(stores, &tenant(), 1).await;

    let mut sale = sample::sale(1);
    for number in 1..=7 {
        sale = request(stores, &sale, number).await.expect("nobody else is at it");
    }

    assert_eq!(alone, [first]);
    let expected: Vec<_> = (3..=7).rev().map(|number| sample::delivery(1, number)).collect();
    assert_eq!(newest(stores, &tenant(), 1).await, expected);
    assert_eq!(newest(stores, &tenant(), 3).await, []);
    for stranger in Stores::strangers() {
        assert_eq!(newest(stores, &stranger, 1).await, []);
    }
}

/// However many ask at once, each place is given once: whoever comes too late looks again.
pub async fn of_fifty_deliveries_at_once_each_number_is_given_once(stores: &Stores) {
    stores.register_merchant().await;
    stores.commit(sample::opened(&sample::sale(1))).await;
    let at_once: Vec<_> = (0..50)
        .map(|_| {
            let stores = stores.clone();
            tokio::spawn(async move { request(&stores, &sample::sale(1), 1).await.map(drop) })
        })
        .collect();

    let mut requested = 0;
    for commit in at_once {
        match commit.await.expect("no commit panics") {
            Ok(()) => requested += 1,
            Err(CommitError::Stale) => {}
            Err(error) => panic!("{error:?}"),
        }
    }

    assert_eq!(requested, 1);
    assert_eq!(newest(stores, &tenant(), 1).await, [sample::delivery(1, 1)]);
}

/// The document shows the delivery and has moved by it, and whoever is at its next step stays at it.
pub async fn a_delivery_is_shown_and_ends_no_lease(stores: &Stores) {
    let later = noon() + TimeDelta::seconds(30);
    stores.register_merchant().await;
    stores.commit(sample::opened(&sample::paid(1))).await;
    assert_eq!(claim(stores, noon(), later).await, [Work::Document(tenant(), document_id(1))]);

    let after = request(stores, &sample::paid(1), 1).await.expect("nobody has moved it");

    assert_eq!(stores.reload(&after).await, Some(after));
    assert_eq!(claim(stores, noon(), later).await, []);
    assert_eq!(claim(stores, later, later).await, [Work::Document(tenant(), document_id(1))]);
}

/// Whoever decided on an older version asks for nothing.
pub async fn a_delivery_of_what_has_moved_is_stale(stores: &Stores) {
    let (before, after) = (sample::paid(1), sample::issued(1));
    stores.register_merchant().await;
    stores.commit(sample::opened(&before)).await;
    stores.commit(sample::changed(&before, &after)).await;

    let late = request(stores, &before, 1).await;

    assert!(matches!(late, Err(CommitError::Stale)), "{late:?}");
    assert_eq!(newest(stores, &tenant(), 1).await, []);
    assert_eq!(stores.reload(&after).await, Some(after));
}

/// Asks for the document of `before` and gives the sale as it stands then.
async fn request(stores: &Stores, before: &Sale, number: u32) -> Result<Sale, CommitError> {
    let mut after = before.clone();
    let requested = after.document.request_delivery(number, recipient(), noon()).expect("it is not canceled");
    stores.sales.commit(Commit { delivery: Some(requested), ..sample::changed(before, &after) }).await?;
    Ok(after)
}

fn recipient() -> Email {
    sample::delivery(1, 1).email
}

async fn newest(stores: &Stores, tenant: &Tenant, n: u32) -> Vec<RequestedDelivery> {
    stores.deliveries.newest(tenant, &document_id(n)).await.expect("the store answers")
}

async fn claim(stores: &Stores, now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Vec<Work> {
    stores.work.claim(now, lease_until, 10).await.expect("the store answers")
}
