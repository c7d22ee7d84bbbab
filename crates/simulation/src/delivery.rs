//! Webhook delivery of the simulated events: processes that may crash send them to a consumer that trusts the highest
//! sequence.

use std::sync::Arc;

use app::{InFlight, claim_webhooks, send_webhook, settle_webhooks};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, WebhookEndpointId,
    event::{EventRecord, SaleEvent, Subject},
    webhook::{EndpointDisabledEmail, WebhookDeliveryStatus},
};
use ports::{
    AttemptedDelivery, Committed, DueDelivery, EndpointHealth, EventFilter, EventStore, Page, Recipient, Tenant,
    Unavailable, WebhookClaim, WebhookMessage, WebhookOutcome, WebhookQueue, WebhookSender,
};
use testkit::sample;

use crate::{
    event_delivery::{Delivery, EventDelivery},
    node::Node,
    tables::Tables,
    world::World,
};

/// Longer than a lease lasts.
const LATE: u32 = 90_000;

impl Tables {
    /// Queues all events.
    pub(crate) fn queue_all(&mut self, now: DateTime<Utc>) {
        let mut deliveries = Vec::new();
        for row in self.sales.values() {
            let facts = &row.sale.payment.facts;
            let tenant = Tenant { merchant: facts.merchant.clone(), mode: facts.mode };
            for (sequence, shown) in (1..).zip(&row.shown) {
                let Some(event) = EventId::of(&facts.id, sequence) else { continue };
                let endpoint = sample::endpoint(1).id;
                let (tenant, occurred_at) = (tenant.clone(), shown.at);
                let due = DueDelivery { tenant, endpoint, event, occurred_at, attempts: 0, lease_until: occurred_at };
                deliveries.push(Delivery { due, status: WebhookDeliveryStatus::Pending(now) });
            }
        }
        self.delivery = EventDelivery { deliveries, ..EventDelivery::default() };
    }

    fn event(&self, id: &EventId) -> Option<EventRecord> {
        let (payment, sequence) = id.parts()?;
        let row = self.sales.get(payment.as_str())?;
        let shown = row.shown.get(usize::try_from(sequence.checked_sub(1)?).ok()?)?;
        let of_sale = SaleEvent {
            previous_status: shown.event.previous_status.map(str::to_owned),
            part: shown.event.part,
            sequence,
            sale: shown.sale.as_ref().clone(),
            refund: shown.refund.clone(),
            note: shown.note.clone(),
        };
        let subject = Subject::Sale(Box::new(of_sale));
        let (id, kind) = (id.clone(), shown.event.kind);
        Some(EventRecord { id, kind, created_at: shown.at, request: None, subject })
    }

    /// Checks the end state: every event arrived, and a consumer that ignores older sequences has the status of each
    /// payment.
    pub(crate) fn check_received(&self, findings: &mut Vec<String>) {
        for it in &self.delivery.deliveries {
            if !self.delivery.received.contains_key(it.due.event.as_str()) {
                findings.push(format!("D7: {} never arrived, and is {:?}", it.due.event, it.status));
            }
        }
        for row in self.sales.values() {
            let payment = &row.sale.payment;
            let id = payment.facts.id.as_str();
            let believed = self.delivery.believed.get(id).map(|it| it.1.as_str());
            if believed != Some(payment.status().as_str()) {
                findings.push(format!("D1: {id} is {:?}, and is believed to be {believed:?}", payment.status()));
            }
        }
        for refund in self.refunds.all() {
            let (id, status) = (refund.facts.id.as_str(), refund.status());
            let believed = self.delivery.believed.get(id).map(|it| it.1.as_str());
            if believed != Some(status.as_str()) {
                findings.push(format!("D1: {id} is {status:?}, and is believed to be {believed:?}"));
            }
        }
    }
}

/// Returns the body of an event: the sequence, the payment with its status, and the refund with its status.
fn spell(event: &EventRecord) -> Vec<u8> {
    let Some(of_sale) = event.of_sale() else { return Vec::new() };
    let payment = &of_sale.sale.payment;
    let mut body = format!("{} {} {}", of_sale.sequence, payment.facts.id, payment.status().as_str());
    if let Some(refund) = &of_sale.refund {
        body += &format!(" {} {}", refund.facts.id, refund.status().as_str());
    }
    body.into_bytes()
}

