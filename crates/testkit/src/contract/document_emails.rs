//! Documents by e-mail.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    fiscal::{DocumentEmail, EmailFollowUp, EmailStatus},
    mailing::MailOutcome,
    sale::Sale,
    text::Email,
};
use ports::{Change, Commit, Committed, DocumentEmailId, DueMail, Tenant, Unavailable, Work};

use super::{Stores, count_done, done, stale};
use crate::sample::{self, document_id, noon, tenant};

/// The newest deliveries of one document are listed first, up to the limit; those requested together with the document
/// are complete.
pub async fn the_newest_deliveries_come_first(stores: &Stores) {
    let first = sample::delivery(1, 0);
    stores.commit(Commit { delivery: sample::new_delivery(first.clone()), ..sample::creation(&sample::sale(1)) }).await;
    stores
        .commit(Commit { delivery: sample::new_delivery(sample::delivery(2, 0)), ..sample::creation(&sample::sale(2)) })
        .await;
    let alone = newest(stores, &tenant(), 1).await;

    let mut sale = sample::sale(1);
    for number in 1..=7 {
        let (after, committed) = request(stores, &sale, number).await;
        done(committed, "no other process changed it");
        sale = after;
    }

    assert_eq!(alone, [first]);
    let expected: Vec<_> = (3..=7).rev().map(|number| sample::delivery(1, number)).collect();
    assert_eq!(newest(stores, &tenant(), 1).await, expected);
    assert_eq!(newest(stores, &tenant(), 3).await, []);
    for stranger in Stores::strangers() {
        assert_eq!(newest(stores, &stranger, 1).await, []);
    }
}

/// Of concurrent requests each delivery number is assigned once; a late request is stale.
pub async fn of_fifty_deliveries_at_once_each_number_is_given_once(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;
    let requests =
        stores.concurrently(50, |stores, _| async move { request(&stores, &sample::sale(1), 1).await.1 }).await;

    assert_eq!(count_done(requests), 1);
    assert_eq!(newest(stores, &tenant(), 1).await, [sample::delivery(1, 1)]);
}

/// The document shows the delivery and changes its version; a lease on its next step stays.
pub async fn a_delivery_is_shown_and_ends_no_lease(stores: &Stores) {
    let later = noon() + TimeDelta::seconds(30);
    stores.commit(sample::creation(&sample::paid(1))).await;
    assert_eq!(claim(stores, noon(), later).await, [Work::Document(tenant(), document_id(1))]);

    let (after, committed) = request(stores, &sample::paid(1), 1).await;
    done(committed, "it is unchanged");

    assert_eq!(stores.reload(&after).await, Some(after));
    assert_eq!(claim(stores, noon(), later).await, []);
    assert_eq!(claim(stores, later, later).await, [Work::Document(tenant(), document_id(1))]);
}

/// A request based on an older version stores no delivery.
pub async fn a_delivery_of_a_changed_document_is_stale(stores: &Stores) {
    let (before, after) = (sample::paid(1), sample::issued(1));
    stores.commit(sample::creation(&before)).await;
    stores.commit(sample::update(&before, &after)).await;

    let (_, late) = request(stores, &before, 1).await;

    stale(late);
    assert_eq!(newest(stores, &tenant(), 1).await, []);
    assert_eq!(stores.reload(&after).await, Some(after));
}

/// One commit can change the waiting deliveries of several documents, as if a document is canceled with its credit notes.
pub async fn the_deliveries_of_each_document_follow_it(stores: &Stores) {
    for n in [1, 2, 3] {
        let wish = sample::new_delivery(sample::delivery(n, 0));
        stores.commit(Commit { delivery: wish, ..sample::creation(&sample::sale(n)) }).await;
    }
    let deliveries = [1, 2].map(|n| (document_id(n), EmailFollowUp::Canceled)).to_vec();
    stores.commit(Commit { deliveries, ..sample::empty_commit(&sample::sale(1)) }).await;

    for (n, status) in [(1, "canceled"), (2, "canceled"), (3, "waiting_for_document")] {
        assert_eq!(find(stores, n, 0).await.mailing.status.as_str(), status);
    }
}

/// Waiting deliveries become due when the document is issued, end when the document is canceled, and wait again after a
/// new request. Deliveries of other documents and ended ones do not change.
pub async fn waiting_deliveries_follow_their_document(stores: &Stores) {
    let sale = sample::sale(1);
    for n in [1, 2] {
        let wish = sample::new_delivery(sample::delivery(n, 0));
        stores.commit(Commit { delivery: wish, ..sample::creation(&sample::sale(n)) }).await;
    }
    let mut canceled = sale.clone();
    canceled.document.cancel(noon()).expect("it waits for its payment");
    let mut renewed = canceled.clone();
    renewed.document.renew(noon()).expect("it was canceled");

    let follow = |follow| vec![(sale.document.facts.id.clone(), follow)];
    stores.commit(Commit { deliveries: follow(EmailFollowUp::Canceled), ..sample::update(&sale, &canceled) }).await;
    let over = find(stores, 1, 0).await.mailing;
    stores.commit(Commit { deliveries: follow(EmailFollowUp::Renewed), ..sample::update(&canceled, &renewed) }).await;
    let waiting = find(stores, 1, 0).await.mailing;
    let based_on = Some(renewed.document.version());
    let documents = vec![Change { to: sample::issued(1).document, based_on, lease_until: None }];
    stores.commit(Commit { documents, deliveries: follow(EmailFollowUp::Issued), ..sample::empty_commit(&sale) }).await;

    assert_eq!(over.status.as_str(), "canceled");
    assert_eq!((waiting.status.as_str(), waiting.due_at), ("waiting_for_document", None));
    assert_eq!(find(stores, 1, 0).await.mailing.due_at, Some(noon()));
    assert_eq!(find(stores, 2, 0).await, sample::delivery(2, 0));
    assert_eq!(stores.deliveries.next_due().await.expect("the store answers"), Some(noon()));
}

