//! Changes of webhook endpoints, and their deliveries.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind,
    event::{EventRecord, Subject},
    webhook::{DisabledReason, WebhookDeliveryStatus, WebhookEndpoint},
};
use ports::{
    Commit, Committed, LoggedDelivery, NewSecret, Page, Position, Replay, ReplayedRange, SetupChange, StoredEndpoint,
    Unavailable,
};

use super::{
    Stores, done, stale,
    webhooks::{attempt, claim, disable, event_id, finish, register, registration, selection},
};
use crate::sample::{self, noon, tenant};

/// Of two changes based on the same version one is stored; earlier failures of the endpoint no longer count.
pub async fn an_endpoint_changes_in_its_turn(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    stores.webhooks.record_health(&tenant(), &[sample::endpoint(1).id], Some(noon())).await.expect("the store answers");
    let off = WebhookEndpoint { disabled: Some(DisabledReason::ByMerchant), version: 1, ..sample::endpoint(1) };
    let on = WebhookEndpoint { enabled_events: selection(&["payment.*"]), version: 2, ..sample::endpoint(1) };

    done(change(stores, 1, &off, 0, None).await, "it is the version that was read");
    stale(change(stores, 2, &on, 0, None).await);
    let between = known(stores, 1).await;
    done(change(stores, 3, &on, 1, None).await, "it is the version that was read");

    assert_eq!(between, Some(StoredEndpoint { endpoint: off, is_removed: false }));
    assert_eq!(known(stores, 1).await, Some(StoredEndpoint { endpoint: on, is_removed: false }));
    let recipients = stores.webhooks.recipients(&tenant()).await.expect("the store answers");
    assert_eq!(recipients[0].failing_since, None);
    assert_eq!(known(stores, 2).await, None);
    for stranger in Stores::strangers() {
        let found = stores.setup.endpoint(&stranger, &sample::endpoint(1).id).await;
        assert_eq!(found.expect("the store answers"), None);
    }
}

/// During an overlap both secrets are stored, and a secret replaced at once is gone.
pub async fn a_secret_is_replaced_with_or_without_an_overlap(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    let version = |version| WebhookEndpoint { version, ..sample::endpoint(1) };
    let until = noon() + TimeDelta::days(1);
    let mut seen = Vec::new();
    for (n, previous_until) in [(1, Some(until)), (2, Some(until)), (3, None)] {
        let secret = NewSecret { sealed: vec![n], previous_until };
        done(change(stores, n.into(), &version(n.into()), u32::from(n) - 1, Some(secret)).await, "in its turn");
        let recipients = stores.webhooks.recipients(&tenant()).await.expect("the store answers");
        seen.push((recipients[0].sealed_secret.clone(), recipients[0].previous.clone()));
    }

    let expected =
        [(vec![1], Some((b"a sealed secret".to_vec(), until))), (vec![2], Some((vec![1], until))), (vec![3], None)];
    assert_eq!(seen, expected);
}

/// Only a secret that no longer signs is deleted.
pub async fn a_secret_is_stored_as_long_as_it_signs(stores: &Stores) {
    let until = |n: u32| noon() + TimeDelta::hours(n.into());
    for n in 1..=2 {
        register(stores, n, &["*"]).await;
        let secret = NewSecret { sealed: vec![7], previous_until: Some(until(n)) };
        let to = WebhookEndpoint { version: 1, ..sample::endpoint(n) };
        done(change(stores, n, &to, 0, Some(secret)).await, "in its turn");
    }

    let forgotten = stores.webhooks.delete_expired_secrets(until(1)).await.expect("the store answers");

    let mut recipients = stores.webhooks.recipients(&tenant()).await.expect("the store answers");
    recipients.sort_by_key(|it| it.endpoint.id.to_string());
    let left: Vec<_> = recipients.into_iter().map(|it| (it.sealed_secret, it.previous)).collect();
    assert_eq!(forgotten, 1);
    assert_eq!(left, [(vec![7], None), (vec![7], Some((b"a sealed secret".to_vec(), until(2))))]);
}

