//! Waiting work, as operators see it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{payment::ProviderOutcome, sale::Sale};
use ports::{Queue, Waiting};

use super::Stores;
use crate::sample::{self, attempt_id, noon};

const NOTHING: Queue = Queue { length: 0, since: None };

/// An empty store and a finished sale have no waiting work.
pub async fn finished_work_does_not_wait(stores: &Stores) {
    let empty = waiting(stores, noon()).await;
    stores.register_merchant().await;
    stores.create([sample::issued(1), sample::sale(2)]).await;

    assert_eq!(empty, Waiting::default());
    assert_eq!(waiting(stores, noon()).await, Waiting::default());
}

/// A payment in doubt waits since the submission of the card, in every tenant.
pub async fn doubt_begins_with_the_card(stores: &Stores) {
    for n in 1..=3 {
        let mut sale = sample::sale(n);
        let submitted_at = noon() + TimeDelta::minutes(n.into());
        sale.submit(attempt_id(n), sample::card(), submitted_at).expect("an open sale takes a card");
        let answered_at = submitted_at + TimeDelta::seconds(30);
        sale.apply_outcome(&attempt_id(n), ProviderOutcome::Ambiguous, answered_at)
            .expect("a card in flight is answered");
        stores.commit(sample::creation(&sale)).await;
    }

    let Waiting { verifying, unissued, .. } = waiting(stores, noon()).await;

    assert_eq!(verifying, queue(3, noon() + TimeDelta::minutes(1)));
    assert_eq!(unissued, NOTHING);
}

/// A document is due from the success of its payment until issuance or until the merchant must act.
pub async fn a_document_is_owed_since_its_payment_succeeded(stores: &Stores) {
    // The sale that was opened first is paid last.
    let late = paid_at(1, noon() + TimeDelta::hours(2));
    let mut refused = sample::paid(4);
    refused
        .document
        .refuse(domain::fiscal::ProblemCode::BuyerTaxIdInactive, false, noon())
        .expect("an issuing document is refused");
    let mut delayed = paid_at(2, noon() + TimeDelta::hours(1));
    let document = &mut delayed.document;
    let then = noon() + TimeDelta::hours(3);
    document.numbered(sample::numbered(2), then).expect("an issuing document takes a number");
    document.signed(sample::signed(2), then).expect("a numbered document is signed");
    document.submitting(then).expect("a signed document is sent");
    document.apply_verdict(domain::fiscal::Verdict::Unavailable, then).expect("a sent document is answered");
    stores.create([&late, &delayed, &refused, &sample::issued(3)]).await;

    let Waiting { verifying, unissued, .. } = waiting(stores, noon()).await;

    assert_eq!(unissued, queue(2, noon() + TimeDelta::hours(1)));
    assert_eq!(verifying, NOTHING);
}

/// A partly paid payment waits for a person only once completion is impossible.
pub async fn a_payment_left_in_part_waits_for_a_person(stores: &Stores) {
    stores.commit(sample::creation(&sample::paid_in_part(1))).await;

    let while_it_may_be_completed = waiting(stores, noon()).await.left_in_part;
    stores.commit(sample::creation(&sample::left_in_part(2))).await;
    let afterwards = waiting(stores, noon() + TimeDelta::days(30)).await.left_in_part;

    assert_eq!(while_it_may_be_completed, NOTHING);
    assert_eq!(afterwards, queue(1, noon()));
}

/// Due work waits from the due time on, except under a lease.
pub async fn due_work_waits_until_claimed(stores: &Stores) {
    let closing = noon() + TimeDelta::hours(24);
    stores.create([sample::sale(1), sample::paid(2)]).await;

    let before = waiting(stores, noon() - TimeDelta::milliseconds(1)).await.due;
    let at_noon = waiting(stores, noon()).await.due;
    let at_closing = waiting(stores, closing).await.due;
    stores.work.claim(closing, closing + TimeDelta::seconds(30), 1).await.expect("the store answers");
    let held = waiting(stores, closing).await.due;
    let after_the_lease = waiting(stores, closing + TimeDelta::seconds(30)).await.due;

    assert_eq!(before, NOTHING);
    assert_eq!(at_noon, queue(1, noon()));
    assert_eq!(at_closing, queue(2, noon()));
    assert_eq!(held, queue(1, closing));
    assert_eq!(after_the_lease, queue(2, noon()));
}

fn paid_at(n: u32, at: DateTime<Utc>) -> Sale {
    let mut sale = sample::sale(n);
    sale.submit(attempt_id(n), sample::card(), at).expect("a new sale takes a card");
    sale.apply_outcome(&attempt_id(n), ProviderOutcome::Approved, at).expect("a card in flight is answered");
    sale
}

const fn queue(length: u64, since: DateTime<Utc>) -> Queue {
    Queue { length, since: Some(since) }
}

async fn waiting(stores: &Stores, now: DateTime<Utc>) -> Waiting {
    stores.backlog.waiting(now).await.expect("the store answers")
}
