//! Queue of webhook deliveries.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Event, EventId, EventKind,
    event::EventRecord,
    webhook::{DisabledReason, EndpointDisabledEmail, WebhookDeliveryStatus, WebhookEndpoint},
};
use ports::{
    ClaimLimits, Commit, DueDelivery, EndpointHealth, EventFilter, Page, Queue, Recipient, SetupChange, WebhookClaim,
};

use super::{
    Stores, done, stale,
    webhooks::{attempted, claim, disable, disabling, event_id, finish, lease, register, wide},
};
use crate::sample::{self, noon, tenant};

/// A commit creates a delivery of its events for every subscribed endpoint.
pub async fn an_event_is_queued_for_subscribed_endpoints(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    register(stores, 2, &["payment.*"]).await;
    register(stores, 3, &["fiscal_document.requested", "payment_split.*"]).await;
    register(stores, 4, &["payment.succeeded"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;

    let claimed = claim(stores, noon()).await;

    let mut seen: Vec<_> = claimed.iter().map(|it| (it.endpoint.clone(), it.event.clone())).collect();
    seen.sort_by_key(|(endpoint, event)| (endpoint.to_string(), event.to_string()));
    let expected = [(1, 1), (1, 2), (2, 1), (3, 2)];
    assert_eq!(seen, expected.map(|(n, sequence)| (sample::endpoint(n).id, event_id(1, sequence))));
    for due in claimed {
        assert_eq!((due.tenant, due.occurred_at, due.attempts), (tenant(), noon(), 0));
    }
    let found = stores.events.find_all(&tenant(), &[event_id(1, 2), event_id(1, 1), event_id(2, 1)]).await;
    let mut found: Vec<_> = found.expect("the store answers").into_iter().map(|it| it.id).collect();
    found.sort_by_key(ToString::to_string);
    assert_eq!(found, [event_id(1, 1), event_id(1, 2)]);
    stores.commit(sample::creation(&sample::sale(2))).await;
    let found = stores.events.find_all(&tenant(), &[event_id(1, 1), event_id(2, 2)]).await;
    let mut found: Vec<_> = found.expect("the store answers").into_iter().map(|it| it.id).collect();
    found.sort_by_key(ToString::to_string);
    assert_eq!(found, [event_id(1, 1), event_id(2, 2)], "of each payment what is asked for, and no more");
}

/// A refused commit creates no delivery.
pub async fn a_refused_commit_queues_no_delivery(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    stores.commit(Commit { events: Vec::new(), ..sample::creation(&sample::sale(1)) }).await;
    let mut outdated = sample::update(&sample::sale(1), &sample::paid(1));
    if let Some(payment) = &mut outdated.payment {
        payment.based_on = Some(9);
    }

    stores.refuse(Commit { events: vec![event()], ..outdated }).await;

    assert_eq!(claim(stores, noon()).await, []);
}

/// Of concurrent claims one receives the delivery, until the lease ends.
pub async fn a_delivery_is_claimed_once(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;

    let claimed = stores.concurrently(8, |stores, _| async move { claim(&stores, noon()).await.len() }).await;

    assert_eq!(claimed.iter().sum::<usize>(), 2);
    assert_eq!(next_due(stores).await, Some(lease(noon())));
    assert_eq!(claim(stores, lease(noon()) - TimeDelta::milliseconds(1)).await, []);
    assert_eq!(claim(stores, lease(noon())).await.len(), 2);
}

/// The deliveries of an endpoint in flight are limited; other endpoints do not wait for them.
pub async fn no_endpoint_has_more_in_flight_than_it_may(stores: &Stores) {
    register(stores, 1, &["payment.created"]).await;
    for n in 1..=9 {
        stores.commit(Commit { at: noon() - TimeDelta::hours(1), ..sample::creation(&sample::sale(n)) }).await;
    }
    register(stores, 2, &["fiscal_document.requested"]).await;
    stores.commit(sample::creation(&sample::sale(10))).await;
    let narrow = WebhookClaim { healthy: ClaimLimits { all: 100, each: 3 }, ..wide(noon()) };

    let first = stores.webhooks.claim(&narrow).await.expect("the store answers");
    let second = stores.webhooks.claim(&narrow).await.expect("the store answers");
    finish(stores, &first[..1], delivered()).await;
    let third = stores.webhooks.claim(&narrow).await.expect("the store answers");
    let one = WebhookClaim { healthy: ClaimLimits { all: 1, each: 9 }, ..wide(noon()) };
    let fourth = stores.webhooks.claim(&one).await.expect("the store answers");

    let of = |claimed: &[DueDelivery], n| claimed.iter().filter(|it| it.endpoint == sample::endpoint(n).id).count();
    assert_eq!((of(&first, 1), of(&first, 2)), (3, 1));
    assert_eq!(second, []);
    assert_eq!(third.len(), 1);
    assert_eq!(fourth.len(), 1);
}

/// Failing endpoints do not use the capacity of the others.
pub async fn endpoints_that_fail_have_room_of_their_own(stores: &Stores) {
    for n in 1..=3 {
        register(stores, n, &["*"]).await;
    }
    for n in 1..=2 {
        note(stores, n, Some(noon())).await;
    }
    stores.commit(sample::creation(&sample::sale(1))).await;
    let room = WebhookClaim {
        failing: ClaimLimits { all: 3, each: 2 },
        healthy: ClaimLimits { all: 1, each: 1 },
        ..wide(noon())
    };

    let claimed = stores.webhooks.claim(&room).await.expect("the store answers");

    let healthy = claimed.iter().filter(|it| it.endpoint == sample::endpoint(3).id).count();
    assert_eq!((claimed.len(), healthy), (4, 1));
}

/// An endpoint that responds at once has limits of its own, unless it fails.
pub async fn fast_endpoints_have_room_of_their_own(stores: &Stores) {
    for n in 1..=3 {
        register(stores, n, &["*"]).await;
    }
    note(stores, 3, Some(noon())).await;
    stores.commit(Commit { events: vec![event(); 4], ..sample::creation(&sample::sale(1)) }).await;
    let room = WebhookClaim {
        failing: ClaimLimits { all: 1, each: 1 },
        healthy: ClaimLimits { all: 2, each: 2 },
        fast: ClaimLimits { all: 3, each: 9 },
        fast_endpoints: [2, 3].map(|n| sample::endpoint(n).id).to_vec(),
        ..wide(noon())
    };

    let claimed = stores.webhooks.claim(&room).await.expect("the store answers");

    let many = |n| claimed.iter().filter(|due| due.endpoint == sample::endpoint(n).id).count();
    assert_eq!([1, 2, 3].map(many), [2, 3, 1]);
}

/// Results and health are stored together. A failure is a new one only after a success.
pub async fn results_change_the_health_of_endpoints(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    let later = noon() + TimeDelta::days(1);
    let accepted = EndpointHealth { failing_since: None, has_accepted: true, ..failing(1, noon()) };
    let relapsed = EndpointHealth { has_accepted: true, ..failing(1, later) };
    let mut seen = Vec::new();

    for health in [failing(1, noon()), failing(1, later), relapsed, accepted, failing(1, later)] {
        stores.webhooks.finish(&tenant(), Vec::new(), vec![health]).await.expect("the store answers");
        let recipients = stores.webhooks.recipients(&tenant()).await.expect("the store answers");
        seen.push(recipients[0].failing_since);
    }

    assert_eq!(seen, [Some(noon()), Some(noon()), Some(later), None, Some(later)]);
}

fn failing(n: u32, since: DateTime<Utc>) -> EndpointHealth {
    EndpointHealth { endpoint: sample::endpoint(n).id, failing_since: Some(since), has_accepted: false }
}

/// A failed delivery is due again at the retry time; a finished one never is.
pub async fn an_attempt_sets_the_next_due_time(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    stores.commit(Commit { events: vec![event(), event(), event()], ..sample::creation(&sample::sale(1)) }).await;
    let claimed = claim(stores, noon()).await;
    let later = noon() + TimeDelta::minutes(5);

    finish(stores, &claimed[..1], WebhookDeliveryStatus::Pending(later)).await;
    finish(stores, &claimed[1..2], delivered()).await;
    finish(stores, &claimed[2..], WebhookDeliveryStatus::Failed(noon())).await;

    assert_eq!(next_due(stores).await, Some(later));
    assert_eq!(claim(stores, later - TimeDelta::milliseconds(1)).await, []);
    let again = claim(stores, later + TimeDelta::hours(9)).await;
    let again: Vec<_> = again.into_iter().map(|it| (it.event, it.attempts)).collect();
    assert_eq!(again, [(event_id(1, 1), 1)]);
}

/// A worker with an expired lease cannot finish the delivery.
pub async fn an_expired_lease_finishes_no_delivery(stores: &Stores) {
    register(stores, 1, &["payment.created"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let slow = claim(stores, noon()).await;
    let fast = claim(stores, lease(noon())).await;

    finish(stores, &slow, WebhookDeliveryStatus::Failed(noon())).await;
    let still = next_due(stores).await;
    finish(stores, &fast, delivered()).await;

    assert_eq!(still, Some(lease(lease(noon()))));
    assert_eq!(next_due(stores).await, None);
}

/// A disabled endpoint receives neither waiting nor new events; other endpoints do.
pub async fn a_disabled_endpoint_receives_no_events(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    register(stores, 2, &["webhook_endpoint.disabled"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let mail = disabled_email(DisabledReason::Gone);
    let (notice, off) = (disabling(&mail), mail.endpoint.clone());

    done(disable(stores, &mail).await, "it is on");
    stale(disable(stores, &mail).await);
    stores.commit(sample::creation(&sample::sale(2))).await;

    let claimed: Vec<_> = claim(stores, noon()).await.into_iter().map(|it| (it.endpoint, it.event)).collect();
    assert_eq!(claimed, [(sample::endpoint(2).id, notice.id.clone())]);
    let recipients = stores.webhooks.recipients(&tenant()).await.expect("the store answers");
    assert_eq!(recipients.into_iter().map(|it| it.endpoint.id).collect::<Vec<_>>(), [sample::endpoint(2).id]);
    let endpoints = stores.setup.endpoints(&tenant()).await.expect("the store answers");
    assert!(endpoints.contains(&off));
    hears(stores, &notice).await;

    let on = Box::new(WebhookEndpoint { disabled: None, version: 2, ..off });
    let change = SetupChange::EndpointChanged { to: on, based_on: 1, secret: None };
    done(stores.setup.commit(sample::setup(910, change)).await, "it is the version that was read");
    let claimed = claim(stores, noon() + TimeDelta::hours(9)).await;
    let of_first = claimed.into_iter().filter(|it| it.endpoint == sample::endpoint(1).id);
    let events: Vec<_> = of_first.map(|it| it.event).collect();
    assert!(!events.is_empty() && !events.contains(&notice.id), "the event is not about itself: {events:?}");
}

/// An event without payment is found by identifier and listed in order, but not under accounts.
async fn hears(stores: &Stores, notice: &EventRecord) {
    let found = stores.events.find(&tenant(), &notice.id).await.expect("the store answers");
    assert_eq!(found.as_ref(), Some(notice));
    let all = stores.events.find_all(&tenant(), &[event_id(1, 1), notice.id.clone()]).await.expect("the store answers");
    assert_eq!(all.len(), 2);
    let page = |limit| Page { after: None, limit };
    let listed = stores.events.search(&tenant(), &EventFilter::default(), &page(3)).await.expect("the store answers");
    let ids: Vec<_> = listed.into_iter().map(|it| it.id).collect();
    assert_eq!(ids, [notice.id.clone(), event_id(2, 2), event_id(2, 1)]);
    let of_account = EventFilter { accounts: vec![sample::account_id(1)], ..EventFilter::default() };
    let listed = stores.events.search(&tenant(), &of_account, &page(9)).await.expect("the store answers");
    assert_eq!(listed.len(), 4);
}

/// The start of an endpoint's failures is stored until the next success.
pub async fn health_is_noted_as_it_changes(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    let later = noon() + TimeDelta::days(1);
    let mut seen = Vec::new();

    for since in [None, Some(noon()), Some(later), None, Some(later)] {
        note(stores, 1, since).await;
        let recipients = stores.webhooks.recipients(&tenant()).await.expect("the store answers");
        let [Recipient { endpoint, sealed_secret, previous: None, failing_since }] = recipients.as_slice() else {
            panic!("one is registered: {recipients:?}");
        };
        assert_eq!((endpoint, sealed_secret.as_slice()), (&sample::endpoint(1), b"a sealed secret".as_slice()));
        seen.push(*failing_since);
    }

    assert_eq!(seen, [None, Some(noon()), Some(noon()), None, Some(later)]);
}

/// An event without a successful delivery counts as waiting since its commit, attempted or not.
pub async fn undelivered_events_count_since_their_commit(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    let earlier = noon() - TimeDelta::days(1);
    stores.commit(Commit { at: earlier, ..sample::creation(&sample::sale(1)) }).await;
    stores.commit(sample::creation(&sample::sale(2))).await;
    let all = undelivered(stores).await;
    let claimed = claim(stores, noon()).await;
    let later = WebhookDeliveryStatus::Pending(noon() + TimeDelta::hours(1));
    finish(stores, &claimed, later).await;
    let tried = undelivered(stores).await;
    done(disable(stores, &disabled_email(DisabledReason::Failing)).await, "it is on");

    assert_eq!(all, Queue { length: 4, since: Some(earlier) });
    assert_eq!(tried, all);
    assert_eq!(undelivered(stores).await, Queue::default());
}

/// Where a single process uses a store, the leases of an earlier process end.
pub async fn leases_of_dead_dispatchers_end(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    assert_eq!(claim(stores, noon()).await.len(), 2);

    stores.work.end_leases().await.expect("the store answers");

    assert_eq!(next_due(stores).await, Some(noon()));
    assert_eq!(claim(stores, noon()).await.len(), 2);
}

/// Another merchant, or another mode, has no deliveries.
pub async fn another_tenant_has_no_deliveries(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let claimed = claim(stores, noon()).await;

    for stranger in Stores::strangers() {
        stores
            .webhooks
            .finish(&stranger, attempted(&claimed, delivered()), vec![failing(1, noon())])
            .await
            .expect("the store answers");
        assert_eq!(stores.webhooks.recipients(&stranger).await.expect("the store answers"), []);
        let events = stores.events.find_all(&stranger, &[event_id(1, 1)]).await;
        assert_eq!(events.expect("the store answers"), []);
        let failing = stores.webhooks.record_health(&stranger, &[sample::endpoint(1).id], Some(noon())).await;
        failing.expect("the store answers");
    }

    assert_eq!(undelivered(stores).await.length, 2);
    assert_eq!(stores.webhooks.recipients(&tenant()).await.expect("the store answers")[0].failing_since, None);
}

async fn note(stores: &Stores, n: u32, since: Option<DateTime<Utc>>) {
    let noted = stores.webhooks.record_health(&tenant(), &[sample::endpoint(n).id], since).await;
    noted.expect("the store answers");
}

async fn next_due(stores: &Stores) -> Option<DateTime<Utc>> {
    stores.webhooks.next_due().await.expect("the store answers")
}

async fn undelivered(stores: &Stores) -> Queue {
    stores.backlog.waiting(noon()).await.expect("the store answers").undelivered
}

fn event() -> Event {
    Event::new(EventKind::PaymentVerificationEscalated)
}

/// The mail about the first endpoint, disabled for this reason.
fn disabled_email(reason: DisabledReason) -> EndpointDisabledEmail {
    let off = WebhookEndpoint { disabled: Some(reason), version: 1, ..sample::endpoint(1) };
    sample::endpoint_disabled_email(&EventId::new(&sample::symbols(7)), &off)
}

fn delivered() -> WebhookDeliveryStatus {
    WebhookDeliveryStatus::Delivered(noon())
}
