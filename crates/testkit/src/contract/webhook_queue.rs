//! Events on their way to endpoints.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Event, EventId, EventKind,
    event::{EventRecord, Subject},
    webhook::{
        DisabledReason, EventSelection, WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus, WebhookEndpoint,
        WebhookResult,
    },
};
use ports::{
    AttemptedDelivery, ClaimLimits, Commit, Committed, DueDelivery, EventFilter, Page, Queue, Recipient, SetupChange,
    WebhookClaim,
};

use super::{Stores, done};
use crate::sample::{self, noon, payment_id, tenant};

/// An event sets out with the commit that tells it, for every endpoint that wants to hear of its kind.
pub async fn an_event_sets_out_for_whoever_wants_it(stores: &Stores) {
    stores.register_merchant().await;
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

/// A commit that is refused sends nothing.
pub async fn what_is_refused_sets_out_nowhere(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["*"]).await;
    stores.commit(Commit { events: Vec::new(), ..sample::creation(&sample::sale(1)) }).await;
    let mut stale = sample::update(&sample::sale(1), &sample::paid(1));
    if let Some(payment) = &mut stale.payment {
        payment.based_on = Some(9);
    }

    let refused = stores.sales.commit(Commit { events: vec![told()], ..stale }).await;

    assert!(matches!(refused, Ok(Committed::Stale)), "{refused:?}");
    assert_eq!(claim(stores, noon()).await, []);
}

/// Of dispatchers who claim at once, one gets it, until the lease ends.
pub async fn a_delivery_is_claimed_once(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["*"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;

    let at_once: Vec<_> = (0..8)
        .map(|_| {
            let stores = stores.clone();
            tokio::spawn(async move { claim(&stores, noon()).await.len() })
        })
        .collect();
    let mut claimed = 0;
    for claim in at_once {
        claimed += claim.await.expect("no claim panics");
    }

    assert_eq!(claimed, 2);
    assert_eq!(next_due(stores).await, Some(lease(noon())));
    assert_eq!(claim(stores, lease(noon()) - TimeDelta::milliseconds(1)).await, []);
    assert_eq!(claim(stores, lease(noon())).await.len(), 2);
}

/// However much waits for an endpoint, only so much is in flight, and the others do not wait for it.
pub async fn no_endpoint_has_more_in_flight_than_it_may(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["payment.created"]).await;
    for n in 1..=9 {
        stores.commit(Commit { at: noon() - TimeDelta::hours(1), ..sample::creation(&sample::sale(n)) }).await;
    }
    register(stores, 2, &["fiscal_document.requested"]).await;
    stores.commit(sample::creation(&sample::sale(10))).await;
    let narrow = WebhookClaim { healthy: ClaimLimits { all: 100, each: 3 }, ..wide(noon()) };

    let first = stores.webhooks.claim(&narrow).await.expect("the store answers");
    let second = stores.webhooks.claim(&narrow).await.expect("the store answers");
    finish(stores, first[..1].to_vec(), delivered()).await;
    let third = stores.webhooks.claim(&narrow).await.expect("the store answers");
    let one = WebhookClaim { healthy: ClaimLimits { all: 1, each: 9 }, ..wide(noon()) };
    let fourth = stores.webhooks.claim(&one).await.expect("the store answers");

    let of = |claimed: &[DueDelivery], n| claimed.iter().filter(|it| it.endpoint == sample::endpoint(n).id).count();
    assert_eq!((of(&first, 1), of(&first, 2)), (3, 1));
    assert_eq!(second, []);
    assert_eq!(third.len(), 1);
    assert_eq!(fourth.len(), 1);
}

