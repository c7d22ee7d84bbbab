use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind,
    event::{EventRecord, Subject},
    webhook::{
        EndpointDisabledEmail, EventSelection, WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus, WebhookEndpoint,
        WebhookResult,
    },
};
use ports::{AttemptedDelivery, ClaimLimits, Committed, DueDelivery, SetupChange, Unavailable, WebhookClaim};

use super::{Stores, done};
use crate::sample::{self, noon, payment_id, tenant};

/// Registers the `n`th endpoint with a subscription to these events.
pub(super) async fn register(stores: &Stores, n: u32, patterns: &[&str]) {
    let endpoint = WebhookEndpoint { enabled_events: selection(patterns), ..sample::endpoint(n) };
    done(stores.setup.commit(sample::setup(900 + n, registration(endpoint, 16))).await, "there is room");
}

/// Registration of an endpoint, of which a tenant may have `limit`.
pub(super) fn registration(endpoint: WebhookEndpoint, limit: usize) -> SetupChange {
    SetupChange::Endpoint { endpoint: Box::new(endpoint), sealed_secret: b"a sealed secret".to_vec(), limit }
}

pub(super) fn selection(patterns: &[&str]) -> EventSelection {
    EventSelection::parse(&patterns.iter().map(|&it| it.to_owned()).collect::<Vec<_>>()).expect("known patterns")
}

/// The event of an endpoint that was disabled.
pub(super) fn disabling(mail: &EndpointDisabledEmail) -> EventRecord {
    EventRecord {
        id: mail.event.clone(),
        kind: EventKind::WebhookEndpointDisabled,
        created_at: mail.at(),
        request: None,
        subject: Subject::Endpoint(Box::new(mail.endpoint.clone())),
    }
}

/// Disables the endpoint of the mail.
pub(super) async fn disable(stores: &Stores, mail: &EndpointDisabledEmail) -> Result<Committed, Unavailable> {
    stores.webhooks.disable(mail, 0, &disabling(mail)).await
}

/// Claims every due delivery, sorted by event.
pub(super) async fn claim(stores: &Stores, now: DateTime<Utc>) -> Vec<DueDelivery> {
    let mut claimed = stores.webhooks.claim(&wide(now)).await.expect("the store answers");
    claimed.sort_by_key(|it| it.event.to_string());
    claimed
}

/// A claim of every due delivery.
pub(super) fn wide(now: DateTime<Utc>) -> WebhookClaim {
    let room = ClaimLimits { all: 100, each: 100 };
    WebhookClaim::of_any(now, lease(now), room)
}

/// End of the lease of a claim.
pub(super) fn lease(now: DateTime<Utc>) -> DateTime<Utc> {
    now + TimeDelta::minutes(1)
}

/// Ends an attempt of each delivery in this state.
pub(super) async fn finish(stores: &Stores, claimed: &[DueDelivery], status: WebhookDeliveryStatus) {
    stores.webhooks.finish(&tenant(), attempted(claimed, status), Vec::new()).await.expect("the store answers");
}

pub(super) fn attempted(claimed: &[DueDelivery], status: WebhookDeliveryStatus) -> Vec<AttemptedDelivery> {
    let to = WebhookDelivery { attempts: 1, status };
    claimed.iter().map(|due| AttemptedDelivery { due: due.clone(), to: to.clone(), attempt: attempt() }).collect()
}

pub(super) fn attempt() -> WebhookAttempt {
    WebhookAttempt { at: noon(), result: WebhookResult::Status(500), took: TimeDelta::milliseconds(12) }
}

/// The event of this sequence about the `n`th payment.
pub(super) fn event_id(n: u32, sequence: u32) -> EventId {
    EventId::of(&payment_id(n), sequence).expect("few enough events")
}
