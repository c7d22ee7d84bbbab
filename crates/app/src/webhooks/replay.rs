use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    rights::Right,
    webhook::{ReplayWebhooks, WebhookEndpoint},
};
use ports::{Replay, ReplayedRange, SetupChange, Tenant};

use super::{change_endpoint::decide, change_endpoint::not_found};
use crate::{Caller, Error, IdempotentRequest, Ports, Rendered, Response, events};

/// The queued replay.
pub struct QueuedReplay<'a> {
    /// Where to.
    pub endpoint: &'a WebhookEndpoint,
    /// How many events.
    pub many: usize,
    /// The queued part of the request.
    pub of: ReplayScope<'a>,
}

/// Which events a replay is of.
pub enum ReplayScope<'a> {
    /// One.
    Event(&'a EventId),
    /// Those of a period.
    Period {
        /// From this moment on.
        since: DateTime<Utc>,
        /// Before this moment.
        until: DateTime<Utc>,
        /// Whether the whole period was queued.
        is_complete: bool,
    },
}

/// Maximum number of events in one replay. A further request continues from the end.
const MOST: u16 = 1000;

/// Queues events for an endpoint again, or for the first time: each with the same identifier, due at once.
pub async fn replay_webhooks(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    id: &str,
    command: ReplayWebhooks,
    render: &(dyn Fn(&QueuedReplay<'_>) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    caller.may(Right::WebhooksManage)?;
    let tenant = caller.tenant();
    // A removed endpoint is still known, to replay earlier responses.
    let name = WebhookEndpointId::parse(id).ok_or_else(not_found)?;
    let endpoint = ports.setup.endpoint(&tenant, &name).await?.ok_or_else(not_found)?.endpoint;
    match command {
        ReplayWebhooks::Event(name) => {
            let event = events::get_event(ports, caller, name.as_str()).await?;
            let decision = |to: &WebhookEndpoint, _| {
                let rendered = render(&QueuedReplay { endpoint: to, many: 1, of: ReplayScope::Event(&event.id) });
                let replay = Replay::Event { id: event.id.clone(), kind: event.kind, occurred_at: event.created_at };
                Ok((SetupChange::Replay { endpoint: Box::new(to.clone()), replay }, rendered))
            };
            decide(ports, caller, request, id, &decision).await
        }
        ReplayWebhooks::Period { since, until, kinds, is_only_failed } => {
            let now = ports.clock.now();
            let since = since.max(events::oldest(now));
            let until = until.unwrap_or(now);
            let selection = kinds.unwrap_or(endpoint.enabled_events);
            let kinds = EventKind::ALL.iter().copied().filter(|it| selection.includes(*it)).collect();
            let range = ReplayedRange { since, until, kinds, is_only_failed };
            let (range, many) = cut(ports, &tenant, &endpoint.id, range).await?;
            let decision = |to: &WebhookEndpoint, _| {
                let of = ReplayScope::Period { since, until: range.until, is_complete: range.until == until };
                let rendered = render(&QueuedReplay { endpoint: to, many, of });
                let replay = Replay::Range(range.clone());
                Ok((SetupChange::Replay { endpoint: Box::new(to.clone()), replay }, rendered))
            };
            decide(ports, caller, request, id, &decision).await
        }
    }
}

/// As much of the period as sets out at once, and how many events that is.
async fn cut(
    ports: &Ports,
    tenant: &Tenant,
    endpoint: &WebhookEndpointId,
    range: ReplayedRange,
) -> Result<(ReplayedRange, usize), Error> {
    let times = ports.webhook_log.replayable(tenant, endpoint, &range, MOST + 1).await?;
    let Some(first_left_out) = times.get(usize::from(MOST)) else { return Ok((range, times.len())) };
    // Events of one moment stay together, unless there is no other moment.
    let until = match times.first() {
        Some(first) if first == first_left_out => *first + TimeDelta::milliseconds(1),
        _ => *first_left_out,
    };
    let many = times.iter().filter(|it| **it < until).count();
    Ok((ReplayedRange { until, ..range }, many))
}
