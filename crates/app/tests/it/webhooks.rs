//! Webhook delivery on a real store, with scripted endpoints.

use std::{collections::BTreeMap, sync::Mutex};

use app::{
    Caller, EventRecord, IdempotentRequest, InFlight, KeyLeaseHandle, Ports, Rendered, SentWebhook, claim_webhooks,
    send_webhook, settle_webhooks, webhooks,
};
use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventKind, WebhookEndpointId,
    credential::{MerchantKey, Role},
    webhook::{DisabledReason, EndpointUrl, EventSelection, WebhookDelivery},
};
use ports::{Clock, SecretKind, SecretOf, WebhookMessage, WebhookOutcome, WebhookSender};
use testkit::sample;

use crate::{
    crashes::{command, world::World},
    support::render,
};

/// Endpoints with scripted responses by address, which record each event.
#[derive(Default)]
pub(crate) struct Receivers {
    responses: Mutex<BTreeMap<&'static str, WebhookOutcome>>,
    received: Mutex<Vec<WebhookMessage>>,
}

#[async_trait]
impl WebhookSender for Receivers {
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome {
        let response = self.responses.lock().unwrap().get(message.url.as_str()).copied();
        self.received.lock().unwrap().push(message);
        response.unwrap_or_else(|| status(200))
    }
}

impl Receivers {
    pub(crate) fn respond_with(&self, url: &'static str, response: WebhookOutcome) {
        self.responses.lock().unwrap().insert(url, response);
    }

    fn take(&self) -> Vec<WebhookMessage> {
        std::mem::take(&mut self.received.lock().unwrap())
    }

    /// Returns the events that the address received since the last call.
    fn events_at(&self, url: &str) -> Vec<String> {
        let received = self.take().into_iter().filter(|it| it.url.as_str() == url);
        let mut names: Vec<String> = received.map(|it| it.event.to_string()).collect();
        names.sort_unstable();
        names
    }
}

pub(crate) const ONE: &str = "https://one.example/hook";
pub(crate) const TWO: &str = "https://two.example/hook";

pub(crate) fn status(status: u16) -> WebhookOutcome {
    WebhookOutcome::Answered { status, retry_after: None }
}

/// A merchant without endpoints.
pub(crate) async fn opened() -> (World, Ports, Receivers) {
    let world = World::new().await;
    let ports = world.ports(None);
    (world, ports, Receivers::default())
}

fn spell(event: &EventRecord) -> Vec<u8> {
    format!("{} {}", event.kind, event.id).into_bytes()
}

pub(crate) async fn send(ports: &Ports, sender: &Receivers) -> Vec<SentWebhook> {
    let mut sent = Vec::new();
    for it in claim_webhooks(ports, &spell, InFlight::default()).await.unwrap() {
        sent.push(send_webhook(ports, sender, it).await);
    }
    sent
}

/// Sends due events until none is left. Returns their number.
pub(crate) async fn deliver(ports: &Ports, sender: &Receivers) -> usize {
    let mut count = 0;
    loop {
        let sent = send(ports, sender).await;
        if sent.is_empty() {
            return count;
        }
        count += sent.len();
        settle_webhooks(ports, sent).await.unwrap();
    }
}

/// Lets time pass, attempt by attempt.
pub(crate) async fn pass(world: &World, ports: &Ports, sender: &Receivers, time: TimeDelta) {
    let end = world.clock.now() + time;
    loop {
        deliver(ports, sender).await;
        match ports.webhooks.next_due().await.unwrap() {
            Some(due) if due <= end => world.clock.set(due.max(world.clock.now())),
            _ => break,
        }
    }
    world.clock.set(end.max(world.clock.now()));
    deliver(ports, sender).await;
}

pub(crate) fn admin(world: &World) -> Caller {
    let key = MerchantKey { merchant: world.tenant.merchant.clone(), role: Role::Admin, ..sample::merchant_key(1) };
    Caller::Merchant { key, is_live_enabled: false }
}

/// Registers an endpoint at `url`, and returns its identifier and its secret.
pub(crate) async fn register(
    world: &World,
    ports: &Ports,
    url: &str,
    patterns: &[&str],
) -> (WebhookEndpointId, String) {
    let patterns: Vec<String> = patterns.iter().map(|&it| it.to_owned()).collect();
    let command = webhooks::CreateEndpoint {
        url: EndpointUrl::parse(url).unwrap(),
        enabled_events: EventSelection::parse(&patterns).unwrap(),
        description: None,
    };
    let render = |made: &webhooks::CreatedEndpoint<'_>| Rendered {
        status: 201,
        etag: None,
        body: format!("{} {}", made.endpoint.id, made.signing_secret).into_bytes(),
    };
    let keyed = IdempotentRequest {
        fingerprint_input: url.as_bytes().to_vec(),
        lease: KeyLeaseHandle::default(),
        ..world.keyed_as(url.to_owned())
    };
    let response = webhooks::create_webhook_endpoint(ports, &admin(world), &keyed, command, &render).await.unwrap();
    let text = String::from_utf8(response.rendered.body).unwrap();
    let (id, secret) = text.split_once(' ').unwrap();
    (WebhookEndpointId::parse(id).unwrap(), secret.to_owned())
}