/// Runs the dispatcher of a process until the queue is empty.
pub(crate) async fn dispatch(node: Node) {
    let (ports, world) = (node.ports(), node.world.clone());
    while !world.tables.lock().delivery.is_over() {
        // A failed claim is retried later.
        for it in claim_webhooks(&ports, &spell, InFlight::default()).await.unwrap_or_default() {
            let (ports, sender) = (ports.clone(), Arc::new(node.clone()));
            world.executor.spawn(node.process, async move {
                let sent = send_webhook(&ports, &*sender, it).await;
                // An attempt without a stored result is repeated.
                let _ = settle_webhooks(&ports, vec![sent]).await;
            });
        }
        let now = world.now();
        let due = world.tables.lock().delivery.next_due().unwrap_or(now);
        let wait = due.signed_duration_since(now).clamp(TimeDelta::seconds(1), TimeDelta::hours(6));
        world.executor.pause(wait.num_milliseconds().unsigned_abs()).await;
    }
}

/// The consumer's endpoint, which may refuse, be slow, or be unreachable.
#[async_trait]
impl WebhookSender for Node {
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome {
        let Node { world, process, .. } = self;
        world.leave(*process, "send").await;
        if world.has_fault(|it| it.down) {
            return WebhookOutcome::Unreachable;
        }
        if world.has_fault(|it| it.decline) {
            return WebhookOutcome::Answered { status: 500, retry_after: None };
        }
        if world.has_fault(|it| it.late) {
            world.executor.pause(world.below(LATE).into()).await;
        }
        let finding = world.tables.lock().delivery.take(&message.event, message.body, world.bug);
        world.find(finding);
        world.leave(*process, "answer").await;
        if world.has_fault(|it| it.silent) {
            return WebhookOutcome::TimedOut;
        }
        WebhookOutcome::Answered { status: 204, retry_after: None }
    }
}

#[async_trait]
impl WebhookQueue for Node {
    async fn claim(&self, claim: &WebhookClaim) -> Result<Vec<DueDelivery>, Unavailable> {
        let bug = self.world.bug;
        self.world.ask(self.process, "claim_events", |it| it.delivery.claim(claim, bug)).await
    }

    async fn recipients(&self, _: &Tenant) -> Result<Vec<Recipient>, Unavailable> {
        let failing_since = self.world.tables.lock().delivery.failing_since;
        let sealed_secret = b"whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_vec();
        Ok(vec![Recipient { endpoint: sample::endpoint(1), sealed_secret, previous: None, failing_since }])
    }

    async fn finish(
        &self,
        _: &Tenant,
        attempted: Vec<AttemptedDelivery>,
        health: Vec<EndpointHealth>,
    ) -> Result<(), Unavailable> {
        let store = |it: &mut Tables| {
            it.delivery.finish(attempted);
            health.into_iter().for_each(|found| it.delivery.check(&found));
        };
        self.world.ask(self.process, "finish", store).await
    }

    async fn record_health(
        &self,
        _: &Tenant,
        _: &[WebhookEndpointId],
        failing_since: Option<DateTime<Utc>>,
    ) -> Result<(), Unavailable> {
        self.world.tables.lock().delivery.failing_since = failing_since;
        Ok(())
    }

    async fn disable(&self, _: &EndpointDisabledEmail, _: u32, _: &EventRecord) -> Result<Committed, Unavailable> {
        self.world.find(Some("D10: an endpoint was switched off that takes what it gets".to_owned()));
        Ok(Committed::Done)
    }

    async fn delete_expired_secrets(&self, _: DateTime<Utc>) -> Result<u64, Unavailable> {
        Ok(0)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        Ok(self.world.tables.lock().delivery.next_due())
    }
}

#[async_trait]
impl EventStore for Node {
    async fn find(&self, _: &Tenant, id: &EventId) -> Result<Option<EventRecord>, Unavailable> {
        self.world.ask(self.process, "find_event", |it| it.event(id)).await
    }

    async fn find_all(&self, _: &Tenant, ids: &[EventId]) -> Result<Vec<EventRecord>, Unavailable> {
        let events = |it: &mut Tables| ids.iter().filter_map(|id| it.event(id)).collect();
        self.world.ask(self.process, "find_events", events).await
    }

    async fn search(&self, _: &Tenant, _: &EventFilter, _: &Page) -> Result<Vec<EventRecord>, Unavailable> {
        unreachable!("lists are not simulated")
    }

    async fn sweep(&self, _: DateTime<Utc>, _: u16) -> Result<u64, Unavailable> {
        Ok(0)
    }
}

impl World {
    /// Queues all events, with new faults.
    pub(crate) fn delivery(&self) {
        let now = self.now();
        self.executor.clear();
        self.tables.lock().queue_all(now);
        self.restart_faults();
    }
}
