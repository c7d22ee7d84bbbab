//! Endpoints that change or fail during the delivery of an event.

use std::{collections::BTreeSet, slice, sync::Arc};

use app::{
    Error, InFlight, Ports, Rendered, claim_webhooks, send_webhook, settle_webhooks,
    webhooks::{self, QueuedReplay, ReplayWebhooks},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    event::{EventRecord, Subject},
    webhook::{EndpointUrl, WebhookEndpoint},
};
use ports::{Clock, DueDelivery, EndpointHealth, MockEventStore, MockWebhookQueue, Recipient, Tenant, Unavailable};
use testkit::sample;

use crate::{
    crashes::world::World,
    support::Mocks,
    webhooks::{ONE, Receivers, TWO, admin, register, send, status},
};

/// One endpoint with one queued event.
struct Scene {
    world: World,
    ports: Ports,
    endpoint: WebhookEndpointId,
}

impl Scene {
    async fn new() -> Self {
        let world = World::new().await;
        let ports = world.ports(None);
        let (endpoint, _) = register(&world, &ports, ONE, &["payment.created"]).await;
        world.open_sale().await;
        Self { world, ports, endpoint }
    }

    async fn fails_since(&self, since: Option<DateTime<Utc>>) {
        self.ports.webhooks.record_health(&self.world.tenant, slice::from_ref(&self.endpoint), since).await.unwrap();
    }

    /// The time since which the endpoint fails; `None` if it is disabled.
    async fn health(&self) -> Option<Option<DateTime<Utc>>> {
        let recipients = self.ports.webhooks.recipients(&self.world.tenant).await.unwrap();
        recipients.into_iter().find(|it| it.endpoint.id == self.endpoint).map(|it| it.failing_since)
    }

    /// The endpoint responds with the status, and `meanwhile` runs before the response arrives.
    async fn send_with_response(&self, response: u16, meanwhile: impl Future<Output = ()>) {
        let receivers = Receivers::default();
        receivers.respond_with(ONE, status(response));
        let sent = send(&self.ports, &receivers).await;
        assert_eq!(sent.len(), 1);
        meanwhile.await;
        settle_webhooks(&self.ports, sent).await.unwrap();
    }
}

fn blank<T>(_: &T) -> Rendered {
    Rendered { status: 200, etag: None, body: Vec::new() }
}

#[tokio::test]
async fn a_response_of_the_old_address_does_not_disable_the_new_one() {
    let scene = Scene::new().await;
    let moves = async {
        let url = EndpointUrl::parse(TWO);
        let command = webhooks::UpdateEndpoint { url, enabled_events: None, description: None, is_enabled: None };
        let (keyed, id) = (scene.world.keyed_as("move".to_owned()), scene.endpoint.as_str());
        let admin = admin(&scene.world);
        let render = |it: &WebhookEndpoint| blank(it);
        webhooks::update_webhook_endpoint(&scene.ports, &admin, &keyed, id, command, &render).await.unwrap();
    };

    scene.send_with_response(410, moves).await;

    assert!(scene.health().await.is_some(), "no attempt at the new address has failed");
}

#[tokio::test]
async fn a_concurrent_success_keeps_an_endpoint_enabled() {
    let scene = Scene::new().await;
    let now = scene.world.clock.now();
    scene.fails_since(Some(now - TimeDelta::days(6))).await;

    scene.send_with_response(500, scene.fails_since(None)).await;

    assert_eq!(scene.health().await, Some(Some(now)), "it fails from now on");
}

#[tokio::test]
async fn a_success_ends_a_failure_that_began_meanwhile() {
    let scene = Scene::new().await;

    scene.send_with_response(204, scene.fails_since(Some(scene.world.clock.now()))).await;

    assert_eq!(scene.health().await, Some(None));
}

/// An attempt without a stored result is repeated.
#[tokio::test]
async fn a_failure_of_one_tenant_does_not_lose_the_results_of_others() {
    let tenants = [1, 2].map(|n| Tenant { merchant: sample::merchant_id(n), ..sample::tenant() });
    let mut queue = MockWebhookQueue::new();
    let (sick, well) = (tenants[0].clone(), tenants[1].clone());
    let gone = || Unavailable { what: "the store", source: "it is full".into() };
    queue.expect_finish().withf(move |it, _, _| *it == sick).once().returning(move |_, _, _| Err(gone()));
    queue.expect_finish().withf(move |it, _, _| *it == well).once().returning(|_, _, _| Ok(()));

    let settled = settle_one_of_each(queue, tenants.map(|it| (it, 1)), &Receivers::default()).await;

    assert!(settled.is_err(), "the failure must be reported");
}