async fn reason(world: &World, ports: &Ports, id: &WebhookEndpointId) -> Option<DisabledReason> {
    let endpoints = ports.setup.endpoints(&world.tenant).await.unwrap();
    endpoints.into_iter().find(|it| it.id == *id).unwrap().disabled
}

#[tokio::test]
async fn an_event_is_sent_once_to_each_endpoint_that_selects_it() {
    let (world, ports, receivers) = opened().await;
    let (_, secret) = register(&world, &ports, ONE, &["*"]).await;
    register(&world, &ports, TWO, &["fiscal_document.*"]).await;
    world.open_sale().await;

    let count = deliver(&ports, &receivers).await;
    let received = receivers.take();

    assert_eq!((count, received.len()), (3, 3));
    let mut bodies: Vec<String> =
        received.iter().map(|it| format!("{} {}", it.url.as_str(), String::from_utf8_lossy(&it.body))).collect();
    bodies.sort_unstable();
    let of = |url: &str, kind| received.iter().find(|it| it.url.as_str() == url && it.body.starts_with(kind)).unwrap();
    let (created, requested) = (of(ONE, b"payment.created".as_slice()), of(TWO, b"fiscal_document.requested"));
    assert_eq!(bodies[0], format!("{ONE} fiscal_document.requested {}", requested.event));
    assert_eq!(bodies[1], format!("{ONE} payment.created {}", created.event));
    assert_eq!(secret, format!("whsec_{}", STANDARD.encode(&*created.secrets[0])));
    assert_eq!((created.secrets.len(), created.at), (1, world.clock.now()));
    assert_eq!(ports.webhooks.next_due().await.unwrap(), None);
}

#[tokio::test]
async fn an_unreadable_secret_does_not_delay_other_endpoints() {
    let (world, ports, receivers) = opened().await;
    let (lost, _) = register(&world, &ports, ONE, &["payment.created"]).await;
    register(&world, &ports, TWO, &["payment.created"]).await;
    let secrets = world.stores.secrets.secrets(SecretKind::WebhookSecret, None, 9).await.unwrap();
    let its_own = secrets.iter().find(|it| it.location.of == SecretOf::Endpoint(lost.clone())).unwrap();
    assert!(world.stores.secrets.replace(its_own, vec![0; 64]).await.unwrap());
    world.open_sale().await;

    let count = deliver(&ports, &receivers).await;

    assert_eq!((count, receivers.events_at(TWO).len()), (1, 1));
}

/// D13: the name of an event is the same at every attempt, of which there are ten.
#[tokio::test]
async fn an_event_fails_after_ten_attempts_with_one_identifier() {
    let (world, ports, receivers) = opened().await;
    register(&world, &ports, ONE, &["payment.created"]).await;
    receivers.respond_with(ONE, status(500));
    world.open_sale().await;

    let begun = world.clock.now();
    pass(&world, &ports, &receivers, TimeDelta::days(4)).await;
    let names = receivers.events_at(ONE);

    assert_eq!(names.len(), 1 + WebhookDelivery::RETRY_PAUSES.len());
    assert!(names.windows(2).all(|it| it[0] == it[1]), "{names:?}");
    assert_eq!(ports.webhooks.next_due().await.unwrap(), None);
    assert!(world.clock.now() - begun >= TimeDelta::days(4));
}

/// D8: a new event is sent at once, although older ones have failed and wait.
#[tokio::test]
async fn a_new_event_does_not_wait_for_a_failed_one() {
    let (world, ports, receivers) = opened().await;
    register(&world, &ports, ONE, &["payment.created"]).await;
    receivers.respond_with(ONE, WebhookOutcome::Unreachable);
    world.open_sale().await;
    pass(&world, &ports, &receivers, TimeDelta::minutes(10)).await;
    let old = receivers.events_at(ONE);
    world.open_sale().await;

    let count = deliver(&ports, &receivers).await;
    let failed = receivers.events_at(ONE);
    receivers.respond_with(ONE, status(204));
    world.open_sale().await;
    deliver(&ports, &receivers).await;
    let taken = receivers.events_at(ONE);

    assert_eq!((count, failed.len(), taken.len()), (1, 1, 1));
    assert!(!old.contains(&failed[0]) && taken != failed);
    pass(&world, &ports, &receivers, TimeDelta::days(1)).await;
    let rest = receivers.events_at(ONE);
    assert_eq!(rest.len(), 2, "both that failed are taken later");
}