/// What fails does not take the room of what does not.
pub async fn endpoints_that_fail_have_room_of_their_own(stores: &Stores) {
    stores.register_merchant().await;
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

/// What failed is due again when its delivery says so, and what was taken or given up never is.
pub async fn an_attempt_says_when_the_next_is_due(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["*"]).await;
    stores.commit(Commit { events: vec![told(), told(), told()], ..sample::creation(&sample::sale(1)) }).await;
    let mut claimed = claim(stores, noon()).await;
    claimed.sort_by_key(|it| it.event.to_string());
    let later = noon() + TimeDelta::minutes(5);

    for (due, status) in claimed.into_iter().zip([
        WebhookDeliveryStatus::Pending(later),
        WebhookDeliveryStatus::Delivered(noon()),
        WebhookDeliveryStatus::Failed(noon()),
    ]) {
        finish(stores, vec![due], WebhookDelivery { attempts: 1, status }).await;
    }

    assert_eq!(next_due(stores).await, Some(later));
    assert_eq!(claim(stores, later - TimeDelta::milliseconds(1)).await, []);
    let again = claim(stores, later + TimeDelta::hours(9)).await;
    let again: Vec<_> = again.into_iter().map(|it| (it.event, it.attempts)).collect();
    assert_eq!(again, [(event_id(1, 1), 1)]);
}

