//! Queue of due work.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    FiscalDocumentId,
    fiscal::{Acceptance, Addressee, Printed, ProblemCode, Route, Signed, Verdict},
    sale::Sale,
};
use ports::{Commit, KeyChange, KeyRecord, KeyState, Work};

use super::Stores;
use crate::sample::{self, document_id, noon, payment_id, tenant};

/// End of the window of the sample's sales.
fn closing() -> DateTime<Utc> {
    noon() + TimeDelta::hours(24)
}

/// Payments and documents are due at their time, oldest first.
pub async fn due_work_is_claimed_oldest_first(stores: &Stores) {
    stores.create([sample::sale(1), sample::paid(2)]).await;

    let before = claim(stores, noon() - TimeDelta::milliseconds(1), 10).await;
    let at_noon = claim(stores, noon(), 10).await;
    let at_closing = claim(stores, closing(), 10).await;

    assert_eq!(before, []);
    assert_eq!(at_noon, [document(2)]);
    assert_eq!(at_closing, [document(2), payment(1)]);
}

/// A claim returns at most the limit, and leaves the rest to the next claim.
pub async fn a_claim_is_limited(stores: &Stores) {
    stores.create((1..=3).map(sample::sale)).await;
    stores.create((4..=6).map(sample::paid)).await;

    let mut sizes = Vec::new();
    for _ in 0..4 {
        sizes.push(claim(stores, closing(), 2).await.len());
    }

    assert_eq!(sizes, [2, 2, 2, 0]);
}

/// Each item is claimed by one of many concurrent workers; after the lease the item can be claimed again.
pub async fn work_is_handed_to_one_worker(stores: &Stores) {
    stores.create((1..=40).map(sample::paid)).await;
    let worker = |stores: Stores, _| async move {
        let mut mine = Vec::new();
        loop {
            match claim(&stores, noon(), 3).await {
                some if some.is_empty() => return mine,
                some => mine.extend(some),
            }
        }
    };

    let mut claimed = stores.concurrently(8, worker).await.concat();

    // A claim skips rows that another claim is locking, so an empty result may be premature.
    claimed.extend(claim(stores, noon(), 100).await);
    let distinct: HashSet<_> = claimed.iter().collect();
    assert_eq!((claimed.len(), distinct.len()), (40, 40));
    assert_eq!(claim(stores, lease_end(noon()) - TimeDelta::milliseconds(1), 100).await, []);
    assert_eq!(claim(stores, lease_end(noon()), 100).await.len(), 40);
}

/// A commit can renew the lease of the item; without renewal the item is released.
pub async fn a_commit_sets_the_length_of_its_lease(stores: &Stores) {
    let before = sample::paid(1);
    let held_until = noon() + TimeDelta::minutes(1);
    let mut commit = sample::creation(&before);
    for document in &mut commit.documents {
        document.lease_until = Some(held_until);
    }
    stores.commit(commit).await;

    let meanwhile = claim(stores, held_until - TimeDelta::milliseconds(1), 10).await;
    let mut after = before.clone();
    after.document.numbered(sample::numbered(1), noon()).expect("an issuing document takes a number");
    stores.commit(sample::update(&before, &after)).await;
    let given_up = claim(stores, noon(), 10).await;

    assert_eq!(meanwhile, []);
    assert_eq!(given_up, [document(1)]);
}

/// Finished work is not due.
pub async fn finished_work_is_not_due(stores: &Stores) {
    let paid = sample::paid(1);
    stores.commit(sample::creation(&paid)).await;
    let claimed = claim(stores, noon(), 10).await;

    stores.commit(sample::update(&paid, &sample::issued(1))).await;
    stores.work.postpone(&claimed[0], noon()).await.expect("the store answers");

    assert_eq!(claim(stores, closing(), 10).await, []);
    assert_eq!(next_due(stores).await, None);
}

/// Postponed work is not claimed until then; the due time does not change.
pub async fn postponed_work_comes_back_at_its_time(stores: &Stores) {
    stores.create([sample::paid(1), sample::sale(2)]).await;

    for (work, claimed_at) in [(document(1), noon()), (payment(2), closing())] {
        let (only, later) = (std::slice::from_ref(&work), claimed_at + TimeDelta::seconds(20));
        assert_eq!(claim(stores, claimed_at, 10).await, only);
        stores.work.postpone(&work, later).await.expect("the store answers");
        assert_eq!(claim(stores, later - TimeDelta::milliseconds(1), 10).await, []);
        assert_eq!(claim(stores, later, 10).await, only);
        stores.work.postpone(&work, closing() + TimeDelta::days(1)).await.expect("the store answers");
    }
}