/// BAD-144: an endpoint that responds `410 Gone` gets no more events, and an event reports this.
#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_at_once() {
    let (world, ports, receivers) = opened().await;
    let (gone, _) = register(&world, &ports, ONE, &["payment.*"]).await;
    let (enabled, _) = register(&world, &ports, TWO, &["webhook_endpoint.disabled"]).await;
    receivers.respond_with(ONE, status(410));
    world.open_sale().await;
    deliver(&ports, &receivers).await;
    let attempts = receivers.take();
    world.open_sale().await;

    pass(&world, &ports, &receivers, TimeDelta::days(9)).await;

    assert_eq!(reason(&world, &ports, &gone).await, Some(DisabledReason::Gone));
    assert_eq!(reason(&world, &ports, &enabled).await, None);
    let [attempt, notice] = attempts.as_slice() else { panic!("one attempt, one notice: {}", attempts.len()) };
    assert_eq!((attempt.url.as_str(), notice.url.as_str()), (ONE, TWO));
    let kind = EventKind::WebhookEndpointDisabled;
    assert!(notice.body.starts_with(kind.as_str().as_bytes()));
    assert_eq!(receivers.take().len(), 0);
}

/// D10: five days without success disable an endpoint, for any number of failures.
#[tokio::test]
async fn an_endpoint_is_disabled_after_five_days_without_success() {
    let (world, ports, receivers) = opened().await;
    let (id, _) = register(&world, &ports, ONE, &["payment.created"]).await;
    receivers.respond_with(ONE, status(503));
    let mut days = Vec::new();
    for _ in 0..6 {
        for _ in 0..20 {
            world.open_sale().await;
        }
        pass(&world, &ports, &receivers, TimeDelta::days(1)).await;
        days.push(reason(&world, &ports, &id).await);
    }

    assert_eq!(days[..4], [None; 4]);
    assert_eq!(days.last(), Some(&Some(DisabledReason::Failing)));
}

/// An occasional success keeps an endpoint enabled.
#[tokio::test]
async fn an_endpoint_with_an_occasional_success_stays_enabled() {
    let (world, ports, receivers) = opened().await;
    let (id, _) = register(&world, &ports, ONE, &["payment.created"]).await;
    for day in 0..9 {
        receivers.respond_with(ONE, status(if day == 4 { 200 } else { 500 }));
        world.open_sale().await;
        pass(&world, &ports, &receivers, TimeDelta::days(1)).await;
    }

    assert_eq!(reason(&world, &ports, &id).await, None);
}

/// A crash between the request and the stored result repeats the event, with the same identifier.
#[tokio::test]
async fn an_event_without_a_stored_result_is_sent_again() {
    let (world, ports, receivers) = opened().await;
    register(&world, &ports, ONE, &["payment.created"]).await;
    world.open_sale().await;

    drop(send(&ports, &receivers).await);
    let first = receivers.events_at(ONE);
    let meanwhile = deliver(&ports, &receivers).await;
    world.clock.advance(TimeDelta::seconds(61));
    let again = deliver(&ports, &receivers).await;

    assert_eq!((first.len(), meanwhile, again), (1, 0, 1));
    assert_eq!(receivers.events_at(ONE), first);
    assert_eq!(deliver(&ports, &receivers).await, 0);
}

/// The dispatcher respects `Retry-After` up to the next pause.
#[tokio::test]
async fn a_receiver_may_ask_for_a_longer_pause() {
    let (world, ports, receivers) = opened().await;
    register(&world, &ports, ONE, &["payment.created"]).await;
    receivers.respond_with(ONE, WebhookOutcome::Answered { status: 429, retry_after: Some(TimeDelta::minutes(2)) });
    world.open_sale().await;
    let begun = world.clock.now();
    deliver(&ports, &receivers).await;

    let next: DateTime<Utc> = ports.webhooks.next_due().await.unwrap().unwrap();

    assert_eq!(next - begun, TimeDelta::minutes(2));
}

/// D1, D5: events arrived in another order, more than once, and the last one to arrive won.
#[tokio::test]
async fn a_consumer_that_ignores_older_events_has_the_current_state() {
    let (world, ports, receivers) = opened().await;
    register(&world, &ports, ONE, &["payment.*"]).await;
    let (payment, payer) = world.open_sale().await;
    let keyed = world.keyed_as("pay".to_owned());
    app::submit_card(&ports, &payer, &keyed, command(&payment, "4222220000000008"), &render).await.unwrap();
    deliver(&ports, &receivers).await;
    let mut messages: Vec<(u32, String)> = Vec::new();
    for it in receivers.take() {
        let event = ports.events.find(&world.tenant, &it.event).await.unwrap().unwrap();
        let shown = event.of_sale().unwrap();
        messages.push((shown.sequence, shown.sale.payment.status().as_str().to_owned()));
    }
    let now = world.sale(&payment).await.payment.status();

    assert!(messages.len() >= 3, "{messages:?}");
    for order in orders(messages.len()) {
        let mut seen = (0, String::new());
        for index in order.iter().chain(order.iter().rev()) {
            let message = &messages[*index];
            if message.0 > seen.0 {
                seen = message.clone();
            }
        }
        assert_eq!(seen.1, now.as_str(), "{order:?}");
    }
}

/// Returns every order of the first `count` numbers.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let shorter = orders(last);
    let longer = |order: &Vec<usize>, index| {
        let mut order = order.clone();
        order.insert(index, last);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |index| longer(order, index))).collect()
}
