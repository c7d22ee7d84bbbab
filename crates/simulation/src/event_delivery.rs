//! Deliveries of events to the one endpoint of a world.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{EventId, webhook::WebhookDeliveryStatus};
use ports::{AttemptedDelivery, DueDelivery, EndpointHealth, WebhookClaim};

use crate::bug::Bug;

/// Queued events, and the state of their consumer.
#[derive(Default)]
pub(crate) struct EventDelivery {
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) failing_since: Option<DateTime<Utc>>,
    /// The first body of each event that arrived.
    pub(crate) received: BTreeMap<String, Vec<u8>>,
    /// The consumer's view of each payment and refund: sequence of the last event, and status.
    pub(crate) believed: BTreeMap<String, (u32, String)>,
}

pub(crate) struct Delivery {
    pub(crate) due: DueDelivery,
    pub(crate) status: WebhookDeliveryStatus,
}

impl EventDelivery {
    /// Whether every event was delivered or failed for good.
    pub(crate) fn is_over(&self) -> bool {
        self.next_due().is_none()
    }

    pub(crate) fn next_due(&self) -> Option<DateTime<Utc>> {
        let at = |it: &Delivery| match it.status {
            WebhookDeliveryStatus::Pending(due) => Some(due.max(it.due.lease_until)),
            _ => None,
        };
        self.deliveries.iter().filter_map(at).min()
    }

    pub(crate) fn claim(&mut self, claim: &WebhookClaim, bug: Option<Bug>) -> Vec<DueDelivery> {
        let is_free = |it: &&mut Delivery| {
            matches!(it.status, WebhookDeliveryStatus::Pending(due) if due <= claim.now)
                && it.due.lease_until <= claim.now
        };
        let room = if self.failing_since.is_none() { claim.healthy } else { claim.failing };
        let lease = |it: &mut Delivery| {
            it.due.lease_until = claim.lease_until;
            if bug == Some(Bug::TakesClaimedForSent) {
                it.status = WebhookDeliveryStatus::Delivered(claim.now);
            }
            it.due.clone()
        };
        self.deliveries.iter_mut().filter(is_free).take(room.each.min(room.all).into()).map(lease).collect()
    }

    pub(crate) fn check(&mut self, found: &EndpointHealth) {
        if self.failing_since.is_none() || found.has_accepted {
            self.failing_since = found.failing_since;
        }
    }

    pub(crate) fn finish(&mut self, attempted: Vec<AttemptedDelivery>) {
        for AttemptedDelivery { due, to, .. } in attempted {
            let is_it = |it: &&mut Delivery| it.due.event == due.event && it.due.lease_until == due.lease_until;
            let is_open = |it: &&mut Delivery| matches!(it.status, WebhookDeliveryStatus::Pending(_));
            if let Some(it) = self.deliveries.iter_mut().filter(is_open).find(is_it) {
                it.due.attempts = to.attempts;
                it.due.lease_until = due.occurred_at;
                it.status = to.status;
            }
        }
    }

    /// Delivers an event to the consumer. Returns the violation, if any.
    pub(crate) fn take(&mut self, event: &EventId, body: Vec<u8>, bug: Option<Bug>) -> Option<String> {
        let text = String::from_utf8_lossy(&body).into_owned();
        let mut words = text.split(' ');
        let sequence: u32 = words.next()?.parse().ok()?;
        while let (Some(subject), Some(status)) = (words.next(), words.next()) {
            let believed = self.believed.entry(subject.to_owned()).or_default();
            if believed.0 < sequence || bug == Some(Bug::BelievesTheLastToCome) {
                *believed = (sequence, status.to_owned());
            }
        }
        let first = self.received.entry(event.to_string()).or_insert_with(|| body.clone());
        (*first != body)
            .then(|| format!("D13: {event} had the body {:?} and then {text:?}", String::from_utf8_lossy(first)))
    }
}