/// A step that failed although its commit was durable changed the due time: postponing does not move that time back.
pub async fn postponing_never_moves_the_due_time_back(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;

    stores.work.postpone(&payment(1), noon()).await.expect("the store answers");

    assert_eq!(claim(stores, closing() - TimeDelta::milliseconds(1), 10).await, []);
    assert_eq!(claim(stores, closing(), 10).await, [payment(1)]);
}

/// The next due time is the later one of due time and lease end.
pub async fn the_next_thing_falls_due(stores: &Stores) {
    let empty = next_due(stores).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let a_window = next_due(stores).await;
    stores.commit(sample::creation(&sample::paid(2))).await;
    let a_document = next_due(stores).await;
    claim(stores, noon(), 10).await;
    let a_lease = next_due(stores).await;
    stores.work.postpone(&document(2), closing() + TimeDelta::days(1)).await.expect("the store answers");
    let the_window_again = next_due(stores).await;

    assert_eq!(empty, None);
    assert_eq!(a_window, Some(closing()));
    assert_eq!(a_document, Some(noon()));
    assert_eq!(a_lease, Some(lease_end(noon())));
    assert_eq!(the_window_again, Some(closing()));
}

/// A process with exclusive use of the store takes over the leases of an earlier process at once.
pub async fn leases_of_the_dead_end_at_once(stores: &Stores) {
    let processing: Sale = {
        let mut sale = sample::sale(2);
        sale.submit(sample::attempt_id(2), sample::card(), noon()).expect("an open sale takes a card");
        sale
    };
    let mut submitted = Commit { attempts: vec![sample::attempt(2)], ..sample::creation(&processing) };
    if let Some(payment) = &mut submitted.payment {
        payment.lease_until = Some(noon() + TimeDelta::minutes(1));
    }
    stores.commit(sample::creation(&sample::paid(1))).await;
    stores.commit(submitted).await;
    let attempt = Some(sample::attempt_id(2));
    let in_hand = KeyRecord {
        state: KeyState::InProgress { lease_until: noon() + KeyRecord::LEASE, attempt: attempt.clone() },
        ..sample::key(1)
    };
    let answered = KeyRecord { state: KeyState::Completed(sample::stored_response()), ..sample::key(2) };
    for (n, key) in [(3, &in_hand), (4, &answered)] {
        let key = Some(KeyChange { to: key.clone(), based_on: None });
        stores.commit(Commit { key, ..sample::creation(&sample::sale(n)) }).await;
    }
    assert_eq!(claim(stores, noon(), 10).await, [document(1)]);

    stores.work.end_leases().await.expect("the store answers");

    let claimed: HashSet<_> = claim(stores, noon(), 10).await.into_iter().collect();
    assert_eq!(claimed, HashSet::from([document(1), payment(2)]));
    let key = async |of: &KeyRecord| stores.idempotency.find(&of.scope, &of.digest).await.expect("the store answers");
    let state = KeyState::InProgress { lease_until: DateTime::UNIX_EPOCH, attempt };
    assert_eq!(key(&in_hand).await, Some(KeyRecord { state, ..in_hand.clone() }), "the next claim takes the key over");
    assert_eq!(key(&answered).await, Some(answered));
}

/// The oldest waiting document of a recipient is first, then by identifier; finishing the first reveals the next.
pub async fn waiting_documents_are_found_by_age(stores: &Stores) {
    let after = |minutes| noon() + TimeDelta::minutes(minutes);
    let sales: Vec<Sale> = [(1, 2), (2, 1), (3, 1), (4, 0)].map(|(n, signed)| queued(n, after(signed))).into();
    stores.create(&sales).await;
    stores.commit(sample::creation(&sample::paid(5))).await;
    let mut skipped = sales[3].clone();
    skipped.document.skip(noon()).expect("it is queued");
    let first = head_of_queue(stores, &sales[0]).await;
    stores.commit(sample::update(&sales[3], &skipped)).await;

    let second = head_of_queue(stores, &sales[0]).await;
    let another = stores.work.next_in_queue(&tenant(), &sales[0].document.addressee(), &document_id(2)).await;
    let mut called = sales[1].clone();
    called.document.call(noon(), noon()).expect("the document is queued");
    called.document.submitting(noon()).expect("a signed document is sent");
    stores.commit(sample::update(&sales[1], &called)).await;
    let on_its_way = head_of_queue(stores, &sales[0]).await;
    let mut issued = called.clone();
    issued
        .document
        .apply_verdict(Verdict::Accepted(Acceptance::Accepted), noon())
        .expect("a sent document is answered");
    stores.commit(sample::update(&called, &issued)).await;
    let third = head_of_queue(stores, &sales[0]).await;
    let elsewhere = Addressee { route: Route::Full, ..sales[0].document.addressee() };
    let none = stores.work.head_of_queue(&tenant(), &elsewhere).await.expect("the store answers");

    let unavailable = Some(ProblemCode::AuthorityUnavailable);
    assert_eq!(first, Some((document_id(4), after(0), unavailable)));
    assert_eq!(second, Some((document_id(2), after(1), unavailable)));
    assert_eq!(another.expect("the store answers").map(|it| it.document), Some(document_id(1)), "it is due first");
    assert_eq!(on_its_way, Some((document_id(2), after(1), None)), "others wait for what is on its way");
    assert_eq!(third, Some((document_id(3), after(1), unavailable)));
    assert_eq!(none, None);
}