/// A removed endpoint is still found by name, receives no events, and frees a place.
pub async fn a_removed_endpoint_receives_no_events_and_frees_its_place(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    stores.commit(sample::creation(&sample::sale(1))).await;
    let last = WebhookEndpoint { version: 1, ..sample::endpoint(1) };

    let remove = || SetupChange::EndpointRemoved { to: Box::new(last.clone()), based_on: 0 };
    done(stores.setup.commit(sample::setup(1, remove())).await, "it is there");
    stale(stores.setup.commit(sample::setup(2, remove())).await);
    stale(change(stores, 3, &WebhookEndpoint { version: 2, ..last.clone() }, 1, None).await);
    stores.commit(sample::creation(&sample::sale(2))).await;

    assert_eq!(known(stores, 1).await, Some(StoredEndpoint { endpoint: last, is_removed: true }));
    assert_eq!(claim(stores, noon()).await, []);
    assert_eq!(stores.setup.endpoints(&tenant()).await.expect("the store answers"), []);
    done(stores.setup.commit(sample::setup(4, registration(sample::endpoint(2), 1))).await, "there is room again");
}

/// A test event is sent to its endpoint only, regardless of the subscription.
pub async fn a_test_goes_to_one_endpoint(stores: &Stores) {
    register(stores, 1, &["payment.succeeded"]).await;
    register(stores, 2, &["*"]).await;
    let endpoint = sample::endpoint(1);
    let event = EventRecord { request: Some(sample::request_id(1)), ..test_event(1) };
    let change = SetupChange::EndpointTest { endpoint: Box::new(endpoint.clone()), event: Box::new(event.clone()) };

    done(stores.setup.commit(sample::setup(1, change)).await, "there is no conflict");

    let claimed: Vec<_> = claim(stores, noon()).await.into_iter().map(|it| (it.endpoint, it.event)).collect();
    assert_eq!(claimed, [(endpoint.id, event.id.clone())]);
    assert_eq!(stores.events.find(&tenant(), &event.id).await.expect("the store answers"), Some(event));
}

/// A replayed delivery restarts after success, after the last retry, or without an earlier attempt; a pending attempt
/// cannot finish the delivery.
pub async fn a_replayed_delivery_restarts(stores: &Stores) {
    stores.commit(sample::creation(&sample::sale(1))).await;
    register(stores, 1, &["*"]).await;
    stores.commit(Commit { at: noon() + TimeDelta::minutes(1), ..sample::creation(&sample::sale(2)) }).await;
    let later = noon() + TimeDelta::hours(1);
    let claimed = claim(stores, later).await;
    finish(stores, &claimed[..1], WebhookDeliveryStatus::Failed(later)).await;
    finish(stores, &claimed[1..2], WebhookDeliveryStatus::Delivered(later)).await;
    let failed = claimed[0].event.clone();

    let only_failed = replayed(stores, 1, range(true, &[]), later).await;
    let is_again = claim(stores, later + TimeDelta::seconds(1)).await;
    finish(stores, &claimed[..1], WebhookDeliveryStatus::Delivered(later)).await;
    let all = replayed(stores, 2, range(false, &[]), later).await;
    let everything = claim(stores, later + TimeDelta::seconds(2)).await;
    let of_one_kind = replayed(stores, 3, range(false, &[EventKind::PaymentCreated]), later).await;
    let one =
        Replay::Event { id: failed.clone(), kind: EventKind::PaymentCreated, occurred_at: claimed[0].occurred_at };
    replay(stores, 4, one, later).await;

    assert_eq!((only_failed, all, of_one_kind), (1, 4, 2));
    assert_eq!(is_again.into_iter().map(|it| (it.event, it.attempts)).collect::<Vec<_>>(), [(failed, 0)]);
    let names: Vec<_> = everything.into_iter().map(|it| it.event).collect();
    assert_eq!(names, [(1, 1), (1, 2), (2, 1), (2, 2)].map(|(n, sequence)| event_id(n, sequence)));
}

/// A replayed period includes events without payment. Test events are sent to their own endpoint only.
pub async fn a_replay_of_a_period_includes_events_without_payment(stores: &Stores) {
    for n in 1..=3 {
        register(stores, n, &["payment.succeeded"]).await;
    }
    for n in 1..=2 {
        let endpoint = Box::new(sample::endpoint(n));
        let event = Box::new(test_event(n));
        done(stores.setup.commit(sample::setup(n, SetupChange::EndpointTest { endpoint, event })).await, "a new event");
    }
    let off = WebhookEndpoint { disabled: Some(DisabledReason::Gone), version: 1, ..sample::endpoint(3) };
    let disabled = EventId::new(&sample::symbols(73));
    done(disable(stores, &sample::endpoint_disabled_email(&disabled, &off)).await, "it is on");
    finish(stores, &claim(stores, noon()).await, WebhookDeliveryStatus::Delivered(noon())).await;

    let only_failed = replayed(stores, 11, range(true, &[]), noon()).await;
    let all = replayed(stores, 12, range(false, &[]), noon()).await;
    let claimed = claim(stores, noon()).await;

    assert_eq!((only_failed, all), (0, 2));
    let names: Vec<_> = claimed.into_iter().map(|it| (it.endpoint, it.event)).collect();
    assert_eq!(names, [test_event(1).id, disabled].map(|event| (sample::endpoint(1).id, event)));
}

