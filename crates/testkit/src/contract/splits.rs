//! Split payments: their parts, and the allowed changes of each.

use chrono::TimeDelta;
use domain::{
    Event, EventKind,
    attempt::{Attempt, AttemptKind, AttemptState},
    payment::DeclineCode,
};
use ports::{Commit, Work};

use super::{Stores, sales::comes_back, split_stages};
use crate::sample::{self, noon, part_attempt, tenant};

/// A split with parts in any stage is stored, both new and changed.
pub async fn every_stage_of_a_part_comes_back(stores: &Stores) {
    for (n, sale) in (1000..).zip(split_stages()) {
        comes_back(stores, &sale, n).await;
    }
}

/// An event of a split shows the stage of each part.
pub async fn every_stage_of_a_part_is_shown(stores: &Stores) {
    for (n, sale) in (1000..).zip(split_stages()) {
        let before = sample::split_sale(n, 2);
        let mut after = sale.clone();
        after.payment.facts = before.payment.facts.clone();
        after.document = domain::FiscalDocument::restore(before.document.facts.clone(), sale.document.state().clone());
        stores.commit(sample::creation(&before)).await;
        let events = vec![Event::new(EventKind::PaymentPartCaptured).of_part(2)];
        stores.commit(Commit { events, ..sample::update(&before, &after) }).await;
        let id = domain::EventId::of(&after.payment.facts.id, 3).expect("a small sequence");

        let found = stores.events.find(&tenant(), &id).await.expect("the store answers").expect("the event is stored");

        let of_sale = found.of_sale().expect("it is about a payment");
        assert_eq!((of_sale.part, &of_sale.sale), (Some(2), &after));
    }
}

/// Attempts that begin together are stored separately, each with a part.
pub async fn attempts_of_parts_come_back(stores: &Stores) {
    let sale = sample::authorized_split(1, 2);
    let kinds = [AttemptKind::Authorization, AttemptKind::Capture, AttemptKind::Release];
    stores.commit(sample::creation(&sale)).await;

    for (place, kind) in (1..).zip(kinds) {
        let both = [1, 2].map(|ordinal| part_attempt(1, ordinal, place, kind));
        stores.commit(Commit { attempts: both.to_vec(), ..sample::empty_commit(&sale) }).await;
        let resolved = both.map(|it| it.resolved(AttemptState::NotSubmitted, Some("r".to_owned()), noon()));
        stores.commit(Commit { attempts: resolved.to_vec(), ..sample::empty_commit(&sale) }).await;

        for attempt in resolved {
            let found = stores.sales.find_attempt(&tenant(), &attempt.id).await.expect("the store answers");
            assert_eq!(found, Some(attempt));
        }
    }
}

/// A part has at most one open or ambiguous attempt; other parts are free. A renewed reservation without the payer
/// blocks no other attempt.
pub async fn a_part_has_one_attempt_at_a_time(stores: &Stores) {
    let sale = sample::authorized_split(1, 2);
    let first = Attempt { link: Some(sample::symbols(1)), ..part_attempt(1, 1, 1, AttemptKind::Authorization) };
    let second = part_attempt(1, 1, 2, AttemptKind::Release);
    let anew = part_attempt(1, 1, 3, AttemptKind::Authorization);
    let other_part = part_attempt(1, 2, 1, AttemptKind::Authorization);
    stores.commit(sample::creation(&sale)).await;
    stores.commit(Commit { attempts: vec![first.clone(), other_part], ..sample::empty_commit(&sale) }).await;
    stores.commit(Commit { attempts: vec![anew], ..sample::empty_commit(&sale) }).await;

    for state in [AttemptState::Open, AttemptState::Unknown] {
        let now = first.clone().resolved(state, None, noon());
        stores.commit(Commit { attempts: vec![now], ..sample::empty_commit(&sale) }).await;
        refused(stores, &second).await;
    }
    let declined = AttemptState::Declined(DeclineCode::DoNotHonor);
    stores
        .commit(Commit { attempts: vec![first.resolved(declined, None, noon())], ..sample::empty_commit(&sale) })
        .await;
    stores.commit(Commit { attempts: vec![second], ..sample::empty_commit(&sale) }).await;
}

/// No part is captured twice, by any attempt.
pub async fn a_part_is_captured_once(stores: &Stores) {
    let sale = sample::authorized_split(1, 2);
    let captured = |ordinal, place| {
        part_attempt(1, ordinal, place, AttemptKind::Capture).resolved(AttemptState::Approved, None, noon())
    };
    stores.commit(sample::creation(&sale)).await;
    stores.commit(Commit { attempts: vec![captured(1, 2)], ..sample::empty_commit(&sale) }).await;

    refused(stores, &captured(1, 3)).await;
    stores.commit(Commit { attempts: vec![captured(2, 2)], ..sample::empty_commit(&sale) }).await;
    stores.commit(Commit { attempts: vec![captured(1, 2)], ..sample::empty_commit(&sale) }).await;
}

/// If one of several attempts is refused, none of them begins.
pub async fn attempts_begin_together_or_not_at_all(stores: &Stores) {
    let sale = sample::authorized_split(1, 2);
    let capture = |ordinal, place| part_attempt(1, ordinal, place, AttemptKind::Capture);
    stores.commit(sample::creation(&sale)).await;
    stores.commit(Commit { attempts: vec![capture(2, 1)], ..sample::empty_commit(&sale) }).await;

    let both = Commit { attempts: vec![capture(1, 2), capture(2, 2)], ..sample::empty_commit(&sale) };
    stores.refuse(both).await;

    let first = stores.sales.find_attempt(&tenant(), &capture(1, 2).id).await.expect("the store answers");
    assert_eq!(first, None);
}

/// A split is due with the earliest of its parts.
pub async fn a_split_is_due_with_its_first_part(stores: &Stores) {
    let mut sale = sample::split_sale(1, 2);
    sale.submit_part(2, sample::part_attempt_id(1, 2, 1), sample::card(), noon()).expect("a part takes a card");
    stores.commit(sample::creation(&sale)).await;
    let lost = noon() + domain::Split::CALL_LIFE;

    let next = stores.work.next_due().await.expect("the store answers");
    let early = stores.work.claim(lost - TimeDelta::milliseconds(1), lost, 9).await.expect("the store answers");
    let due = stores.work.claim(lost, lost + TimeDelta::minutes(1), 9).await.expect("the store answers");

    assert_eq!((next, early), (Some(lost), vec![]));
    assert_eq!(due, [Work::Payment(tenant(), sample::payment_id(1))]);
}

async fn refused(stores: &Stores, attempt: &Attempt) {
    let commit = Commit { attempts: vec![attempt.clone()], ..sample::empty_commit(&sample::authorized_split(1, 2)) };
    stores.refuse(commit).await;
    let found = stores.sales.find_attempt(&tenant(), &attempt.id).await.expect("the store answers");
    assert_eq!(found, None);
}