/// A missing rendering is claimed when due, oldest first, by one worker at a time, and no more after completion.
pub async fn missing_renderings_are_claimed_when_due(stores: &Stores) {
    let sales = [(1, 30), (2, 10)].map(|(n, seconds)| due_renders(n, noon() + TimeDelta::seconds(seconds)));
    stores.create(&sales).await;
    stores.commit(sample::creation(&sample::issued(3))).await;
    let found = async |at: DateTime<Utc>, limit| {
        let found = stores.work.due_renders(at, lease_end(at), limit).await.expect("the store answers");
        found.into_iter().map(|(of, document)| (of == tenant(), document)).collect::<Vec<_>>()
    };
    let at = |seconds: i64| noon() + TimeDelta::seconds(60 + seconds);

    assert_eq!(found(at(9), 10).await, []);
    assert_eq!(next_due(stores).await, Some(at(10)));
    assert_eq!(found(at(29), 10).await, [(true, document_id(2))]);
    assert_eq!(next_due(stores).await, Some(at(30)));
    assert_eq!(found(at(30), 10).await, [(true, document_id(1))], "the other is claimed");
    assert_eq!((found(at(58), 10).await, next_due(stores).await), (vec![], Some(lease_end(at(29)))));
    assert_eq!(found(at(90), 1).await, [(true, document_id(2))], "the earlier lease has ended");
    let mut drawn = sales[1].clone();
    drawn.document.drawn(Printed { sha256: sample::digest(1), size_bytes: 9 }, at(30)).expect("it waits to be drawn");
    stores.commit(sample::update(&sales[1], &drawn)).await;
    assert_eq!(found(at(200), 10).await, [(true, document_id(1))]);
    let stored = stores.sales.find_by_document(&tenant(), &document_id(1)).await.expect("the store answers");
    assert_eq!(stored.as_ref(), Some(&sales[0]));
}

/// The `n`th sale, with a document accepted at `at` without a rendering.
fn due_renders(n: u32, at: DateTime<Utc>) -> Sale {
    let signed = Signed { printed: None, ..sample::signed(n) };
    sample::submitted(n, signed, Verdict::Accepted(Acceptance::Accepted), at)
}

/// The `n`th sale, with a document signed at `signed` that could not be sent.
fn queued(n: u32, signed: DateTime<Utc>) -> Sale {
    let sent = noon() + TimeDelta::seconds(i64::from(n));
    sample::submitted(n, Signed { at: signed, ..sample::signed(n) }, Verdict::Unavailable, sent)
}

async fn head_of_queue(stores: &Stores, like: &Sale) -> Option<(FiscalDocumentId, DateTime<Utc>, Option<ProblemCode>)> {
    let found = stores.work.head_of_queue(&tenant(), &like.document.addressee()).await.expect("the store answers");
    found.map(|it| (it.document, it.since, it.problem))
}

fn payment(n: u32) -> Work {
    Work::Payment(tenant(), payment_id(n))
}

fn document(n: u32) -> Work {
    Work::Document(tenant(), document_id(n))
}

fn lease_end(now: DateTime<Utc>) -> DateTime<Utc> {
    now + TimeDelta::seconds(30)
}

async fn claim(stores: &Stores, now: DateTime<Utc>, limit: u16) -> Vec<Work> {
    stores.work.claim(now, lease_end(now), limit).await.expect("the store answers")
}

async fn next_due(stores: &Stores) -> Option<DateTime<Utc>> {
    stores.work.next_due().await.expect("the store answers")
}