/// The test event of the `n`th endpoint.
fn test_event(n: u32) -> EventRecord {
    EventRecord {
        id: EventId::new(&sample::symbols(70 + n)),
        kind: EventKind::WebhookEndpointTest,
        created_at: noon(),
        request: None,
        subject: Subject::Endpoint(Box::new(sample::endpoint(n))),
    }
}

/// Deliveries are paged, newest event first, with the result of the last attempt.
pub async fn deliveries_are_listed_with_their_last_attempt(stores: &Stores) {
    register(stores, 1, &["*"]).await;
    for n in 1..=2 {
        let at = noon() + TimeDelta::minutes(n.into());
        stores.commit(Commit { at, ..sample::creation(&sample::sale(n)) }).await;
    }
    let later = noon() + TimeDelta::hours(1);
    let claimed = claim(stores, later).await;
    assert_eq!(claimed[2].event, event_id(2, 1));
    finish(stores, &claimed[2..3], WebhookDeliveryStatus::Delivered(later)).await;

    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = Page { after: after.take(), limit: 3 };
        let part = logged(stores, None, &page).await;
        let Some(last) = part.last() else { break };
        after = Some(Position { created_at: last.occurred_at, id: last.event.as_str().to_owned() });
        seen.extend(part);
    }
    let whole = Page { after: None, limit: 9 };
    let delivered = logged(stores, Some("delivered"), &whole).await;
    let pending = logged(stores, Some("pending"), &whole).await;

    let names: Vec<_> = seen.iter().map(|it| it.event.clone()).collect();
    assert_eq!(names, [(2, 2), (2, 1), (1, 2), (1, 1)].map(|(n, sequence)| event_id(n, sequence)));
    let [first] = delivered.as_slice() else { panic!("one was taken: {delivered:?}") };
    assert_eq!((first.kind, first.delivery.attempts), (EventKind::PaymentCreated, 1));
    assert_eq!(first.delivery.status, WebhookDeliveryStatus::Delivered(later));
    assert_eq!(first.last, Some(attempt()));
    assert_eq!((pending.len(), pending[0].last), (3, None));
    for stranger in Stores::strangers() {
        let theirs = stores.webhook_log.deliveries(&stranger, &sample::endpoint(1).id, None, &whole).await;
        assert_eq!(theirs.expect("the store answers"), []);
    }
}

async fn change(
    stores: &Stores,
    n: u32,
    to: &WebhookEndpoint,
    based_on: u32,
    secret: Option<NewSecret>,
) -> Result<Committed, Unavailable> {
    let change = SetupChange::EndpointChanged { to: Box::new(to.clone()), based_on, secret };
    stores.setup.commit(sample::setup(n, change)).await
}

async fn known(stores: &Stores, n: u32) -> Option<StoredEndpoint> {
    stores.setup.endpoint(&tenant(), &sample::endpoint(n).id).await.expect("the store answers")
}

fn range(is_only_failed: bool, kinds: &[EventKind]) -> ReplayedRange {
    let kinds = if kinds.is_empty() { &EventKind::ALL } else { kinds }.to_vec();
    ReplayedRange { since: noon(), until: noon() + TimeDelta::minutes(2), kinds, is_only_failed }
}

/// Replays the range, and returns the number of its events.
async fn replayed(stores: &Stores, n: u32, range: ReplayedRange, at: DateTime<Utc>) -> usize {
    let replayable = stores.webhook_log.replayable(&tenant(), &sample::endpoint(1).id, &range, 100).await;
    replay(stores, n, Replay::Range(range), at).await;
    replayable.expect("the store answers").len()
}

async fn replay(stores: &Stores, n: u32, replay: Replay, at: DateTime<Utc>) {
    let change = SetupChange::Replay { endpoint: Box::new(sample::endpoint(1)), replay };
    let commit = ports::SetupCommit { at, ..sample::setup(n, change) };
    done(stores.setup.commit(commit).await, "there is no conflict");
}

async fn logged(stores: &Stores, status: Option<&'static str>, page: &Page) -> Vec<LoggedDelivery> {
    let logged = stores.webhook_log.deliveries(&tenant(), &sample::endpoint(1).id, status, page).await;
    logged.expect("the store answers")
}