/// Each due delivery is claimed once; after the lease the delivery can be claimed again, a postponed one later.
pub async fn a_delivery_is_handed_to_one_sender(stores: &Stores) {
    let (later, latest) = (noon() + TimeDelta::minutes(5), noon() + TimeDelta::minutes(9));
    stores.commit(sample::creation(&sample::issued(1))).await;
    stores.commit(Commit { delivery: due(1, 1), ..sample::empty_commit(&sample::issued(1)) }).await;
    let claimed = stores.concurrently(8, |stores, _| async move { claim_mail(&stores, noon(), later).await }).await;

    assert_eq!(claimed.concat(), [name(1, 1)]);
    assert_eq!(stores.deliveries.next_due().await.expect("the store answers"), Some(later));
    assert_eq!(claim_mail(stores, later, later).await, [name(1, 1)]);
    stores.deliveries.postpone(&DueMail::Document(name(1, 1)), latest).await.expect("the store answers");
    assert_eq!(claim_mail(stores, later, latest).await, []);
    assert_eq!(claim_mail(stores, latest, latest).await, [name(1, 1)]);
}

/// Every stage of a delivery is stored, and a change of an older version is refused.
pub async fn every_stage_of_a_delivery_comes_back(stores: &Stores) {
    stores.commit(sample::creation(&sample::issued(1))).await;
    stores.commit(Commit { delivery: due(1, 1), ..sample::empty_commit(&sample::issued(1)) }).await;
    let mut delivery = find(stores, 1, 1).await;
    let changed = |to: &DocumentEmail, based_on| {
        let delivery = Some(Change { to: to.clone(), based_on: Some(based_on), lease_until: None });
        let events = to.end_event(&EmailStatus::Queued { at: noon() }).into_iter().collect();
        Commit { delivery, events, ..sample::empty_commit(&sample::issued(1)) }
    };

    for step in [None, Some(MailOutcome::Unknown), None, Some(MailOutcome::Accepted)] {
        let before = delivery.mailing.version;
        match step {
            None => delivery.mailing.begin(noon()),
            Some(answer) => delivery.mailing.ended(answer, noon()),
        }
        stores.commit(changed(&delivery, before)).await;
        stores.refuse(changed(&delivery, before)).await;

        assert_eq!(find(stores, 1, 1).await, delivery);
    }
    assert_eq!(stores.deliveries.next_due().await.expect("the store answers"), None);
}

/// Requests the document of `before`; returns the stored sale.
async fn request(stores: &Stores, before: &Sale, number: u32) -> (Sale, Result<Committed, Unavailable>) {
    let mut after = before.clone();
    let requested = after.document.request_delivery(number, recipient(), noon()).expect("it is not canceled");
    let commit = Commit { delivery: sample::new_delivery(requested), ..sample::update(before, &after) };
    let committed = stores.sales.commit(commit).await;
    (after, committed)
}

fn recipient() -> Email {
    sample::delivery(1, 1).email
}

async fn newest(stores: &Stores, tenant: &Tenant, n: u32) -> Vec<DocumentEmail> {
    stores.deliveries.newest(tenant, &document_id(n)).await.expect("the store answers")
}

async fn claim(stores: &Stores, now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Vec<Work> {
    stores.work.claim(now, lease_until, 10).await.expect("the store answers")
}

fn name(n: u32, number: u32) -> DocumentEmailId {
    DocumentEmailId { tenant: tenant(), document: document_id(n), number }
}

/// A delivery requested after the issuance of its document.
fn due(n: u32, number: u32) -> Option<Change<DocumentEmail>> {
    let mut document = sample::issued(n).document;
    sample::new_delivery(document.request_delivery(number, recipient(), noon()).expect("it is not canceled"))
}

async fn find(stores: &Stores, n: u32, number: u32) -> DocumentEmail {
    stores.deliveries.find(&name(n, number)).await.expect("the store answers").expect("it was asked for")
}

async fn claim_mail(stores: &Stores, now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Vec<DocumentEmailId> {
    let claimed = stores.deliveries.claim(now, lease_until, 10).await.expect("the store answers");
    let name = |it| match it {
        DueMail::Document(name) => name,
        DueMail::EndpointDisabled(_) => panic!("no endpoint was switched off"),
    };
    claimed.into_iter().map(name).collect()
}