/// Who took too long, so that another has it, says nothing of it any more.
pub async fn who_was_overtaken_finishes_nothing(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["payment.created"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let slow = claim(stores, noon()).await;
    let fast = claim(stores, lease(noon())).await;

    finish(stores, slow, WebhookDelivery { attempts: 9, status: WebhookDeliveryStatus::Failed(noon()) }).await;
    let still = next_due(stores).await;
    finish(stores, fast, delivered()).await;

    assert_eq!(still, Some(lease(lease(noon()))));
    assert_eq!(next_due(stores).await, None);
}

/// An endpoint that is switched off gets nothing, neither what waits nor what is new. The others hear of it.
pub async fn what_is_switched_off_gets_nothing(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["*"]).await;
    register(stores, 2, &["webhook_endpoint.disabled"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let off = WebhookEndpoint { disabled: Some(DisabledReason::Gone), version: 1, ..sample::endpoint(1) };
    let notice = EventRecord {
        id: EventId::new(&sample::symbols(7)),
        kind: EventKind::WebhookEndpointDisabled,
        created_at: noon(),
        request: None,
        subject: Subject::Endpoint(Box::new(off.clone())),
    };

    done(stores.webhooks.disable(&sample::endpoint_disabled_email(&notice.id, &off), 0, &notice).await, "it is on");
    let again = stores.webhooks.disable(&sample::endpoint_disabled_email(&notice.id, &off), 0, &notice).await;
    stores.commit(sample::creation(&sample::sale(2))).await;

    assert!(matches!(again, Ok(Committed::Stale)), "{again:?}");
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
    assert!(!events.is_empty() && !events.contains(&notice.id), "of itself it is not told: {events:?}");
}

/// An event of no payment is found by its name and listed in its place; whoever looks for accounts does not see it.
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

/// Since when an endpoint has failed is noted once, until it takes something again.
pub async fn health_is_noted_as_it_changes(stores: &Stores) {
    stores.register_merchant().await;
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

/// What no endpoint has taken yet waits since it was told, tried or not.
pub async fn undelivered_events_are_counted_since_they_were_told(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["*"]).await;
    let earlier = noon() - TimeDelta::days(1);
    stores.commit(Commit { at: earlier, ..sample::creation(&sample::sale(1)) }).await;
    stores.commit(sample::creation(&sample::sale(2))).await;
    let all = undelivered(stores).await;
    let claimed = claim(stores, noon()).await;
    let later = WebhookDeliveryStatus::Pending(noon() + TimeDelta::hours(1));
    finish(stores, claimed.clone(), WebhookDelivery { attempts: 1, status: later }).await;
    let tried = undelivered(stores).await;
    let off = WebhookEndpoint { disabled: Some(DisabledReason::Failing), version: 1, ..sample::endpoint(1) };
    let notice = EventRecord {
        id: EventId::new(&sample::symbols(7)),
        kind: EventKind::WebhookEndpointDisabled,
        created_at: noon(),
        request: None,
        subject: Subject::Endpoint(Box::new(off.clone())),
    };
    done(stores.webhooks.disable(&sample::endpoint_disabled_email(&notice.id, &off), 0, &notice).await, "it is on");

    assert_eq!(all, Queue { length: 4, since: Some(earlier) });
    assert_eq!(tried, all);
    assert_eq!(undelivered(stores).await, Queue::default());
}

/// Where a single process uses a store, whoever held something before is dead.
pub async fn leases_of_dead_dispatchers_end(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["*"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    assert_eq!(claim(stores, noon()).await.len(), 2);

    stores.work.end_leases().await.expect("the store answers");

    assert_eq!(next_due(stores).await, Some(noon()));
    assert_eq!(claim(stores, noon()).await.len(), 2);
}

/// Neither another merchant nor the same one in another mode has anywhere to send to.
pub async fn another_tenant_sends_nothing(stores: &Stores) {
    stores.register_merchant().await;
    register(stores, 1, &["*"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let claimed = claim(stores, noon()).await;

    for stranger in Stores::strangers() {
        let attempted = claimed.iter().map(|due| attempted(due, delivered())).collect();
        stores.webhooks.finish(&stranger, attempted).await.expect("the store answers");
        assert_eq!(stores.webhooks.recipients(&stranger).await.expect("the store answers"), []);
        let events = stores.events.find_all(&stranger, &[event_id(1, 1)]).await;
        assert_eq!(events.expect("the store answers"), []);
        let failing = stores.webhooks.note_health(&stranger, &[sample::endpoint(1).id], Some(noon())).await;
        failing.expect("the store answers");
    }

    assert_eq!(undelivered(stores).await.length, 2);
    assert_eq!(stores.webhooks.recipients(&tenant()).await.expect("the store answers")[0].failing_since, None);
}

async fn register(stores: &Stores, n: u32, patterns: &[&str]) {
    let patterns: Vec<String> = patterns.iter().map(|&it| it.to_owned()).collect();
    let enabled_events = EventSelection::parse(&patterns).expect("known patterns");
    let endpoint = Box::new(WebhookEndpoint { enabled_events, ..sample::endpoint(n) });
    let change = SetupChange::Endpoint { endpoint, sealed_secret: b"a sealed secret".to_vec(), limit: 16 };
    done(stores.setup.commit(sample::setup(900 + n, change)).await, "there is room");
}

async fn claim(stores: &Stores, now: DateTime<Utc>) -> Vec<DueDelivery> {
    stores.webhooks.claim(&wide(now)).await.expect("the store answers")
}

fn wide(now: DateTime<Utc>) -> WebhookClaim {
    let room = ClaimLimits { all: 100, each: 100 };
    WebhookClaim { now, lease_until: lease(now), healthy: room, failing: room }
}

fn lease(now: DateTime<Utc>) -> DateTime<Utc> {
    now + TimeDelta::minutes(1)
}

async fn finish(stores: &Stores, claimed: Vec<DueDelivery>, to: WebhookDelivery) {
    let attempted = claimed.iter().map(|due| attempted(due, to.clone())).collect();
    stores.webhooks.finish(&tenant(), attempted).await.expect("the store answers");
}

fn attempted(due: &DueDelivery, to: WebhookDelivery) -> AttemptedDelivery {
    let attempt = WebhookAttempt { at: noon(), result: WebhookResult::Status(500), took: TimeDelta::milliseconds(12) };
    AttemptedDelivery { due: due.clone(), to, attempt }
}

fn delivered() -> WebhookDelivery {
    WebhookDelivery { attempts: 1, status: WebhookDeliveryStatus::Delivered(noon()) }
}

async fn note(stores: &Stores, n: u32, since: Option<DateTime<Utc>>) {
    let noted = stores.webhooks.note_health(&tenant(), &[sample::endpoint(n).id], since).await;
    noted.expect("the store answers");
}

async fn next_due(stores: &Stores) -> Option<DateTime<Utc>> {
    stores.webhooks.next_due().await.expect("the store answers")
}

async fn undelivered(stores: &Stores) -> Queue {
    stores.backlog.waiting(noon()).await.expect("the store answers").undelivered
}

fn told() -> Event {
    Event::new(EventKind::PaymentVerificationEscalated)
}

fn event_id(n: u32, sequence: u32) -> EventId {
    EventId::of(&payment_id(n), sequence).expect("few enough events")
}
