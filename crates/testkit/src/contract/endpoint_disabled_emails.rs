//! Mails to merchants about disabled endpoints.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId,
    mailing::{MailOutcome, Mailing},
    webhook::{DisabledReason, EndpointDisabledEmail, WebhookEndpoint},
};
use ports::{Change, DisabledEmailId, DueMail, Queue, Tenant};

use super::{
    Stores, done, stale,
    webhooks::{disable, register},
};
use crate::sample::{self, noon, tenant};

/// Disabling an endpoint stores the mail; a late second attempt stores none.
pub async fn a_mail_is_stored_with_the_disabling_of_its_endpoint(stores: &Stores) {
    let (mail, late) = (mail(1), EndpointDisabledEmail { event: EventId::new(&sample::symbols(2)), ..mail(1) });
    register(stores, 1, &["*"]).await;

    done(disable(stores, &mail).await, "it is on");
    stale(disable(stores, &late).await);

    assert_eq!(find(stores, &tenant(), &mail).await, Some(mail.clone()));
    assert_eq!(find(stores, &tenant(), &late).await, None);
    let later = noon() + TimeDelta::milliseconds(1);
    assert_eq!((since(stores, &tenant(), noon()).await, since(stores, &tenant(), later).await), (1, 0));
    for stranger in Stores::strangers() {
        assert_eq!(find(stores, &stranger, &mail).await, None);
        assert_eq!(since(stores, &stranger, noon()).await, 0);
    }
}

async fn since(stores: &Stores, tenant: &Tenant, since: DateTime<Utc>) -> u64 {
    stores.deliveries.count_disabled_emails_since(tenant, since).await.expect("the store answers")
}

/// Each mail is claimed once; after the lease the mail can be claimed again, a postponed one later. Where a single
/// process uses a store, the leases of an earlier process end.
pub async fn an_endpoint_disabled_mail_is_claimed_once(stores: &Stores) {
    let (later, latest) = (noon() + TimeDelta::minutes(5), noon() + TimeDelta::minutes(9));
    let due = [DueMail::EndpointDisabled(name(&tenant(), &mail(1)))];
    register(stores, 1, &["*"]).await;
    done(disable(stores, &mail(1)).await, "it is on");
    assert_eq!(next_due(stores).await, Some(noon()));
    let claimed = stores.concurrently(8, |stores, _| async move { claim(&stores, noon(), later).await }).await;

    assert_eq!(claimed.concat(), due);
    assert_eq!(next_due(stores).await, Some(later));
    assert_eq!(claim(stores, later, later).await, due);
    stores.deliveries.postpone(&due[0], latest).await.expect("the store answers");
    assert_eq!(claim(stores, later, latest).await, []);
    assert_eq!(claim(stores, latest, latest + TimeDelta::hours(1)).await, due);
    stores.work.end_leases().await.expect("the store answers");
    assert_eq!(claim(stores, latest, latest).await, due);
}

/// Every stage is stored, and a change of an older version is refused.
pub async fn every_stage_of_an_endpoint_disabled_mail_comes_back(stores: &Stores) {
    let mut mail = mail(1);
    register(stores, 1, &["*"]).await;
    done(disable(stores, &mail).await, "it is on");

    for step in [None, Some(MailOutcome::Unknown), None, Some(MailOutcome::Deferred), None, Some(MailOutcome::Accepted)]
    {
        let based_on = Some(mail.mailing.version);
        match step {
            None => mail.mailing.begin(noon()),
            Some(answer) => mail.mailing.ended(answer, noon()),
        }
        let change = Change { to: mail.clone(), based_on, lease_until: None };
        done(stores.deliveries.update_disabled_email(&change).await, "no other process changed it");
        stale(stores.deliveries.update_disabled_email(&change).await);

        assert_eq!(find(stores, &tenant(), &mail).await, Some(mail.clone()));
    }
    assert_eq!(next_due(stores).await, None);
}

/// Mails without recipient and failed mails are counted as long as their events are stored.
pub async fn failed_mails_are_counted_while_events_are_stored(stores: &Stores) {
    let unaddressed = EndpointDisabledEmail { to: None, mailing: Mailing::unaddressed(noon()), ..mail(1) };
    register(stores, 1, &["*"]).await;
    done(disable(stores, &unaddressed).await, "it is on");
    let counted = not_notified(stores).await;
    let found = find(stores, &tenant(), &unaddressed).await;
    let due = next_due(stores).await;

    stores.events.sweep(noon() + TimeDelta::milliseconds(1), 100).await.expect("the store answers");

    assert_eq!((found.as_ref(), due), (Some(&unaddressed), None));
    assert_eq!(counted, Queue { length: 1, since: Some(noon()) });
    assert_eq!((find(stores, &tenant(), &unaddressed).await, not_notified(stores).await), (None, Queue::default()));
}

/// The mail about the first endpoint, by the `n`th event.
fn mail(n: u32) -> EndpointDisabledEmail {
    let off = WebhookEndpoint { disabled: Some(DisabledReason::Failing), version: 1, ..sample::endpoint(1) };
    sample::endpoint_disabled_email(&EventId::new(&sample::symbols(n)), &off)
}

fn name(tenant: &Tenant, mail: &EndpointDisabledEmail) -> DisabledEmailId {
    DisabledEmailId { tenant: tenant.clone(), event: mail.event.clone() }
}

async fn find(stores: &Stores, tenant: &Tenant, mail: &EndpointDisabledEmail) -> Option<EndpointDisabledEmail> {
    stores.deliveries.find_disabled_email(&name(tenant, mail)).await.expect("the store answers")
}

async fn claim(stores: &Stores, now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Vec<DueMail> {
    stores.deliveries.claim(now, lease_until, 10).await.expect("the store answers")
}

async fn next_due(stores: &Stores) -> Option<DateTime<Utc>> {
    stores.deliveries.next_due().await.expect("the store answers")
}

async fn not_notified(stores: &Stores) -> Queue {
    stores.backlog.waiting(noon()).await.expect("the store answers").not_notified
}