/// A batch of one tenant is four statements: the claim, the endpoints, the events, and the results with the health of
/// the endpoints. The mock allows each once, and no other.
#[tokio::test]
async fn a_batch_of_one_tenant_is_four_statements() {
    let mut queue = MockWebhookQueue::new();
    let healthy = |n| EndpointHealth { endpoint: sample::endpoint(n).id, failing_since: None, has_accepted: true };
    queue
        .expect_finish()
        .withf(move |_, attempted, health| attempted.len() == 2 && *health == [1, 2].map(healthy))
        .once()
        .returning(|_, _, _| Ok(()));

    let due = [1, 2].map(|n| (sample::tenant(), n));
    settle_one_of_each(queue, due, &Receivers::default()).await.unwrap();
}

/// Sends one event to an endpoint of each tenant, and stores the results.
async fn settle_one_of_each(
    mut queue: MockWebhookQueue,
    due: [(Tenant, u32); 2],
    receivers: &Receivers,
) -> Result<(), Error> {
    let record = EventRecord {
        id: EventId::new(&sample::symbols(1)),
        kind: EventKind::WebhookEndpointTest,
        created_at: sample::noon(),
        request: None,
        subject: Subject::Endpoint(Box::new(sample::endpoint(1))),
    };
    let due = due.map(|(tenant, n)| DueDelivery {
        tenant,
        endpoint: sample::endpoint(n).id,
        event: record.id.clone(),
        occurred_at: sample::noon(),
        attempts: 0,
        lease_until: sample::noon() + TimeDelta::minutes(1),
    });
    let tenants: BTreeSet<_> = due.iter().map(|it| it.tenant.merchant.to_string()).collect();
    queue.expect_recipients().times(tenants.len()).returning(|_| Ok([1, 2].map(recipient).to_vec()));
    queue.expect_claim().return_once(move |_| Ok(due.to_vec()));
    let mut events = MockEventStore::new();
    events.expect_find_all().times(tenants.len()).returning(move |_, _| Ok(vec![record.clone()]));
    let ports = Ports { webhooks: Arc::new(queue), events: Arc::new(events), ..Mocks::default().into_ports() };
    let mut sent = Vec::new();
    for it in claim_webhooks(&ports, &|_: &EventRecord| Vec::new(), InFlight::default()).await.unwrap() {
        sent.push(send_webhook(&ports, receivers, it).await);
    }
    assert_eq!(sent.len(), 2);
    settle_webhooks(&ports, sent).await
}

fn recipient(n: u32) -> Recipient {
    let sealed_secret = b"whsec_AAAA".to_vec();
    Recipient { endpoint: sample::endpoint(n), sealed_secret, previous: None, failing_since: None }
}

/// ERRORS 2: a replay returns the first response, in every later state of the resource.
#[tokio::test]
async fn a_replay_is_answered_the_same_again_although_the_endpoint_was_removed() {
    let scene = Scene::new().await;
    let (world, ports, id) = (&scene.world, &scene.ports, scene.endpoint.as_str());
    let replay = async |key: &str| {
        let (since, kinds) = (world.clock.now() - TimeDelta::hours(1), None);
        let command = ReplayWebhooks::Period { since, until: None, kinds, is_only_failed: false };
        let render = |made: &QueuedReplay<'_>| {
            let body = format!("{} of {}", made.many, made.endpoint.id).into_bytes();
            Rendered { status: 202, etag: None, body }
        };
        let keyed = world.keyed_as(key.to_owned());
        webhooks::replay_webhooks(ports, &admin(world), &keyed, id, command, &render).await
    };
    let first = replay("first").await.unwrap();
    let render = |it: &WebhookEndpoint| blank(it);
    let keyed = world.keyed_as("remove".to_owned());
    webhooks::delete_webhook_endpoint(ports, &admin(world), &keyed, id, &render).await.unwrap();

    let again = replay("first").await.unwrap();
    let another = replay("another").await;

    assert_eq!(again.rendered.body, first.rendered.body);
    assert!(matches!(another, Err(Error::NotFound(..))), "what was removed is sent nothing more");
}
